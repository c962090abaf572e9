#!/bin/sh
# Our unit under a systemd that runs here, in namespaces of its own: three minutes, as root.
#
#     sh tests/systemd_here.sh
#
# It sees this machine's processor, kernel and control groups; what it writes to /etc, /opt and /var
# is gone afterwards. The clone that it serves is installed by the distribution's python3, since the
# unit sees no home folder. Prints what `systemd_unit.sh` does; exit status 1 if that fails.
set -eu
[ "$(id -u)" = 0 ] || { echo "run it as root" >&2; exit 2; }
[ -x /lib/systemd/systemd ] || { echo "no systemd is installed" >&2; exit 2; }
base=$(mktemp -d) here=$PWD
export base here
systemd() { pgrep -f "^/lib/systemd/systemd --system --unit=multi-user.target" -P "$1"; }

# shellcheck disable=SC2016  # it is the inner shell that knows them
setsid unshare --pid --mount --ipc --uts --fork sh -euc '
    mount --make-rprivate /
    mount -t tmpfs none "$base"
    for folder in etc opt var; do
        mkdir "$base/$folder" "$base/$folder.work"
        mount -t overlay none "/$folder" -o \
            "lowerdir=/$folder,upperdir=$base/$folder,workdir=$base/$folder.work"
    done
    git -c safe.directory="*" clone -q "$here" /opt/briscola-referee
    rm -rf /etc/systemd/system/*.wants  # nothing else is started
    mount -t tmpfs -o mode=1777 none /tmp  # systemd empties it
    mount -t tmpfs -o mode=755 none /run
    mount -t proc proc /proc
    exec env -i container=docker /lib/systemd/systemd --system --unit=multi-user.target
' > "$base.log" 2>&1 < /dev/null &
outer=$!
first=
inside() { nsenter -t "$first" -p -m -i -u "$@"; }
until [ -n "$first" ] && inside systemctl is-system-running > /dev/null 2>&1; do
    kill -0 $outer || { cat "$base.log" >&2; exit 1; }
    sleep 0.5
    first=$(systemd $outer) || first=
done
trap 'kill -9 "$first"; wait $outer || true; rm -rf "$base" "$base.log"' EXIT
inside env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin \
    PIP_CONFIG_FILE="${PIP_CONFIG_FILE-/etc/pip.conf}" sh -euc '
    cd /opt/briscola-referee
    make match > /tmp/make.log 2>&1 || { cat /tmp/make.log; exit 1; }
    exec sh tests/systemd_unit.sh
'
