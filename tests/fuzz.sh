#!/bin/sh
# SPDX-License-Identifier: BSL-1.0
# tests/fuzz.sh [SECONDS [TARGET...]]   builds the targets of tests/fuzz with libFuzzer and runs each for its share of
# SECONDS, 600 unless given; 0 builds and runs the seeds alone. Then a table: executions, coverage, findings.
# Programs, inputs that reach further, and findings are kept in build/fuzz; exit status 1 where there are findings.
# A finding is tried again with `build/fuzz/TARGET build/fuzz/findings/TARGET/NAME`. CLANG=19 names the compiler.
set -eu
cd "$(dirname "$0")/.."
seconds=${1:-600}
[ $# -eq 0 ] || shift
[ $# -gt 0 ] || set -- $(ls tests/fuzz/*.fuzz.cpp | sed 's|.*/||; s|[.]fuzz[.]cpp$||')
compiler=clang++-${CLANG:-19}
command -v "$compiler" >/dev/null 2>&1 || { echo "fuzz: no $compiler: apt-get install clang-${CLANG:-19}" >&2; exit 2; }
flags="-std=c++20 -O1 -g1 -fno-omit-frame-pointer -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all"
folder=build/fuzz
mkdir -p "$folder"

# Of a log: the last figure behind a word.
last() { sed -n "s/.*$1 *\([0-9][0-9]*\).*/\1/p" "$2" | tail -n 1; }

status=0
share=$((seconds / $#))
table=$folder/table.txt
printf '%-10s %12s %8s %9s\n' target executions edges findings >"$table"
for target; do
    seeds=$folder/seeds/$target corpus=$folder/corpus/$target findings=$folder/findings/$target
    log=$folder/$target.log words=$folder/$target.words
    mkdir -p "$seeds" "$corpus" "$findings"
    echo "fuzz: building $target"
    # shellcheck disable=SC2086
    "$compiler" $flags -Iinclude -Itests -Iexamples "-DCONDENSE_SHAPES=\"$PWD/tests/shapes/data\"" \
        "tests/fuzz/$target.fuzz.cpp" tests/fuzz/libfuzzer.cpp -o "$folder/$target" -lxxhash -lsqlite3 -lcurl -lpthread
    CONDENSE_SEEDS=$seeds CONDENSE_WORDS=$words "$folder/$target" >/dev/null 2>&1
    echo "fuzz: running $target for $share seconds"
    limit="-max_total_time=$share"
    [ "$share" -gt 0 ] || limit="-runs=0"
    dictionary=
    [ ! -s "$words" ] || dictionary=-dict=$words
    # shellcheck disable=SC2086
    "$folder/$target" "$limit" -timeout=25 -rss_limit_mb=4096 -print_final_stats=1 $dictionary \
        "-artifact_prefix=$findings/" "$corpus" "$seeds" >"$log" 2>&1 || status=1
    found=$(ls "$findings" | wc -l)
    [ "$found" -eq 0 ] || status=1
    printf '%-10s %12s %8s %9s\n' "$target" "$(last 'number_of_executed_units:' "$log")" "$(last 'cov:' "$log")" \
        "$found" >>"$table"
done
cat "$table"
[ "$status" -eq 0 ] || echo "fuzz: findings are in $folder/findings, what was said in $folder/TARGET.log" >&2
exit "$status"
