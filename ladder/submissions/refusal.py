"""What an author is told whose bot is not taken in: the finding, what to do, how to see it. Pure.

Each in lines of its own, the finding first: a page shows it before all else.
"""

from typing import Final

HOME: Final = "see it at home: "
MEND: Final = "what to do: "


def refusal(finding: str, home: str = "", *, mend: str = "") -> str:
    """Return the text of a refusal.

    Args:
        finding: what is wrong, in one line; a build's last words may follow.
        home: a shell command that shows it to its author; "" where there is none.
        mend: what to do about it; "" where the finding says it.
    """
    lines = [finding]
    if mend:
        lines.append(MEND + mend)
    if home:
        lines.append(HOME + home)
    return "\n".join(lines)
