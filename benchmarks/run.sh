#!/bin/sh
# SPDX-License-Identifier: BSL-1.0
# Runs all benchmarks that have a figure to give and writes one report as build/benchmarks/report.{html,json,md}: what
# pipelines cost beside the same written by hand, how sessions grow, what including costs the compiler, how mixes of layers
# do on the bundled conversations, and how fast tokens are counted; with RIVALS=1 beside other tokenizers, and what other
# libraries send of the conversations in CONDENSE_TRANSCRIPTS_FOLDER, which it installs (30 minutes more). Takes some
# minutes. Installs missing packages on Debian and Ubuntu, as root or with sudo.
set -eu
cd "$(dirname "$0")/.."
. .ci/packages.sh

need_build_tools
need python3 python3
need valgrind valgrind
need catch2
install_missing
try_venv

folder=$PWD/build/benchmarks
report=$folder/report.md
if [ "${RIVALS:-}" = 1 ]; then examples=ON; else examples=OFF; fi
cmake --preset release -B "$folder" -DCONDENSE_TESTS=OFF -DCONDENSE_EXAMPLES=$examples -DCONDENSE_BENCHMARKS=ON >/dev/null
cmake --build "$folder" --parallel "$(nproc)" --target bench_run_whole_session bench_run_window bench_run_compress bench_run_offload_window \
    bench_run_cascade bench_run_folding bench_run_check bench_run_times bench_run_growth bench_run_stores \
    replay bench_tokens_counting
[ $examples = OFF ] || cmake --build "$folder" --target reduce_file
programs=$(dirname "$(find "$folder" -name bench_run_window -type f | head -n 1)")

{
    echo "# What condense costs"
    echo
    echo "## Beside the same written by hand"
    echo
    python3 benchmarks/run/overhead.py "$programs"
    echo
    echo "In time:"
    echo
    python3 benchmarks/run/overhead.py --times "$programs"
    echo
    echo "## How it grows with the conversation"
    echo
    "$programs/bench_run_growth"
    echo
    echo "## Stores and journals on this disk"
    echo
    "$programs/bench_run_stores" "$folder" 200000
    echo
    echo "## To compile"
    echo
    python3 benchmarks/compile/cost.py --table --rounds "${ROUNDS:-3}" "${CXX:-g++}" -std=c++20 -Iinclude
    echo
    echo "Instructions of the compiler, the same each time:"
    echo
    echo '```'
    python3 benchmarks/compile/cost.py --instructions "${CXX:-g++}" -std=c++20 -Iinclude
    echo '```'
    echo
    echo "## Mixes on the bundled conversations"
    echo
    echo '```'
    "$folder/benchmarks/mix/replay" --html "$folder/mixes.html" --json "$folder/mixes.json" examples/data
    echo '```'
    echo
    echo "## Counting tokens"
    echo
    if [ "${RIVALS:-}" = 1 ]; then how=; else how="--alone --megabytes 2"; fi
    # shellcheck disable=SC2086
    python3 benchmarks/tokens/rivals.py "$programs/bench_tokens_counting" "$folder/tokens" --rounds "${ROUNDS:-3}" $how ||
        echo "condense: !!! the speed of counting is not measured !!!"
    if [ "${RIVALS:-}" = 1 ]; then
        told=${CONDENSE_TRANSCRIPTS_FOLDER:-../shared/data/transcripts}
        [ -d "$told" ] || told=
        echo
        echo "## Beside other libraries"
        echo
        python3 benchmarks/peers/peers.py --program "$folder/examples/reduce_file" --into "$folder/peers" \
            ${told:+"$told"} examples/data || echo "condense: !!! other libraries are not measured !!!"
    fi
} >"$report.new"
mv "$report.new" "$report"
python3 benchmarks/report.py "$report" --mixes "$folder/mixes.json" --compiler "${CXX:-g++}"
echo
echo "the report: build/benchmarks/report.html, and of the mixes build/benchmarks/mixes.html"
