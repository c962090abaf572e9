"""HTML by the templates beside this, in which all text is escaped, whatever it wants to be."""

from functools import cache
from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

from ladder.show import number_text
from ladder.standings.history import BAND
from referee.text import printable


def rendered(template: str, **values: object) -> str:
    """A page; equal values give equal bytes."""
    return environment().get_template(template).render(values)


def macro(template: str, name: str, *values: object) -> str:
    """What one macro of a template makes of some values."""
    found = getattr(environment().get_template(template).module, name)
    return str(found(*values))


@cache
def environment(*packages: str) -> Environment:
    """Return the templates of some packages, those of the first one first, then those beside this.

    Args:
        packages: by their full names; each has a folder `templates`.
    """
    made = Environment(
        loader=ChoiceLoader([PackageLoader(name) for name in (*packages, "ladder.show")]),
        autoescape=True,
        finalize=_without_controls,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.filters["minus"] = _minus
    made.globals |= {"text": number_text, "band": BAND}
    return made


def _without_controls(value: Any) -> Any:  # of any type: what a template shows
    """Text of strangers without what turns it round or hides it; templates' own as it is."""
    return value if hasattr(value, "__html__") or not isinstance(value, str) else printable(value)


def _minus(text: str) -> str:
    """A number with a minus as printers have it."""
    return text.replace("-", "\N{MINUS SIGN}")
