#!/bin/sh
# SPDX-License-Identifier: BSL-1.0
# Builds reduce_file and reduces the bundled conversation to a window of 8,000 tokens; prints the report.
# Installs missing packages on Debian and Ubuntu, as root or with sudo.
set -eu
cd "$(dirname "$0")/.."
. .ci/packages.sh

need_build_tools
install_missing

session=$PWD/examples/data/session.json
folder=$PWD/build/examples
cmake --preset release -B "$folder" -DCONDENSE_TESTS=OFF >/dev/null
cmake --build "$folder" --target reduce_file --parallel "$(nproc)"

cd "$folder"
echo
echo "reduce_file examples/data/session.json --window 8000"
"$folder/examples/reduce_file" "$session" --window 8000 --report table >session.reduced.json
echo "the reduced conversation: build/examples/session.reduced.json"
