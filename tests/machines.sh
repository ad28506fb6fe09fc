#!/bin/sh
# SPDX-License-Identifier: BSL-1.0
# tests/machines.sh [MACHINE...]   builds and runs the tests of the core for other machines, under qemu-user, as root or with
# sudo: i686 (32 bits), s390x (big-endian), aarch64 (unsigned char); all of them where none is named. An hour or so each;
# FOLDERS="core laws" takes only those folders of tests. No part of continuous integration.
set -eu
cd "$(dirname "$0")/.."

# run_file MACHINE FILE   builds and runs one file of tests; prints and remembers what fails
run_file() {
    name=$(echo "$2" | sed 's|^tests/||; s|[.]test[.]cpp$||; s|/|.|g')
    program=$out/$name
    if { build "$2" "$out/main.o" -static -o "$program" && "$emulator" "$program"; } >"$program.log" 2>&1; then
        echo "$name" >>"$out/passed"
    else
        echo "$name" >>"$out/failed"
        echo "condense: $1: $name failed"
        tail -n 30 "$program.log"
    fi
    rm -f "$program"
}

# Without the libraries that would have to be there for that machine: headers alone are the same on all. Where files have
# offsets of 32 bits by default, folders of large file systems cannot be listed.
build() {
    "$machine-linux-gnu-g++" -std=c++20 -O1 -D_FILE_OFFSET_BITS=64 -idirafter /usr/include -DXXH_INLINE_ALL -Iinclude -Itests "$@"
}

use_machine() {
    machine=$1 out=build/machines/$1
    case $machine in i686) emulator=qemu-i386 ;; *) emulator=qemu-$machine ;; esac
}

if [ "${1:-}" = --file ]; then
    use_machine "$2"
    run_file "$2" "$3"
    exit 0
fi

. .ci/packages.sh
machines=${*:-i686 s390x aarch64}
folders=${FOLDERS:-core detail estimate policy shorten layer preset session laws plan}
need qemu-user
need libboost-dev
need nlohmann-json3-dev
need librange-v3-dev
need catch2
for machine in $machines; do need "g++-$machine-linux-gnu"; done
install_missing

status=0
for machine in $machines; do
    use_machine "$machine"
    rm -rf "$out" && mkdir -p "$out"
    : >"$out/passed" && : >"$out/failed"
    build -c tests/support/main.cpp -o "$out/main.o"
    for folder in $folders; do find "tests/$folder" -name '*.test.cpp' | sort; done |
        xargs -n 1 -P "$(nproc)" sh tests/machines.sh --file "$machine"
    echo "condense: $machine: $(wc -l <"$out/passed") files of tests passed, $(wc -l <"$out/failed") failed"
    [ ! -s "$out/failed" ] || status=1
done
exit $status
