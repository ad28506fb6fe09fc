#!/bin/sh
# SPDX-License-Identifier: BSL-1.0
# Breaks the library on purpose, one defect at a time, and demands that the tests notice.
#
#   run.sh [--check] [--jobs N] [NAME...]
#
# A mutant is a patch beside this script: one sentence that says what it breaks, a line "Tests: FILE...",
# and the change to include/. Each file named must notice: its program, built against the broken headers,
# turns red or runs into the time limit, or an assertion of the file fails at compile time. Any other
# error of the compiler is one of the mutant, not a kill. The same files must be green without it.
#
# --check only looks whether every patch still applies. --jobs N tries N at once; the order of lines is theirs. Exit status: 0 when all were killed, 1 when one
# survived, 2 when a mutant or a test is no good.
# CXX, CXXFLAGS and LDLIBS (-lsqlite3) are honoured, as are CONDENSE_ROUNDS and CONDENSE_TIMEOUT (seconds for one program).

set -u
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
jobs=1
check=no

complain() { printf 'run.sh: %s\n' "$1" >&2; exit 2; }

while [ $# -gt 0 ]; do
    case $1 in
        --check) check=yes ;;
        --jobs) shift; jobs=${1:-} ;;
        --jobs=*) jobs=${1#--jobs=} ;;
        -j) shift; jobs=${1:-} ;;
        -j*) jobs=${1#-j} ;;
        --) shift; break ;;
        -*) complain "unknown option $1" ;;
        *) break ;;
    esac
    shift
done
case $jobs in '' | *[!0-9]* | 0) complain "--jobs takes a number above 0" ;; esac

names=
if [ $# -eq 0 ]; then
    for patch in "$here"/*.patch; do
        [ -f "$patch" ] || complain "no mutants in $here"
        names="$names $(basename "$patch" .patch)"
    done
else
    for name in "$@"; do
        name=$(basename "$name" .patch)
        [ -f "$here/$name.patch" ] || complain "no mutant is called $name"
        names="$names $name"
    done
fi

work=$(mktemp -d "${TMPDIR:-/tmp}/condense-mutants.XXXXXX") || complain "no temporary folder"
workers=
trap 'rm -rf "$work"' EXIT
trap 'kill $workers 2>/dev/null; exit 2' HUP INT TERM
mkdir "$work/said" && : >"$work/red"

# In a folder of its own, with the same relative names everywhere, so that a compiler cache knows a
# compilation again.
copy() {  # copy FOLDER
    mkdir "$1" && cp -R "$root/include" "$1/include" && ln -s "$root/tests" "$1/tests"
}

first_words() { sed -n '/^--- /q; /^Tests: /q; /./p' "$here/$1.patch"; }
tests_of() { sed -n '/^--- /q; s/^Tests: //p' "$here/$1.patch"; }

# Prints what is wrong with a mutant, applies it in FOLDER.
break_in() {  # break_in FOLDER NAME
    [ -n "$(first_words "$2")" ] || { printf 'says not what it breaks'; return 1; }
    [ -n "$(tests_of "$2")" ] || { printf 'names no test'; return 1; }
    for file in $(tests_of "$2"); do
        [ -f "$root/$file" ] || { printf 'names %s, which is not there' "$file"; return 1; }
    done
    if grep '^+++ ' "$here/$2.patch" | grep -qv '^+++ b/include/condense/'; then
        printf 'changes something other than include/'
        return 1
    fi
    (cd "$1" && patch -p1 -F0 -N -s -r - --no-backup-if-mismatch <"$here/$2.patch" >/dev/null 2>&1) ||
        { printf 'does not apply'; return 1; }
    ! diff -rq "$root/include" "$1/include" >/dev/null || { printf 'changes nothing'; return 1; }
}

if [ "$check" = yes ]; then
    bad=0
    count=0
    for name in $names; do
        count=$((count + 1))
        copy "$work/check" || complain "no copy of include/"
        why=$(break_in "$work/check" "$name") || { bad=$((bad + 1)); printf '%s: %s\n' "$name" "$why"; }
        rm -rf "$work/check"
    done
    printf '%d mutants, %d of them no good\n' "$count" "$bad"
    [ "$bad" -eq 0 ] || exit 2
    exit 0
fi

compiler=${CXX:-c++}
if command -v ccache >/dev/null 2>&1; then
    case $compiler in *ccache*) ;; *) compiler="ccache $compiler" ;; esac
fi
flags="-std=c++20 -O0 -D_GLIBCXX_ASSERTIONS -w -pipe -I include -I tests ${CXXFLAGS:-}"
CONDENSE_ROUNDS=${CONDENSE_ROUNDS:-300}
limit=${CONDENSE_TIMEOUT:-60}
CONDENSE_EFFORT=${CONDENSE_EFFORT:-20}
export CONDENSE_ROUNDS CONDENSE_EFFORT

catch_libraries=
if printf '#include <catch2/catch_all.hpp>\n' | $compiler $flags -E -x c++ - >/dev/null 2>&1; then
    catch_libraries="-lCatch2Main -lCatch2"
fi

# Builds a test file in FOLDER and runs it. Prints how it ended and returns 0 when it is green, 1 when it
# noticed, 2 when it could not be built.
judge() {  # judge FOLDER FILE
    cd "$1" || return 2
    if ! timeout 300 $compiler $flags -c "$2" -o test.o 2>errors; then
        grep -E '(^|[ :])(fatal )?error:' errors >found
        if [ -s found ] && ! grep -vE '^tests/.*error: (static assertion failed|static_assert failed|non-constant condition for static assertion|static assertion expression is not an integral constant expression)' found >/dev/null; then
            printf 'the assertion at %s, at compile time' "$(sed -n '1s/^tests\/\([^:]*:[0-9]*\).*/\1/p' found)"
            return 1
        fi
        printf 'it does not compile: %s' "$(head -n 1 found)"
        return 2
    fi
    needed=../main.o
    case $2 in tests/faults/*) [ "$2" = tests/faults/allocations.test.cpp ] || needed="$needed ../allocations.o" ;; esac
    if ! $compiler test.o $needed $catch_libraries -o test -pthread ${LDLIBS:--lsqlite3} 2>errors; then
        printf 'it does not link: %s' "$(head -n 1 errors)"
        return 2
    fi
    mkdir -p scratch
    # The outer redirection is for what the shell says of a crash.
    { (cd scratch && timeout "$limit" ../test --abort >../output 2>&1); status=$?; } 2>/dev/null
    [ "$status" -ne 0 ] || return 0
    if [ "$status" -eq 124 ]; then
        printf 'a hang in %s' "${2#tests/}"
        return 1
    fi
    # The name of a test stands between the first two lines of dashes.
    name=$(awk '/^-----/ { if (seen++) exit; next } seen' output | head -n 1)
    place=$(sed -n 's/^tests\/\([^ ]*:[0-9]*\): FAILED:.*/\1/p' output | head -n 1)
    if [ -z "$name$place" ]; then printf 'a crash of %s, status %d' "${2#tests/}" "$status"
    else printf '%s "%s"' "${place:-${2#tests/}}" "$name"; fi
    return 1
}

# Without a defect every test is green, else its turning red says nothing.
mkdir "$work/sound" && ln -s "$root/include" "$work/sound/include" && ln -s "$root/tests" "$work/sound/tests" || complain "no room to work in"
started=$(date +%s)
(cd "$work/sound" && timeout 300 $compiler $flags -c tests/support/main.cpp -o ../main.o &&
    timeout 300 $compiler $flags -c tests/faults/allocations.test.cpp -o ../allocations.o) || complain "the support of the tests does not compile"
files=$(for name in $names; do tests_of "$name"; done | tr ' ' '\n' | sort -u)
for file in $files; do
    [ -f "$root/$file" ] || continue
    said=$(judge "$work/sound" "$file") || { printf '%s\n' "$file" >>"$work/red"; printf '%s is red without any mutant: %s\n' "${file#tests/}" "$said"; }
done
rm -rf "$work/sound"

# Prints one line for a mutant and leaves its verdict in said/.
try() {  # try NAME
    copy "$work/$1" || return
    verdict=killed
    line=
    if why=$(break_in "$work/$1" "$1"); then
        for file in $(tests_of "$1"); do
            if grep -qxF "$file" "$work/red"; then
                verdict=ERROR
                line="${file#tests/} is red without any mutant"
                break
            fi
            said=$(judge "$work/$1" "$file")
            case $? in
                0) verdict=SURVIVED; line="${file#tests/} did not notice: $(first_words "$1")"; break ;;
                1) line="${line:+$line, }$said" ;;
                *) verdict=ERROR; line="${file#tests/}: $said"; break ;;
            esac
        done
    else
        verdict=ERROR
        line=$why
    fi
    rm -rf "$work/$1"
    printf '%s\n' "$verdict" >"$work/said/$1"
    case $verdict in
        killed) printf '%-36s killed by %s\n' "$1" "$line" ;;
        *) printf '%-36s %s: %s\n' "$1" "$verdict" "$line" ;;
    esac
}

worker=0
while [ "$worker" -lt "$jobs" ]; do
    (
        at=0
        for name in $names; do
            [ $((at % jobs)) -ne "$worker" ] || try "$name"
            at=$((at + 1))
        done
    ) &
    workers="$workers $!"
    worker=$((worker + 1))
done
wait

verdicts=$(cat "$work/said"/* 2>/dev/null)
how_many() { printf '%s\n' "$verdicts" | grep -c "^$1\$"; }
total=$(printf '%s\n' $names | wc -l)
killed=$(how_many killed)
survived=$(how_many SURVIVED)
printf '%d mutants: %d killed, %d survived, %d in error; %d seconds\n' "$total" "$killed" "$survived" \
    $((total - killed - survived)) $(($(date +%s) - started))
[ $((killed + survived)) -eq "$total" ] || exit 2
[ "$survived" -eq 0 ]
