# what `referee.play.exchange` says of it
def exchange(
    to: int,
    source: int,
    errors: int,
    line: bytes,
    id_: str,
    legal: tuple[str, ...],
    wait_ms: int,
    freezer: int,
    thaw: bytes,
    freeze: bytes,
    state: int,
    stopped: bytes,
    /,
) -> tuple[int, int, bytes, int, int, int, bytes, str | None]: ...
