#!/bin/sh
# SPDX-License-Identifier: BSL-1.0
# Builds reduce_file and count_tokens, reduces the bundled conversation to a window of 8,000 tokens, prints the report,
# and the tokens that each model family would see before and after.
# Installs missing packages on Debian and Ubuntu, as root or with sudo.
set -eu
cd "$(dirname "$0")/.."
. .ci/packages.sh

need_build_tools
install_missing

session=$PWD/examples/data/session.json
folder=$PWD/build/examples
cmake --preset release -B "$folder" -DCONDENSE_TESTS=OFF >/dev/null
cmake --build "$folder" --target reduce_file count_tokens --parallel "$(nproc)"

cd "$folder"
echo
echo "reduce_file examples/data/session.json --window 8000"
"$folder/examples/reduce_file" "$session" --window 8000 --report table >session.reduced.json
echo "the reduced conversation: build/examples/session.reduced.json"

echo
echo "count_tokens --estimate FAMILY examples/data/session.json session.reduced.json"
for family in claude claude_4_7 gpt gemini; do
    "$folder/examples/count_tokens" --estimate "$family" "$session" session.reduced.json | paste -s -d ' ' - | sed "s/^/$family: /"
done
