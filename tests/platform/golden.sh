#!/bin/sh
# SPDX-License-Identifier: BSL-1.0
# golden.sh own FOLDER COMPILER COMMAND...   builds golden.cpp with COMMAND at -O3, from a CONDENSE_EFFORT of 1000 on at
#                                            -O0 as well, runs each in several locales, and compares with golden.txt
# golden.sh other ...                        the same at -O2 with another compiler in COMPILER's place: clang for g++, g++ for clang
# golden.sh libc++ ...                       the same with clang and the other standard library
#
# With CONDENSE_RENEW=1 the first build writes golden.txt, and all others are compared with it:
#   CONDENSE_RENEW=1 ctest --preset gcc -R platform.golden.own && ctest --preset gcc -R platform.golden
# `golden each` prints the figure after each conversation: compare two builds to see where they part.
set -eu

which=$1 folder=$2 preset=$3
shift 3
here=$(dirname "$0")
expected=$here/golden.txt

# Prints the newest clang++ there is.
find_clang() {
    for name in clang++-19 $(ls /usr/bin | sed -n 's/^clang++-\([0-9][0-9]*\)$/\1/p' | sort -rn | sed 's/^/clang++-/') clang++; do
        if command -v "$name" >/dev/null 2>&1; then
            echo "$name"
            return 0
        fi
    done
    return 1
}

skip() {
    echo "condense: !!! skipped: $1: nothing is compared with golden.txt here !!!"
    exit 77
}

library=
levels=-O3
[ "${CONDENSE_EFFORT:-3}" -lt 1000 ] || levels="-O0 -O3"
compiler=$preset
case $which in
own) ;;
other)
    if "$preset" --version | grep -q clang; then compiler=g++; else compiler=$(find_clang) || skip "no clang++"; fi
    command -v "$compiler" >/dev/null 2>&1 || skip "no $compiler"
    levels=-O2
    ;;
libc++)
    compiler=$(find_clang) || skip "no clang++"
    library=-stdlib=libc++
    levels=-O1
    ;;
*)
    echo "condense: golden.sh knows own, other and libc++, not $which"
    exit 1
    ;;
esac
for word in "$@"; do
    shift
    [ "$word" != "$preset" ] || word=$compiler
    set -- "$@" "$word"
done

mkdir -p "$folder"
if [ -n "$library" ]; then
    echo '#include <vector>
int main() {}' >"$folder/trial.cpp"
    "$@" $library "$folder/trial.cpp" -o "$folder/trial" >/dev/null 2>&1 || skip "no libc++"
fi

# compare WHAT RUN...   what the program prints must be the figure that is expected
compare() {
    what=$1
    shift
    found=$("$@") || true
    [ "$found" = "$(cat "$expected")" ] && return 0
    echo "condense: $what gives $found, golden.txt holds $(cat "$expected")"
    failed=yes
}

failed=
locale=$(locale -a 2>/dev/null | grep -vx -e C -e POSIX | sort | tail -n 1) || locale=
for level in $levels; do
    # At the highest level bytes are unsigned, as they are on some machines.
    [ "$level" = -O3 ] && bytes=-funsigned-char || bytes=-fsigned-char
    program=$folder/golden$level
    "$@" $library "$level" $bytes "$here/golden.cpp" -c -o "$program.o"
    "$@" $library "$program.o" -o "$program"
    if [ -n "${CONDENSE_RENEW:-}" ] && [ "$which$level" = own-O3 ]; then
        "$program" >"$expected"
        echo "condense: golden.txt is now $(cat "$expected")"
    fi
    compare "$compiler $level" env LC_ALL=C "$program"
    [ "$level" != -O0 ] || continue  # slow, and nothing of a locale depends on the level
    compare "$compiler $level with commas and dots" "$program" comma
    if [ -n "$locale" ]; then compare "$compiler $level in $locale" "$program" in "$locale"; fi
done
[ -z "$failed" ]
