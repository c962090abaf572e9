"""Which records of a ladder stay: its facts decide, a runner and people follow, a proof knows."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from zipfile import ZipFile

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from ladder.archive.export import export, record_name
from ladder.archive.load import take_in
from ladder.audit.audit import Wanted, prove
from ladder.audit.findings import AuditReport
from ladder.core.facts import Fact, Keep, Match, Retention
from ladder.core.retention import AT_ONCE, Sweep, horizon_of
from ladder.core.roster import Roster
from ladder.files import record_store
from ladder.game_files.pool_file import Pools, policy_changes, read_pools
from ladder.store.location import Where, where_of
from ladder.store.record_sweep import RecordSweep
from ladder.store.store import Store
from referee.errors import HostError, RefereeError
from support import ladders
from support.commands import Tell

ROWS = Wanted(sample=0)
ALL = Retention(keep=Keep.ALL, at_ms=0)
FACTS = Retention(keep=Keep.FACTS, at_ms=0)


def last(matches: int) -> Retention:
    """Keeps the records of so many."""
    return Retention(keep=Keep.LAST, last=matches, at_ms=0)


POLICIES = st.one_of(st.just(ALL), st.just(FACTS), st.integers(1, 40).map(last))


@given(st.lists(st.one_of(POLICIES, st.integers(0, 30)), max_size=12))
def test_the_horizon_is_the_last_match_that_a_policy_ever_let_go(
    events: list[Retention | int],
) -> None:
    """As if whoever follows the policies had removed at each moment all that they let go."""
    matches, newest = 0, None
    removed, policies = set[int](), list[tuple[Retention, int]]()
    for event in events:
        if isinstance(event, Retention):
            policies.append((event, matches))
            newest = event.newest
        else:
            matches += event
        if newest is not None:
            removed |= set(range(1, matches - newest + 1))

    assert removed == set(range(1, horizon_of(policies, matches) + 1))


@given(st.integers(0, 2000), st.lists(st.integers(0, 400), max_size=10))
def test_a_sweep_comes_everywhere_in_bounded_steps(first: int, more: list[int]) -> None:
    """What has newly come below the horizon goes at once, if that is not too much."""
    sweep, removed, horizon = Sweep(), set[int](), first
    for rise in [0, *more]:
        horizon += rise
        sweep, spans = sweep.step(horizon)
        numbers = [at for start, end in spans for at in range(start, end + 1)]
        assert len(numbers) <= AT_ONCE
        assert all(1 <= number <= horizon for number in numbers)
        removed |= set(numbers)
        if rise <= AT_ONCE:
            assert set(range(horizon - rise + 1, horizon + 1)) <= removed
    while not sweep.is_done:
        sweep, spans = sweep.step(horizon)
        removed |= {at for start, end in spans for at in range(start, end + 1)}

    assert removed == set(range(1, horizon + 1))


def asked(tmp_path: Path, text: str) -> Pools:
    """What a file of games asks for."""
    (tmp_path / "pools.toml").write_text(f'{text}\n[[game]]\nid = "briscola-2"\n')
    return read_pools(tmp_path / "pools.toml")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", None),
        ('records = "all"', ALL),
        ('records = "facts"', FACTS),
        ("records = 1000", last(1000)),
    ],
)
def test_a_file_of_games_says_which_records_stay(
    text: str, expected: Retention | None, tmp_path: Path
) -> None:
    """Or nothing of it: then nothing changes."""
    assert asked(tmp_path, text).records == expected


@pytest.mark.parametrize("text", ['records = "some"', "records = 0", "records = 1.5"])
def test_a_policy_that_is_none_is_named(text: str, tmp_path: Path) -> None:
    """In a line that says what would be one."""
    with pytest.raises(RefereeError, match=r"records: it can be \"all\", \"facts\", or a number"):
        asked(tmp_path, text)


def test_only_another_policy_is_a_fact() -> None:
    """To open a ladder again as it is adds nothing."""
    roster = Roster()

    assert policy_changes(roster, None, 5) == []
    assert policy_changes(roster, ALL, 5) == []
    (fact,) = policy_changes(roster, last(3), 5)
    roster.add(fact)
    assert fact == replace(last(3), at_ms=5)
    assert policy_changes(roster, last(3), 6) == []
    assert policy_changes(roster, ALL, 6) == [replace(ALL, at_ms=6)]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A ladder with ten matches; all records are there."""
    with ladders.made(tmp_path / "it", bots=("first", "random")) as found:
        ladders.filled(found, 10)
        yield found


def decide(store: Store, policy: Retention) -> None:
    """Puts a policy in force."""
    store.add(lambda _, now: [replace(policy, at_ms=now)])


def facts_of(store: Store) -> list[Fact]:
    """All facts."""
    with store.facts() as reader:
        return [fact for _, fact in reader.facts()]


def paths(store: Store) -> list[Path]:
    """Where the records of all matches belong, in their order."""
    matches = [fact for fact in facts_of(store) if isinstance(fact, Match)]
    return [record_store.path_of(store.files, match.record) for match in matches]


def there(store: Store) -> list[int]:
    """The numbers of the matches whose records are there."""
    return [number for number, path in enumerate(paths(store), 1) if path.exists()]


def swept(store: Store) -> None:
    """Removes all that the policy lets go."""
    sweep = RecordSweep()
    while not sweep.is_done:
        assert sweep.step(store) is not None


def told(report: AuditReport) -> list[str]:
    """All that was found."""
    return [finding.line for finding in report.findings]


@pytest.mark.parametrize(
    ("policy", "stay"), [(ALL, 10), (last(30), 10), (last(10), 10), (last(3), 3), (FACTS, 0)]
)
def test_a_sweep_leaves_the_records_that_stay(policy: Retention, stay: int, store: Store) -> None:
    """Those of the newest matches."""
    decide(store, policy)
    swept(store)

    assert there(store) == list(range(11 - stay, 11))


def test_what_went_by_an_earlier_policy_stays_gone_and_what_comes_stays(store: Store) -> None:
    """Under a policy that lets nothing go, no record more goes."""
    decide(store, last(3))
    swept(store)
    decide(store, ALL)
    ladders.filled(store, 5)
    swept(store)

    assert there(store) == list(range(8, 16))
    report = prove(store.where, ROWS)
    assert told(report) == []
    assert (report.records, report.gone) == (8, 7)


def test_a_record_that_was_left_below_the_horizon_goes_later(store: Store) -> None:
    """A runner that was killed before it could remove it is no reason to keep it."""
    decide(store, last(3))
    left = paths(store)[1]
    copy = left.read_bytes()
    swept(store)
    left.write_bytes(copy)
    ladders.filled(store, 1)
    swept(store)

    assert there(store) == [9, 10, 11]


def test_nothing_goes_while_an_export_or_a_proof_needs_it(store: Store) -> None:
    """The step that could not be done is done again afterwards."""
    decide(store, FACTS)
    sweep = RecordSweep()
    with record_store.held(store.files):
        assert sweep.step(store) is None
        assert len(there(store)) == 10
    assert sweep.step(store) == 10
    assert there(store) == []


def test_a_folder_without_records_has_none_to_remove(store: Store) -> None:
    """It may be another machine's."""
    decide(store, FACTS)
    shutil.rmtree(store.files / record_store.RECORDS)

    assert RecordSweep().step(store) == 0


class TestProof:
    """What a proof says of records that are gone."""

    def test_those_that_went_by_policy_are_counted(self, store: Store) -> None:
        """Nothing is wrong with them."""
        decide(store, last(4))
        swept(store)
        report = prove(store.where, ROWS)

        assert told(report) == []
        assert (report.matches, report.records, report.gone, report.notes) == (10, 4, 6, ())

    def test_one_more_is_found(self, store: Store) -> None:
        """A policy is no excuse for the first that has to stay."""
        decide(store, last(4))
        swept(store)
        stolen = paths(store)[6]
        stolen.unlink()
        report = prove(store.where, ROWS)

        assert told(report) == [f"match 7: record {str(stolen)!r} is missing"]
        assert (report.records, report.gone) == (3, 6)

    def test_one_that_is_gone_without_a_policy_is_found(self, store: Store) -> None:
        """By default all stay."""
        stolen = paths(store)[0]
        stolen.unlink()

        assert told(prove(store.where, ROWS)) == [f"match 1: record {str(stolen)!r} is missing"]

    def test_a_policy_that_came_later_excuses_nothing_beyond_it(self, store: Store) -> None:
        """What was stolen before it, and would have had to stay, is missing."""
        paths(store)[5].unlink()
        decide(store, last(6))
        swept(store)

        (line,) = told(prove(store.where, ROWS))
        assert line.startswith("match 6: ")

    def test_those_that_may_go_and_are_there_are_compared_and_named(self, store: Store) -> None:
        """A note says how they are removed."""
        decide(store, last(8))
        path = paths(store)[0]
        path.chmod(0o644)
        path.write_bytes(b"")
        report = prove(store.where, ROWS)

        assert [finding.where for finding in report.findings] == ["match 1"]
        assert report.notes == (
            "2 records are there that may go: `referee ladder records --apply` removes them",
        )

    def test_a_match_whose_record_is_gone_has_to_make_sense(self, store: Store) -> None:
        """As far as facts go."""
        decide(store, FACTS)
        swept(store)
        report = prove(store.where, Wanted())

        assert told(report) == []
        assert (report.records, report.proved, report.gone) == (0, 0, 10)
        assert not report.is_whole


def there_again(store: Store, archive: Path, to: Path) -> Where:
    """The same ladder elsewhere."""
    export(store, archive)
    where = where_of(str(to))
    take_in(where, archive)
    return where


class TestExchange:
    """An archive of a ladder some of whose records are gone."""

    def test_it_holds_the_records_that_stay_and_its_policy(
        self, store: Store, tmp_path: Path
    ) -> None:
        """Whether others were removed already, or not yet."""
        decide(store, last(4))
        found = export(store, tmp_path / "1.zip")
        where = there_again(store, tmp_path / "2.zip", tmp_path / "there")
        report = prove(where, ROWS)

        assert (found.records, found.gone) == (4, 6)
        assert told(report) == []
        assert (report.records, report.gone) == (4, 6)
        with Store(where) as other:
            assert other.roster.retention.last == 4
            assert there(other) == [7, 8, 9, 10]

    def test_facts_alone_are_a_ladder(self, store: Store, tmp_path: Path) -> None:
        """It can be shown and goes on; nothing can be played again."""
        decide(store, FACTS)
        where = there_again(store, tmp_path / "it.zip", tmp_path / "there")
        report = prove(where, Wanted())

        assert told(report) == []
        assert (report.records, report.gone) == (0, 10)

    def test_an_archive_that_misses_a_record_that_stays_is_refused(
        self, store: Store, tmp_path: Path
    ) -> None:
        """Whatever its policy says of others."""
        decide(store, last(4))
        export(store, tmp_path / "it.zip")
        stolen = record_name(paths(store)[7].name.removesuffix(record_store.ENDING))
        with ZipFile(tmp_path / "it.zip") as whole, ZipFile(tmp_path / "cut.zip", "w") as cut:
            for info in whole.infolist():
                if info.filename != stolen:
                    cut.writestr(info, whole.read(info))

        with pytest.raises(RefereeError, match="of match 8 is expected, and there is 'records/"):
            take_in(where_of(str(tmp_path / "there")), tmp_path / "cut.zip")

    def test_a_ladder_that_misses_a_record_is_not_exported(
        self, store: Store, tmp_path: Path
    ) -> None:
        """If that one has to stay."""
        decide(store, last(4))
        paths(store)[6].unlink()

        with pytest.raises(RefereeError, match=r"is missing: see `referee ladder verify`"):
            export(store, tmp_path / "it.zip")


@pytest.fixture
def tell(store: Store, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Tell:
    """Runs commands of the ladder."""
    monkeypatch.setenv("REFEREE_LADDER", store.where.typed)
    return Tell(capsys)


class TestCommands:
    """What people type."""

    def test_a_policy_is_opened_with_the_games_shown_and_applied(
        self, store: Store, tell: Tell, tmp_path: Path
    ) -> None:
        """The games go on as they were."""
        (tmp_path / "it.toml").write_text('records = 4\n[[game]]\nid = "briscola-2"\n')
        assert "records kept: the last 4" in tell("ladder", "open", str(tmp_path / "it.toml"))
        assert "those of matches 1 to 6 may go; removed now: 0" in tell("ladder", "records")
        assert there(store) == list(range(1, 11))
        assert "removed now: 6" in tell("ladder", "records", "--apply")
        assert there(store) == [7, 8, 9, 10]
        said = json.loads(tell("ladder", "records", "--json"))
        assert said["bytes"] > 0
        del said["bytes"]
        assert said == {
            "keep": "last",
            "last": 4,
            "matches": 10,
            "may_go": 6,
            "records": 4,
            "stderr_bytes": 0,
            "removed": 0,
        }

    def test_what_is_gone_is_said_where_it_is_asked_for(self, store: Store, tell: Tell) -> None:
        """As gone, not as missing."""
        decide(store, last(4))
        swept(store)

        assert "its record is gone, as the ladder has decided (kept: the last 4)" in tell(
            "replay", "3", code=2
        )
        assert "record: gone, as the ladder has decided" in tell("ladder", "match", "3")
        assert json.loads(tell("ladder", "match", "3", "--json"))["record"] is None
        assert json.loads(tell("ladder", "match", "8", "--json"))["record"] is not None

    def test_a_proof_counts_them(self, store: Store, tell: Tell) -> None:
        """In words and in JSON."""
        decide(store, last(4))
        swept(store)

        said = tell("ladder", "verify", "--sample", "0")
        assert "10 matches, 4 records, 0 of them played again, 6 gone by decision" in said
        unproved = "not proved: that the results of 6 matches are those of their records, gone by"
        assert unproved in " ".join(said.split())
        assert "what was looked at holds" in said
        found = json.loads(tell("ladder", "verify", "--sample", "0", "--json"))
        assert (found["records"], found["gone_by_decision"], found["holds"]) == (4, 6, True)

    def test_records_that_are_needed_are_not_removed_now(self, store: Store, tell: Tell) -> None:
        """One line, and exit code 3."""
        decide(store, FACTS)
        with record_store.held(store.files):
            said = tell("ladder", "records", "--apply", code=3)

        assert said.endswith("try again when that is over\n")
        assert len(there(store)) == 10


@pytest.mark.slow
def test_a_ladder_on_postgresql_lets_the_same_records_go(database: str, tmp_path: Path) -> None:
    """Also by a policy of before."""
    with ladders.made(f"{database}?files={tmp_path / 'files'}", bots=("first", "random")) as store:
        ladders.filled(store, 4)
        decide(store, last(2))
        ladders.filled(store, 2)
        decide(store, ALL)
        ladders.filled(store, 1)
        swept(store)
        assert there(store) == [5, 6, 7]
        assert store.records.gone().horizon == 4
        report = prove(store.where, ROWS)

    assert told(report) == []
    assert (report.records, report.gone) == (3, 4)


def test_a_folder_that_lets_nothing_go_is_one_line(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And the next step does it again."""
    decide(store, FACTS)
    sweep = RecordSweep()

    def fails(path: Path, **_: bool) -> None:
        raise OSError(30, "Read-only file system", str(path))

    with monkeypatch.context() as patched:
        patched.setattr(Path, "unlink", fails)
        with pytest.raises(HostError, match="Read-only file system"):
            sweep.step(store)
    assert sweep.step(store) == 10
