#!/bin/sh
# SPDX-License-Identifier: BSL-1.0
# run.sh SOURCE BUILD FOLDER CMAKE GENERATOR COMPILER   installs BUILD under FOLDER, then builds and runs the consumer
# against the installed package and against the source tree
set -eu

source=$1 build=$2 folder=$3 cmake=$4 generator=$5 compiler=$6
here=$(dirname "$0")

rm -rf "$folder"
"$cmake" --install "$build" --prefix "$folder/prefix"

# consume NAME OPTION   configures, builds and runs it in a tree of its own
consume() {
    "$cmake" -S "$here" -B "$folder/$1" -G "$generator" "-DCMAKE_CXX_COMPILER=$compiler" "$2"
    "$cmake" --build "$folder/$1"
    "$(dirname "$cmake")/ctest" --test-dir "$folder/$1" --output-on-failure --no-tests=error
}

consume installed "-DCMAKE_PREFIX_PATH=$folder/prefix"
consume subfolder "-DCONDENSE_SOURCE=$source"
