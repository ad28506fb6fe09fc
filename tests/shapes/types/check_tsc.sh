#!/bin/sh
# SPDX-License-Identifier: BSL-1.0
# check_tsc.sh OUTPUTS CLIENTS   writes each conversation of the folder OUTPUTS as a literal of the type that its npm
# client takes, and has tsc look at them. The pinned clients are installed into CLIENTS, which needs a network the first
# time; without one: 77.
set -eu
here=$(cd "$(dirname "$0")/../generate" && pwd)
types=$(cd "$(dirname "$0")" && pwd)
[ $# -eq 2 ] || { echo "usage: check_tsc.sh OUTPUTS CLIENTS" >&2; exit 2; }
. "$here/install.sh"
install_clients "$2" || exit 77
clients=$(cd "$2" && pwd)
rm -rf "$clients/emitted" "$clients/planted"
python3 "$types/emit_ts.py" "$1" "$clients/emitted"
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
