#!/bin/sh
# SPDX-License-Identifier: BSL-1.0
# tests/fresh.sh [--user] [--clang VERSION] SUITE [COMMAND...]   runs a command of the README on a fresh machine: in an empty
# system of that Debian or Ubuntu suite (bookworm, trixie), made by debootstrap for this run, with a clone of what is committed
# here. Without COMMAND: `sh examples/run.sh`, then `sh tests/run.sh`.
#   --user            as a user with sudo instead of as root
#   --clang VERSION   with that version of clang only
# Needs root, debootstrap and the network. KEEP=FOLDER makes the system there, or uses the one that is there, and leaves it.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)

fail() { echo "fresh.sh: $1" >&2; exit 2; }

user=root clang=
while [ $# -gt 0 ]; do
    case $1 in
        --user) user=builder ;;
        --clang) shift; clang=${1:-} ;;
        -*) fail "unknown option $1" ;;
        *) break ;;
    esac
    shift
done
[ $# -gt 0 ] || fail "which suite? fresh.sh [--user] [--clang VERSION] SUITE [COMMAND...]"
suite=$1
shift
[ "$(id -u)" -eq 0 ] || fail "needs root"
command -v debootstrap >/dev/null || fail "needs debootstrap"

system=${KEEP:-$(mktemp -d)}
# Mounts live in a namespace of the shell that makes them, so nothing is left mounted, whatever happens.
[ -n "${KEEP:-}" ] || trap 'rm -rf --one-file-system "$system"' EXIT
[ -d "$system/usr" ] || debootstrap --variant=minbase "$suite" "$system" >"$system.log" || { tail "$system.log"; exit 1; }
rm -f "$system.log"
cp /etc/resolv.conf "$system/etc/resolv.conf"

home=/root
if [ $user != root ]; then
    home=/home/$user
    chroot "$system" sh -c "apt-get update -qq && apt-get install -y -qq --no-install-recommends sudo >/dev/null &&
        { id $user 2>/dev/null || useradd --create-home $user; }" || fail "no user with sudo can be made"
    echo "$user ALL=(ALL) NOPASSWD: ALL" >"$system/etc/sudoers.d/$user"
fi
rm -rf "$system$home/condense"
git clone --quiet "$root" "$system$home/condense"
chroot "$system" chown -R "$user:" "$home/condense"

[ $# -gt 0 ] || set -- sh -c 'sh examples/run.sh && sh tests/run.sh'
seconds=$(date +%s)
status=0
unshare --mount sh -c '
    system=$1 user=$2 home=$3 clang=$4
    shift 4
    mount -t proc proc "$system/proc"
    mount -t tmpfs tmpfs "$system/dev"
    for device in null zero full random urandom tty; do
        touch "$system/dev/$device"
        mount --bind "/dev/$device" "$system/dev/$device"
    done
    mkdir "$system/dev/pts" "$system/dev/shm"
    mount -t devpts -o newinstance,ptmxmode=0666 devpts "$system/dev/pts"
    ln -s pts/ptmx "$system/dev/ptmx"
    ln -s /proc/self/fd "$system/dev/fd"
    mount -t tmpfs -o mode=1777 tmpfs "$system/dev/shm"
    chroot "$system" runuser -u "$user" -- env -i HOME="$home" PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin TERM=dumb \
        ${clang:+CLANG="$clang"} sh -c "cd \"\$HOME/condense\" && exec \"\$@\"" sh "$@"
' sh "$system" "$user" "$home" "$clang" "$@" || status=$?
echo "fresh.sh: $suite, $user: exit $status after $(($(date +%s) - seconds)) s"
exit "$status"
