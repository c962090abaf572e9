"""JSON Schemas of what the commands of ladders and events print with `--json`.

`make schemas` rewrites the files beside this module; a test says when they are stale.
"""

from pathlib import Path
from typing import Final

from ladder.commands.connect import ConnectJson
from ladder.commands.event_seal import CheckJson, ContributionJson
from ladder.commands.ladder_archive import BackupJson, ExportJson, ImportJson
from ladder.commands.ladder_erase import ErasedJson
from ladder.commands.ladder_notices import NoticeJson
from ladder.commands.ladder_records import RecordsJson
from ladder.commands.ladder_run import LadderJson, RunJson
from ladder.commands.ladder_season import SeasonJson
from ladder.commands.ladder_show import BotHistoryJson
from ladder.commands.ladder_store import StoreJson
from ladder.commands.ladder_tokens import InviteJson, RevokedJson, TokensJson
from ladder.commands.ladder_verify import AuditJson, MigrateJson, RebuildJson
from ladder.compare.report import ComparisonJson
from ladder.show.as_json import StandingsJson
from ladder.show.bot_json import BotJson
from ladder.show.epoch_json import EpochsJson
from ladder.show.logs_json import LogsJson
from ladder.show.match_json import LadderMatchJson
from ladder.show.submit_json import SubmitJson
from ladder.show.upload_json import MeJson
from protocol.schema import output_schemas, write

FOLDER: Final = Path(__file__).parent / "schemas"
_OUTPUTS: Final = {
    "compare": ComparisonJson,
    "event run": StandingsJson,
    "event contribute": ContributionJson,
    "event check": CheckJson,
    "submit": SubmitJson,
    "logs": LogsJson,
    "connect": ConnectJson,
    "status": MeJson,
    "ladder open": LadderJson,
    "ladder run": RunJson,
    "ladder standings": StandingsJson,
    "ladder history": BotHistoryJson,
    "ladder bots": BotJson,
    "ladder match": LadderMatchJson,
    "ladder invite": InviteJson,
    "ladder tokens": TokensJson,
    "ladder revoke": RevokedJson,
    "ladder erase": ErasedJson,
    "ladder season": SeasonJson,
    "ladder epoch": EpochsJson,
    "ladder pause": NoticeJson,
    "ladder resume": NoticeJson,
    "ladder announce": NoticeJson,
    "ladder records": RecordsJson,
    "ladder export": ExportJson,
    "ladder store": StoreJson,
    "ladder backup": BackupJson,
    "ladder import": ImportJson,
    "ladder verify": AuditJson,
    "ladder rebuild": RebuildJson,
    "ladder migrate": MigrateJson,
}


def schemas() -> dict[str, str]:
    """Return the text of every schema, by file name."""
    return output_schemas(_OUTPUTS)


if __name__ == "__main__":
    write(FOLDER, schemas())
