#!/bin/sh
# SPDX-License-Identifier: BSL-1.0
# tests/static.sh [FILE...]   runs clang-tidy 19 and clang's analyzer, by the profile .clang-tidy, over every header at once and
# over the examples, which instantiate them; or over FILEs alone. Prints what they find and ends with 1 if that is anything.
# Takes half an hour on two cores. Installs clang-tidy-19 on Debian and Ubuntu, as root or with sudo.
set -eu
cd "$(dirname "$0")/.."
. .ci/packages.sh

need_build_tools
need clang-19 clang-19
need clang-tidy-19 clang-tidy-19
install_missing

out=$PWD/build/static
cmake --preset clang -B "$out" -DCONDENSE_EXAMPLES=ON -DCONDENSE_BENCHMARKS=OFF >/dev/null
[ $# -gt 0 ] || set -- "$out/tests/platform/headers_together.cpp" examples/*.cpp

# The analyzer looks at functions of headers by themselves, too, where all headers are read; from the examples it enters
# those that they call.
headers="-Xclang -analyzer-opt-analyze-headers"

# A fault that has to be found, so that a run without findings says something.
mkdir -p "$out/include/condense"
cat >"$out/include/condense/planted.hpp" <<'END'
inline int planted(int* value) { return value == nullptr ? *value : 0; }
END
echo '#include <condense/planted.hpp>' >"$out/planted.cpp"
# shellcheck disable=SC2086
! clang-tidy-19 --quiet --config-file=.clang-tidy "$out/planted.cpp" -- -std=c++20 $headers "-I$out/include" >/dev/null 2>&1 ||
    { echo "static.sh: a planted fault is not found" >&2; exit 2; }

status=0
printf '%s\n' "$@" | xargs -P "$(nproc)" -I '{}' sh -c '
    log=$2/$(basename "$1").txt
    case $1 in *headers_together.cpp) headers=$3 ;; *) headers= ;; esac
    clang-tidy-19 --quiet --config-file=.clang-tidy "$1" -- -std=c++20 $headers -DXXH_INLINE_ALL \
        "-DCONDENSE_EXAMPLE_DATA=\"examples/data\"" -Iinclude -Itests "-I$2/tests/platform" >"$log" 2>/dev/null ||
        { echo "== $1"; cat "$log"; exit 1; }' sh '{}' "$out" "$headers" || status=1
[ $status -ne 0 ] || echo "condense: $# files, no findings"
exit $status
