#!/bin/sh
# SPDX-License-Identifier: BSL-1.0
# run.sh SOURCE BUILD FOLDER CMAKE GENERATOR COMPILER   installs BUILD under FOLDER, then builds and runs the consumer
# against the installed package, against the source tree, with its last commit from git, as the README says it, and with
# pkg-config
set -eu

source=$1 build=$2 folder=$3 cmake=$4 generator=$5 compiler=$6
here=$(dirname "$0")

rm -rf "$folder"
"$cmake" --install "$build" --prefix "$folder/prefix"

# consume NAME OPTION...   configures, builds and runs it in a tree of its own
consume() {
    tree=$folder/$1
    shift
    "$cmake" -S "$here" -B "$tree" -G "$generator" "-DCMAKE_CXX_COMPILER=$compiler" "$@"
    "$cmake" --build "$tree"
    "$(dirname "$cmake")/ctest" --test-dir "$tree" --output-on-failure --no-tests=error
}

consume installed "-DCMAKE_PREFIX_PATH=$folder/prefix"
consume subfolder "-DCONDENSE_SOURCE=$source"
if commit=$(git -C "$source" rev-parse HEAD 2>/dev/null); then
    consume fetched "-DCONDENSE_SOURCE=$source" "-DCONDENSE_COMMIT=$commit"

    # As the README says it.
    mkdir -p "$folder/as_documented"
    {
        echo "cmake_minimum_required(VERSION 3.25)"
        echo "project(agent LANGUAGES CXX)"
        echo "add_executable(agent \"$here/core.cpp\")"
        sed -n '/^```cmake$/,/^```$/{/^```/d;p;}' "$source/README.md" |
            sed "s|<address of this repository>|$source|; s|<commit>|$commit|"
    } >"$folder/as_documented/CMakeLists.txt"
    "$cmake" -S "$folder/as_documented" -B "$folder/as_documented/build" -G "$generator" "-DCMAKE_CXX_COMPILER=$compiler"
    "$cmake" --build "$folder/as_documented/build"
    "$folder/as_documented/build/agent"
else
    echo "skipped: FetchContent, which needs git and a checkout"
fi

mv "$folder/prefix" "$folder/moved"
export PKG_CONFIG_PATH="$folder/moved/share/pkgconfig"
if command -v pkg-config >/dev/null 2>&1; then
    # shellcheck disable=SC2046
    "$compiler" -std=c++20 "-DCONDENSE_PACKAGE_VERSION=\"$(pkg-config --modversion condense)\"" \
        $(pkg-config --cflags --libs condense) "$here/version.cpp" -o "$folder/by_pkg_config"
    "$folder/by_pkg_config"
else
    echo "skipped: condense.pc, which needs pkg-config"
fi
