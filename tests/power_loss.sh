#!/bin/sh
# SPDX-License-Identifier: BSL-1.0
# tests/power_loss.sh [--mutant NAME] [CUTS]   cuts the power CUTS times (100) under a writer of each durable back end, on
# each file system, and looks whether everything that was acknowledged is there and whole. As root, on Linux; takes about
# a second a cut. Exit status: 0 when nothing was lost, 1 when something was, 77 where it cannot run.
#   --mutant no_file_sync     the library syncs no files: each run has to lose something, and ends when it does
#   --mutant no_folder_sync   the same with folders, for artifact_folder alone: a file's first sync takes along that it exists,
#                             but not that it was renamed
# BACK_ENDS and FILE_SYSTEMS take the names of some. The image lies below TMPDIR.
set -eu
cd "$(dirname "$0")/.."
. .ci/packages.sh

refuse() { echo "power_loss.sh: $1" >&2; exit "${2:-77}"; }

mutant=
cuts=100
while [ $# -gt 0 ]; do
    case $1 in
        --mutant) shift && mutant=${1:-} ;;
        '' | *[!0-9]*) sed -n 's/^# \{0,1\}//; 3,9p' "$0" >&2; exit 2 ;;
        *) cuts=$1 ;;
    esac
    shift
done
case $mutant in '' | no_file_sync | no_folder_sync) ;; *) refuse "no mutant is called $mutant" 2 ;; esac
[ "$(id -u)" -eq 0 ] || refuse "only root can mount images"
losetup -f >/dev/null 2>&1 || refuse "no loop device is free here"
need_build_tools
need e2fsprogs mkfs.ext4
need xfsprogs mkfs.xfs
install_missing

work=$(mktemp -d "${TMPDIR:-/tmp}/condense-power.XXXXXX")
mount=$work/mount image=$work/image writer=$work/writer pid=
clean_up() {
    [ -z "$pid" ] || kill -KILL "$pid" 2>/dev/null || :
    ! mountpoint -q "$mount" || umount "$mount" 2>/dev/null || umount -l "$mount"
    rm -rf --one-file-system "$work"
}
trap clean_up EXIT
trap 'exit 2' HUP INT TERM
mkdir "$mount"
cp -R include "$work/include"

# without TYPE   a library whose sync leaves out what is_TYPE is true of
without() {
    sed -i "s/^inline int sync(descriptor const& file) noexcept {\$/&\n    if ($1(about(file).st_mode)) return 0;/" \
        "$work/include/condense/detail/posix_file.hpp"
}
case $mutant in
    no_file_sync)
        without S_ISREG
        sed -i 's/PRAGMA synchronous = FULL/PRAGMA synchronous = OFF/' "$work/include/condense/store/sqlite_database.hpp"
        ;;
    no_folder_sync) without S_ISDIR ;;
esac
[ -z "$mutant" ] || ! diff -rq include "$work/include" >/dev/null || refuse "$mutant changes nothing" 2
"${CXX:-c++}" -std=c++20 -O1 -I "$work/include" tests/power_loss/writer.cpp -o "$writer" -lsqlite3

# At a random moment, and with no call under way: one that had begun would end as if the power had come back.
cut_power() {
    sleep "$(od -An -N2 -tu2 /dev/urandom | awk '{ print 0.02 + $1 / 65536 * 0.3 }')"
    kill -STOP "$pid"
    while ! grep -q '^State:.[TZ]' "/proc/$pid/status"; do sleep 0.01; done
    "$writer" down "$mount"
    kill -CONT "$pid"
    wait "$pid" || :
    pid=
}

# try FILE_SYSTEM BACK_END   prints a row
try() {
    truncate -s 0 "$image" && truncate -s 512M "$image"
    case $1 in ext4) mkfs.ext4 -q -F "$image" ;; xfs) mkfs.xfs -q -f "$image" ;; esac
    mount -o loop "$image" "$mount"
    cut=0 age=0 acknowledged=0 lost=0 wrong=0
    while [ "$cut" -lt "$cuts" ]; do
        if [ "$age" -eq 0 ]; then
            rm -rf "$mount/data" && sync -f "$mount"
            : >"$work/numbers"
            before=0 next=0
        fi
        "$writer" write "$2" "$mount/data" "$next" >>"$work/numbers" 2>/dev/null &
        pid=$!
        cut_power
        umount "$mount"
        mount -o loop "$image" "$mount"
        "$writer" check "$2" "$mount/data" <"$work/numbers" >"$work/verdict"
        read -r all lost_here wrong_here next <"$work/verdict"
        cut=$((cut + 1)) acknowledged=$((acknowledged + all - before)) before=$all
        lost=$((lost + lost_here)) wrong=$((wrong + wrong_here))
        # What follows goes on with what is there, unless something is lost, which would be lost again.
        age=$(((age + 1) % 10))
        if [ $((lost_here + wrong_here)) -gt 0 ]; then
            [ -z "$mutant" ] || break
            age=0
        fi
    done
    umount "$mount"
    printf '%-6s %-16s %6d %13d %6d %6d\n' "$1" "$2" "$cut" "$acknowledged" "$lost" "$wrong"
    if [ $((lost + wrong)) -gt 0 ]; then losers=$((losers + 1)); else savers=$((savers + 1)); fi
}

if [ "$mutant" = no_folder_sync ]; then all_back_ends=artifact_folder
else all_back_ends="artifact_folder journal_folder sqlite_store sqlite_journal"; fi
losers=0 savers=0
printf '%-6s %-16s %6s %13s %6s %6s\n' "" "${mutant:-back end}" cuts acknowledged lost wrong
for back_end in ${BACK_ENDS:-$all_back_ends}; do
    for file_system in ${FILE_SYSTEMS:-ext4 xfs}; do
        try "$file_system" "$back_end"
    done
done
if [ -n "$mutant" ]; then [ "$savers" -eq 0 ]; else [ "$losers" -eq 0 ]; fi
