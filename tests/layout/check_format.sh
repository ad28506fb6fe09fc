#!/bin/sh
# SPDX-License-Identifier: BSL-1.0
# check_format.sh [FILE...]   fails where clang-format 19 would change a file, all of the project's unless named; 77 without it.
set -eu
cd "$(dirname "$0")/../.."
if ! command -v clang-format-19 >/dev/null 2>&1; then
    echo "skipped: format, which needs clang-format-19"
    exit 77
fi
# Seen to fail first: it must refuse a file that is not formatted.
if echo 'int  main( ){}' | clang-format-19 --dry-run -Werror --assume-filename=planted.cpp >/dev/null 2>&1; then
    echo "clang-format-19 accepts anything"
    exit 1
fi
if [ $# -eq 0 ]; then
    find include tests examples benchmarks -name '*.hpp' -o -name '*.cpp' | xargs -n 40 -P 2 clang-format-19 --dry-run -Werror
else
    clang-format-19 --dry-run -Werror "$@"
fi
