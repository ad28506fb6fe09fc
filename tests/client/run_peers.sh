#!/bin/sh
# SPDX-License-Identifier: BSL-1.0
# run_peers.sh PEERS CLIENTS   runs peers_test.py with the pinned packages of tests/shapes/generate, which are installed into
# CLIENTS. That needs a network the first time; without one: 77.
set -eu
tests=$(cd "$(dirname "$0")/.." && pwd)
[ $# -eq 2 ] || { echo "usage: run_peers.sh PEERS CLIENTS" >&2; exit 2; }
here=$tests/shapes/generate
. "$here/install.sh"
install_clients "$2" || exit 77
cp "$tests/client/peers.mjs" "$2"
python3 "$tests/client/peers_test.py" --program "$1" --clients "$2"
