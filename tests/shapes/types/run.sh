#!/bin/sh
# SPDX-License-Identifier: BSL-1.0
# run.sh REDUCE_FILE CLIENTS   reduces every sixteenth window and has the clients' own types read the outputs. The pinned
# clients are installed into CLIENTS, which needs a network the first time; without one: 77.
set -eu
types=$(cd "$(dirname "$0")" && pwd)
[ $# -eq 2 ] || { echo "usage: run.sh REDUCE_FILE CLIENTS" >&2; exit 2; }
outputs=$(mktemp -d)
trap 'rm -rf "$outputs"' EXIT
python3 "$types/../run_windows.py" --program "$1" --sample 16 --keep "$outputs"
mkdir -p "$2"
python3 "$types/check_pydantic.py" "$outputs" "$2"
sh "$types/check_tsc.sh" "$outputs" "$2"
