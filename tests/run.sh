#!/bin/sh
# SPDX-License-Identifier: BSL-1.0
# tests/run.sh [--changed | --full | --long] [PRESET...]   configures, builds and tests; README.md here says what each checks.
#   (nothing)  what a change needs to pass: clang with sanitizers, few random rounds; 9 minutes on two cores
#   --changed  while one works: of that only the tests of files with changes that are not committed, and one law
#   --full     the rest: programs, examples, packaging and platforms with clang, then more rounds of nearly everything with g++
#   --long     everything with both compilers and many more rounds; hours
# PRESET... (asan, gcc, clang, release) tests all of those presets alone, at the effort of the run.
# Installs missing packages on Debian and Ubuntu, as root or with sudo. Stops at the first preset that fails, so that the
# output ends with CTest's own summary of the run that decided.
set -eu
cd "$(dirname "$0")/.."
. .ci/packages.sh

preferred_clang=19
oldest_clang=17

# versions LIST   the preferred clang, then the others of LIST that are new enough, newest first
versions() {
    echo "$preferred_clang"
    printf '%s\n' "$1" | sort -rnu | awk -v oldest="$oldest_clang" '$1 >= oldest'
}

# Sets clang to the first clang++ here that links with its sanitizers. CLANG=VERSION allows only that one.
find_clang() {
    clang=
    trial=$(mktemp -d)
    echo 'int main() {}' >"$trial/trial.cpp"
    for version in ${CLANG:-$(versions "$(ls /usr/bin | sed -n 's/^clang++-\([0-9][0-9]*\)$/\1/p')")}; do
        if "clang++-$version" -fsanitize=address,undefined "$trial/trial.cpp" -o "$trial/trial" >/dev/null 2>&1; then
            clang=clang++-$version
            break
        fi
    done
    rm -r "$trial"
    [ -n "$clang" ]
}

install_clang() {
    update_packages || return 1
    for version in ${CLANG:-$(versions "$(apt-cache pkgnames clang- | sed -n 's/^clang-\([0-9][0-9]*\)$/\1/p')")}; do
        if apt-cache show "clang-$version" >/dev/null 2>&1 && install "clang-$version" "libclang-rt-$version-dev"; then
            return 0
        fi
    done
    return 1
}

find_formatter() {
    command -v "clang-format-$preferred_clang" >/dev/null 2>&1 ||
        { update_packages && apt-cache show "clang-format-$preferred_clang" >/dev/null 2>&1 && install "clang-format-$preferred_clang"; }
}

needs_clang() { [ "$1" = asan ] || [ "$1" = clang ]; }

# With the vocabularies real.test.cpp compares with tiktoken; without them the rest is tested all the same.
get_vocabularies() {
    vocabularies=$PWD/build/vocabularies
    transcripts=../shared/data/transcripts
    [ -d "$transcripts" ] || transcripts=
    try_venv
    sh tests/estimate/bpe/install.sh "$vocabularies" ${transcripts:+"$transcripts"} || :
    [ ! -f "$vocabularies/o200k_base.tiktoken" ] || export CONDENSE_VOCABULARIES="$vocabularies"
}

# say_what_is_missing   a line for each thing that some test wants and is not here
say_what_is_missing() {
    lacks() { echo "condense: no $1: $2"; }
    [ -w /dev/shm ] || lacks /dev/shm "files of tests are written to ${TMPDIR:-/tmp}, which is slower"
    [ -c /dev/ptmx ] || lacks "pseudo-terminal" "skipped: the part of examples.chat_scripted that types at a terminal"
    command -v "clang-format-$preferred_clang" >/dev/null 2>&1 || lacks "clang-format-$preferred_clang" "skipped: format"
    command -v ccache >/dev/null 2>&1 || lacks ccache "nothing is taken from earlier builds"
    [ -d ../shared/data/transcripts ] || lacks "recorded conversations" "skipped: tests on them (CONDENSE_TRANSCRIPTS_FOLDER)"
    [ -n "${CONDENSE_VOCABULARIES:-}" ] || lacks vocabularies "skipped: estimate.bpe.real, which compares with tiktoken"
}

# run_preset PRESET TARGETS EFFORT CTEST_OPTION...   where TARGETS is empty, what the preset names is built
run_preset() {
    preset=$1 targets=$2 effort=$3
    shift 3
    echo "condense: preset $preset${targets:+, $targets}, effort $effort %"
    if needs_clang "$preset"; then
        cmake --preset "$preset" "-DCMAKE_CXX_COMPILER=$clang"
    else
        cmake --preset "$preset" "-DCONDENSE_SAMPLE=${sample:-OFF}"
    fi
    # shellcheck disable=SC2086
    cmake --build --preset "$preset" --parallel "$jobs" ${targets:+--target $targets}
    # CTest's summary comes last, behind the names of what tests themselves say they skip.
    summary=build/$preset/summary.txt
    : >"$summary" && rm -f "$summary.status"
    { CONDENSE_EFFORT=$effort ctest --preset "$preset" --parallel "$jobs" "$@" || echo failed >>"$summary.status"; } 2>&1 |
        while IFS= read -r line; do
            case $line in *"% tests passed, "*) exec >"$summary" ;; esac
            printf '%s\n' "$line"
        done
    sed -n 's/.*\(skipped: .*\)/condense: \1/p' "build/$preset/Testing/Temporary/LastTest.log" | sort -u
    cat "$summary"
    if [ -f "$summary.status" ]; then
        rm "$summary.status"
        return 1
    fi
}

# run_changed   the test files that are changed, those named after changed headers (all of the folder where there is none of the
# name), and a law of whole conversations; each built alone
run_changed() {
    changed=$({ git diff --name-only HEAD && git ls-files --others --exclude-standard; } |
        sed -n '\|^tests/threads/|d; s|^include/condense/\(.*\)[.]hpp$|\1|p; s|^tests/\(.*\)[.]test[.]cpp$|\1|p')
    tests=$(for one in laws/conversation $changed; do
        [ -f "tests/$one.test.cpp" ] && echo "$one" || (cd tests && ls "${one%/*}"/*.test.cpp 2>/dev/null | sed 's|[.]test[.]cpp$||')
    done | tr / . | sort -u)
    echo "condense: only:" $tests
    cmake --preset "$preset" "-DCMAKE_CXX_COMPILER=$clang" >/dev/null
    # shellcheck disable=SC2086
    cmake --build --preset "$preset" --parallel "$jobs" --target $tests
    python3 -B tests/layout/check_layout.py
    for test in $tests; do "build/$preset/tests/$test" --warn NoAssertions; done
}

run=quick
case ${1:-} in
    --changed) run=changed && shift ;;
    --full) run=full && shift ;;
    --long) run=long && shift ;;
    -*) sed -n 's/^# \{0,1\}//; 2,10p' "$0" | sed 1d >&2; exit 2 ;;
esac

need_build_tools
need ccache ccache
need git git
need python3 python3
need catch2
need redis-server redis-server
need openssl openssl
case $run in full | long) need libedit-dev && need pkg-config pkg-config && need doxygen doxygen ;; esac
install_missing
find_formatter || :
[ $run = quick ] || [ $run = changed ] || [ -n "${CONDENSE_VOCABULARIES:-}" ] || get_vocabularies

if [ $# -gt 0 ]; then
    presets=$*
elif [ $run = quick ] || [ $run = changed ]; then
    presets=asan
else
    presets="asan gcc"
fi
clang=
for preset in $presets; do
    needs_clang "$preset" || continue
    if find_clang || { install_clang && find_clang; }; then
        [ "$clang" = "clang++-$preferred_clang" ] || echo "condense: no clang++-$preferred_clang here: using $clang"
        break
    fi
    echo "condense: !!! no clang of version $oldest_clang or newer can be had: nothing is tested with sanitizers !!!"
    [ $# -eq 0 ] || exit 1
    presets=gcc
    break
done
say_what_is_missing

jobs=$(nproc)
for preset in $presets; do
    case $run:$preset:$# in
        quick:*:0)
            echo "condense: not in this run: what tests/README.md lists under --full"
            run_preset "$preset" quick 3 --label-exclude full
            ;;
        changed:*) run_changed ;;
        full:asan:0) run_preset asan all 5 --label-regex full ;;
        long:asan:*) run_preset asan all 100 ;;
        long:*) run_preset "$preset" "" 1000 ;;
        full:gcc:0) sample=${clang:+ON} run_preset gcc "" 20 ;;
        *) run_preset "$preset" "" "$([ $run = full ] && echo 20 || echo 3)" ;;
    esac
done
# Two core-hours of fuzzing, with what the presets have not found.
if [ "$run" = long ] && [ $# -eq 0 ]; then
    CLANG="${clang##*-}" sh tests/fuzz.sh 7200
fi
