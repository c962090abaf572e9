"""JSON Schemas of what commands print with `--json`.

`make schemas` rewrites the files beside this module; a test says when they are stale.
"""

from pathlib import Path
from typing import Final

from protocol.schema import output_schemas, write
from referee.bench.cluster_report import ClusterReport
from referee.bench.report import BenchReport
from referee.commands.check import CheckJson
from referee.commands.clean import CleanJson
from referee.commands.debug_show import DebugJson
from referee.commands.doctor import DoctorJson
from referee.commands.new import NewJson
from referee.match.game_json import GameJson
from referee.record.as_json import ReplayJson
from referee.record.proof import Proof
from referee.terminal.match_report import MatchJson

FOLDER: Final = Path(__file__).parent / "schemas"
_OUTPUTS: Final = {
    "match": MatchJson,
    "replay": ReplayJson,
    "replay --verify": Proof,
    "new": NewJson,
    "check": CheckJson,
    "debug": DebugJson,
    "doctor": DoctorJson,
    "games ID": GameJson,
    "clean": CleanJson,
    "bench": BenchReport,
    "bench --cluster": ClusterReport,
}


def schemas() -> dict[str, str]:
    """Return the text of every schema, by file name."""
    return output_schemas(_OUTPUTS)


if __name__ == "__main__":
    write(FOLDER, schemas())
