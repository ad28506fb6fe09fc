#!/bin/sh
# SPDX-License-Identifier: BSL-1.0
# check.sh accepted FILE COMPILER...   the compiler must take the file
# check.sh refused FILE COMPILER...    it must not, and its first error must say what the file's first line expects
set -eu
export LC_ALL=C

verdict=$1 file=$2
shift 2

status=0
output=$("$@" "$file" 2>&1) || status=$?

fail() {
    printf '%s: %s\n%s\n' "$file" "$1" "$output"
    exit 1
}

case $verdict in
accepted)
    [ "$status" -eq 0 ] || fail "must compile"
    ;;
refused)
    sentence=$(sed -n '1s|^// expect: \(condense: .*\)$|\1|p' "$file")
    [ -n "$sentence" ] || fail "the first line must be '// expect: condense: <sentence>'"
    [ "$status" -ne 0 ] || fail "must not compile"
    # What leads to an error is printed before it, its notes after it: all of it up to the second error.
    first=$(printf '%s\n' "$output" | awk '/(^|[ :])error: / && ++errors == 2 { exit } { print }')
    printf '%s\n' "$first" | grep -qF -- "$sentence" || fail "the first error must say: $sentence"
    ;;
*)
    fail "unknown verdict $verdict"
    ;;
esac
