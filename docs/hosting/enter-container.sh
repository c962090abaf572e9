# The first process of the container: it makes what sandboxes within need, then starts the command.
# Both mounts take CAP_SYS_ADMIN, and are seen in this container alone.
set -eu

# a /proc of which Docker has covered nothing: the kernel mounts those of bots only beside such a one
mount -t proc -o nosuid,nodev,noexec proc /proc

# control groups: writable, and with version 2 no process may be left in the one at the top
for groups in /sys/fs/cgroup /sys/fs/cgroup/*; do
    if mountpoint -q "$groups"; then
        mount -o remount,bind,rw "$groups"
    fi
done
if [ -e /sys/fs/cgroup/cgroup.procs ]; then
    mkdir -p /sys/fs/cgroup/others
    echo $$ > /sys/fs/cgroup/others/cgroup.procs
fi

# which reaps what outlived its parent
exec tini -- "$@"
