#!/bin/sh
# The unit of docs/hosting under a real systemd, where matches are played: begun, killed, stopped.
#
#     python -m tests.v2_machine FOLDER --systemd "sh tests/systemd_unit.sh"
#     sh tests/systemd_here.sh
#
# As root, on a machine that may be spoilt, or in the namespaces of `systemd_here.sh`. Prints what it finds; exit status 1 at the first thing
# that is not as docs/hosting.md says.
set -eu
unit=briscola-referee ladder=/var/lib/briscola-ladder
referee=/opt/briscola-referee/.venv/bin/referee

fail() { echo "FAILED: $*"; journalctl --no-pager -u $unit | tail -n 30; exit 1; }
property() { systemctl show --property="$1" --value $unit; }
matches() {
    $referee ladder standings --json --ladder $ladder |
        python3 -c 'import json, sys; print(sum(one["matches"] for one in json.load(sys.stdin)["sections"]))'
}
# until NAME SECONDS COMMAND...
until_() {
    what=$1 left=$2
    shift 2
    while ! "$@"; do
        ! systemctl --quiet is-failed $unit || fail "$what"
        left=$((left - 2))
        [ $left -gt 0 ] || fail "$what"
        sleep 2
    done
    echo "ok: $what"
}
more_than() { [ "$(matches)" -gt "$1" ]; }
answers() {
    python3 -c 'import urllib.request as u; u.urlopen("http://127.0.0.1:8000/healthz", timeout=5)' 2> /dev/null
}
another_than() { now=$(property MainPID); [ "$now" != 0 ] && [ "$now" != "$1" ]; }

[ -e /opt/briscola-referee ] || ln -s "$PWD" /opt/briscola-referee
cp docs/hosting/briscola-referee.service /etc/systemd/system/
# `auto` takes what the doctor finds whole; an emulated processor is too slow for its figures
mkdir -p /etc/systemd/system/$unit.service.d
printf '[Service]\nExecStart=\nExecStart=%s serve --proxy --sandbox bwrap\n' $referee \
    > /etc/systemd/system/$unit.service.d/emulated.conf
systemctl daemon-reload
mkdir -p -m 700 $ladder
$referee submit sample:greedy sample:first --ladder $ladder --sandbox bwrap
systemctl start $unit
until_ "the site answers" 600 answers
until_ "matches are counted" 600 more_than 2
# of version 2, or of version 1, where each controller has its own
ls -d /sys/fs/cgroup/briscola-referee* /sys/fs/cgroup/*/briscola-referee* 2> /dev/null | grep . ||
    fail "bots have control groups"

first=$(property MainPID) counted=$(matches)
kill -9 "$first"
until_ "killed, it is started again" 120 another_than "$first"
until_ "and goes on" 600 more_than $((counted + 2))

systemctl stop $unit
[ "$(property Result)" = success ] || fail "stopped: $(property Result)"
[ "$(property ExecMainStatus)" = 0 ] || fail "stopped: exit status $(property ExecMainStatus)"
! pgrep -x bwrap > /dev/null || fail "bots outlive it"
echo "ok: stopped in good order, no bot is left"
$referee ladder verify --ladder $ladder || fail "verify"
