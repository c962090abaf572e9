"""What the doctor says of a sandbox, in short. Pure."""

from msgspec import Struct


class DoctorVerdict(Struct, frozen=True):
    """What the doctor has found of a sandbox.

    Attributes:
        problem: why `auto` does not take it; "" if it keeps all that it promises.
        absent: what it does not promise here, though a sandbox can, by the ids of the guarantees.
    """

    problem: str
    absent: tuple[str, ...] = ()
