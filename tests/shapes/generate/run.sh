#!/bin/sh
# SPDX-License-Identifier: BSL-1.0
# run.sh FOLDER   installs the pinned clients into FOLDER and writes ../data anew; 77 where they cannot be installed.
# A second run in the same FOLDER needs no network.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
[ $# -eq 1 ] || { echo "usage: run.sh FOLDER" >&2; exit 2; }
. "$here/install.sh"
install_clients "$1" || exit 77
cp "$here"/*.mjs "$1/"
rm -rf "$here/../data"
(cd "$1" && node --no-warnings main.mjs "$here/../data")
"$1/python/bin/python" "$here/clients.py" "$here/../data"
find "$here/../data" -name '*.json' | wc -l
