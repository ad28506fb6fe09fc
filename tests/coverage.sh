#!/bin/sh
# SPDX-License-Identifier: BSL-1.0
# tests/coverage.sh [FOLDER...]   builds and runs the tests of these folders, or all, with clang's coverage; then prints how
# much of include/ they run, and what they do not: coverage.py says how it is counted. Ends with 1 below 98 % of the lines.
# Few random rounds, unless CONDENSE_EFFORT says how many per cent. Installs what is missing on Debian and Ubuntu, as root
# or with sudo.
set -eu
cd "$(dirname "$0")/.."
. .ci/packages.sh

need_build_tools
need clang-19 clang++-19
need libclang-rt-19-dev
need llvm-19 llvm-cov-19
need catch2
need python3 python3
install_missing

out=$PWD/build/coverage
rm -rf "$out/raw"
cmake --preset asan -B "$out" "-DCMAKE_CXX_FLAGS=-O0 -fprofile-instr-generate -fcoverage-mapping" \
    -DCONDENSE_EXAMPLES=OFF -DCONDENSE_BENCHMARKS=OFF >/dev/null
# shellcheck disable=SC2046
cmake --build "$out" --parallel "$(nproc)" $([ $# -eq 0 ] || { echo --target && printf '%s_tests ' "$@"; })
# Programs that are killed write no profile; one that fails still counts for what it ran.
LLVM_PROFILE_FILE="$out/raw/%4m.profraw" CONDENSE_EFFORT=${CONDENSE_EFFORT:-3} \
    ctest --test-dir "$out" --parallel "$(nproc)" --tests-regex "^($(IFS='|' && echo "$*"))" >"$out/ctest.log" 2>&1 || tail -n 20 "$out/ctest.log"
exec python3 tests/coverage.py "$out"
