#!/bin/sh
# SPDX-License-Identifier: BSL-1.0
# run.sh REDUCE_FILE CLIENTS   reduces every sixteenth window and has the clients' own types read the outputs: the models
# of the Python clients, and tsc each conversation as a literal of the type that its npm client takes. The pinned clients
# are installed into CLIENTS, which needs a network the first time; without one: 77.
set -eu
types=$(cd "$(dirname "$0")" && pwd)
here=$(cd "$types/../generate" && pwd)
[ $# -eq 2 ] || { echo "usage: run.sh REDUCE_FILE CLIENTS" >&2; exit 2; }
. "$here/install.sh"
install_clients "$2" || exit 77
clients=$(cd "$2" && pwd)
outputs=$(mktemp -d)
trap 'rm -rf "$outputs"' EXIT
python3 "$types/../run_windows.py" --program "$1" --sample 16 --keep "$outputs"
"$clients/python/bin/python" "$types/check_pydantic.py" "$outputs"
rm -rf "$clients/emitted" "$clients/planted"
python3 "$types/emit_ts.py" "$outputs" "$clients/emitted"
cat >"$clients/tsconfig.json" <<'EOF'
{ "compilerOptions": { "strict": true, "noEmit": true, "skipLibCheck": true, "target": "es2022", "module": "nodenext",
  "moduleResolution": "nodenext", "types": ["node"] }, "include": ["emitted/*.ts"] }
EOF
# Seen to fail first: a member that no type knows, planted in the first file.
mkdir "$clients/planted"
first=$(find "$clients/emitted" -name '*.ts' | sort | head -n 1)
sed '0,/"role":/s//"unknown_member": 1, "role":/' "$first" >"$clients/planted/body.ts"
sed 's/emitted/planted/' "$clients/tsconfig.json" >"$clients/tsconfig.planted.json"
if (cd "$clients" && node node_modules/typescript/bin/tsc -p tsconfig.planted.json >/dev/null 2>&1); then
    echo "tsc accepts a member that no type knows"
    exit 1
fi
cd "$clients"
node node_modules/typescript/bin/tsc -p tsconfig.json
echo "tsc: no objection"
