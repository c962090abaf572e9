"""What `--json` prints, as whoever reads it has it."""

import json
from typing import Any

from referee.terminal.json_output import json_text


def object_of(value: object) -> Any:  # JSON
    """A struct as it is read from what was printed."""
    return json.loads(json_text(value))
