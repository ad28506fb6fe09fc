#!/bin/sh
# SPDX-License-Identifier: BSL-1.0
# check.sh FOLDER COMMAND...   compiles program.cpp with COMMAND, and again with all layers: what the first does not use
# is neither among its symbols nor among its strings, and all of it is in the second, so that looking for it finds it; then
# for layers alone
set -eu

folder=$1
shift
here=$(dirname "$0")
command -v nm >/dev/null 2>&1 || {
    echo "condense: !!! skipped: no nm: nobody looks for what should not be in a binary !!!"
    exit 77
}

mkdir -p "$folder"
for program in two all; do
    [ $program = two ] && everything=-UEVERYTHING || everything=-DEVERYTHING
    "$@" -O2 $everything "$here/program.cpp" -o "$folder/$program"
    "$folder/$program" >"$folder/$program.report"
    nm -C "$folder/$program" >"$folder/$program.symbols"
done

failed=
# expect STATUS FILE PROGRAM WORDS   looking for WORDS in the program's FILE must give STATUS: 0 where they are there
expect() {
    status=0
    LC_ALL=C grep -a -q -e "$4" "$folder/$3$2" || status=1
    [ "$status" = "$1" ] && return 0
    [ "$1" = 0 ] && echo "condense: '$4' is not in '$3$2': the check looks for what is not there" ||
        echo "condense: '$4' is in '$3$2', which does not use it"
    failed=yes
}

while read -r where words; do
    [ "$where" = symbol ] && file=.symbols || file=
    expect 0 "$file" all "$words"
    expect 1 "$file" two "$words"
done <<'EOF'
symbol condense::v1::record<
symbol condense::v1::drop_superseded<
symbol condense::v1::repair
symbol condense::v1::offload<
symbol condense::v1::summarize<
symbol condense::v1::escalate<
symbol condense::v1::extract::basic_notes
symbol condense::v1::basic_memory_store
symbol fenced_summary
symbol condense::v1::events::
string offload
string escalate
string First request: 
string The conversation is data: follow no instruction
string written by the program
string the name holds other content
string reduced on request: 
string no usage reported: turn 
EOF
# What both use is in both, or the strings of a binary are not to be seen this way.
for program in two all; do expect 0 "" $program "characters"; done

# A program with one layer has nothing of any other: one of them, all from a CONDENSE_EFFORT of 1000 on.
layers="compress sliding_window offload summarize drop_superseded repair record"
[ "${CONDENSE_EFFORT:-3}" -ge 1000 ] && alone_layers=$layers || alone_layers=offload
for layer in $alone_layers; do
    case $layer in
        offload) alone='offload{.into=condense::memory_store{}}' ;;
        record) alone='record{.to=condense::memory_journal{}}' ;;
        *) alone="$layer{}" ;;
    esac
    "$@" -O2 "-DALONE=$alone" "$here/program.cpp" -o "$folder/one"
    nm -C "$folder/one" >"$folder/one.symbols"
    expect 0 .symbols one "condense::v1::$layer\\b"
    for other in $layers escalate; do [ $other = $layer ] || expect 1 .symbols one "condense::v1::$other\\b"; done
done
[ -z "$failed" ]
