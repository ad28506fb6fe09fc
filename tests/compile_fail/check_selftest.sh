#!/bin/sh
# SPDX-License-Identifier: BSL-1.0
# check_selftest.sh FOLDER COMPILER...   check.sh must itself tell right from wrong; it writes its cases to FOLDER
set -eu

check=$(dirname "$0")/check.sh
folder=$1
shift
rm -rf "$folder"
mkdir -p "$folder"

# A case is named <what check.sh must say>.<verdict it is asked for>.<what is the matter>.cpp.
sentence='condense: check: the value must be small (see small)'
expect="// expect: $sentence"
ours="static_assert(sizeof(int) == 1, \"$sentence\");"
other='static_assert(sizeof(int) == 2, "another sentence");'

echo 'int main() {}' >"$folder/right.accepted.valid.cpp"
echo "$ours" >"$folder/wrong.accepted.invalid.cpp"
printf '%s\n' "$expect" "$ours" >"$folder/right.refused.said_first.cpp"
printf '%s\n' "$expect" "$ours" "$other" >"$folder/right.refused.other_after.cpp"
printf '%s\n' "$expect" 'void reject(char const*);' 'constexpr int check(bool ok, char const* why) {' \
    '    if (!ok) reject(why);' '    return 0;' '}' \
    "constexpr int x = check(sizeof(int) == 1, \"$sentence\");" >"$folder/right.refused.in_a_constant.cpp"
printf '%s\n' "$expect" 'int main() {}' >"$folder/wrong.refused.valid.cpp"
printf '%s\n' "$expect" "$other" >"$folder/wrong.refused.other_only.cpp"
printf '%s\n' "$expect" "$other" "$ours" >"$folder/wrong.refused.other_before.cpp"
echo "$ours" >"$folder/wrong.refused.no_expectation.cpp"

failed=0
for file in "$folder"/*.cpp; do
    name=${file##*/}
    rest=${name#*.}
    if sh "$check" "${rest%%.*}" "$file" "$@" >"$file.log" 2>&1; then said=right; else said=wrong; fi
    if [ "$said" != "${name%%.*}" ]; then
        printf '%s: check.sh says it is %s\n' "$name" "$said"
        cat "$file.log"
        failed=1
    fi
done
exit "$failed"
