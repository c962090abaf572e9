"""What a machine of a cluster says of itself."""

import os
from pathlib import Path

from ladder.cluster.machine import least_trip_us
from referee.bench.round_trip import Ping


def test_round_trips_are_on_one_core_and_each_core_of_ours_has_some(tmp_path: Path) -> None:
    program, cores = tmp_path / "ping", tmp_path / "cores"
    program.write_text(
        f"#!/bin/sh\nsed -n 's/^Cpus_allowed_list:.//p' /proc/self/status >> {cores}\necho 5000\n"
    )
    program.chmod(0o755)
    ours = os.sched_getaffinity(0)
    assert least_trip_us(Ping(program, "cc")) == 5.0
    assert set(cores.read_text().split()) == set(map(str, sorted(ours)[:20]))
    assert os.sched_getaffinity(0) == ours
