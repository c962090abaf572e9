"""What is said, written down as it was: one line each, and nothing that a terminal acts upon."""

from pathlib import Path

from referee.play.tee import written


def test_a_line_is_one_line_and_harmless(tmp_path: Path) -> None:
    """Whatever separates lines elsewhere, and whatever moves a cursor, is shown by its number."""
    path = tmp_path / "tee"
    with written(path) as tee:
        assert tee is not None
        tee(0, ">", b'{"type":"act"}\n')
        tee(1, "<", b"")
        tee(1, "<", "\x1b]0;title\x07 \u2028 \r\ttabbed \xe8 \ud7ff".encode() + b"\xff\n")
        tee(1, "!", b"one\n\ntwo")

    assert path.read_text(encoding="utf-8").split("\n") == [
        '0 > {"type":"act"}',
        r"1 < \x1b]0;title\x07 \u2028 \r" + "\ttabbed \xe8 " + r"\ud7ff\xff",
        "1 ! one",
        "1 ! ",
        "1 ! two",
        "",
    ]
