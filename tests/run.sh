#!/bin/sh
# SPDX-License-Identifier: BSL-1.0
# tests/run.sh [PRESET...]   configures, builds and tests each preset: by default gcc, then asan (clang, sanitizers).
# Installs missing packages on Debian and Ubuntu, as root or with sudo. Stops at the first preset that fails, so
# that the output ends with CTest's own summary of the run that decided.
set -eu
cd "$(dirname "$0")/.."
. .ci/packages.sh

preferred_clang=19
oldest_clang=17

# versions LIST   the preferred clang, then the others of LIST that are new enough, newest first
versions() {
    echo "$preferred_clang"
    printf '%s\n' "$1" | sort -rnu | awk -v oldest="$oldest_clang" '$1 >= oldest'
}

# Sets clang to the first clang++ here that links with its sanitizers.
find_clang() {
    clang=
    trial=$(mktemp -d)
    echo 'int main() {}' >"$trial/trial.cpp"
    for version in $(versions "$(ls /usr/bin | sed -n 's/^clang++-\([0-9][0-9]*\)$/\1/p')"); do
        if "clang++-$version" -fsanitize=address,undefined "$trial/trial.cpp" -o "$trial/trial" >/dev/null 2>&1; then
            clang=clang++-$version
            break
        fi
    done
    rm -r "$trial"
    [ -n "$clang" ]
}

install_clang() {
    update_packages || return 1
    for version in $(versions "$(apt-cache pkgnames clang- | sed -n 's/^clang-\([0-9][0-9]*\)$/\1/p')"); do
        if apt-cache show "clang-$version" >/dev/null 2>&1 && install "clang-$version" "libclang-rt-$version-dev"; then
            return 0
        fi
    done
    return 1
}

needs_clang() { [ "$1" = asan ] || [ "$1" = clang ]; }

# With the vocabularies real.test.cpp compares with tiktoken; without them the rest is tested all the same.
get_vocabularies() {
    vocabularies=$PWD/build/vocabularies
    transcripts=../shared/data/transcripts
    [ -d "$transcripts" ] || transcripts=
    try_venv
    sh tests/estimate/bpe/install.sh "$vocabularies" ${transcripts:+"$transcripts"} || :
    [ ! -f "$vocabularies/o200k_base.tiktoken" ] || export CONDENSE_VOCABULARIES="$vocabularies"
}

need_build_tools
need ccache ccache
need git git
need python3 python3
need catch2
need libcurl4-openssl-dev
need libedit-dev
install_missing
[ -n "${CONDENSE_VOCABULARIES:-}" ] || get_vocabularies

presets=${*:-gcc asan}
for preset in $presets; do
    needs_clang "$preset" || continue
    if find_clang || { install_clang && find_clang; }; then
        [ "$clang" = "clang++-$preferred_clang" ] || echo "condense: no clang++-$preferred_clang here: using $clang"
        break
    fi
    echo "condense: !!! no clang of version $oldest_clang or newer can be had: nothing is tested with sanitizers !!!"
    [ $# -eq 0 ] || exit 1
    presets=gcc
    break
done

jobs=$(nproc)
for preset in $presets; do
    echo "condense: preset $preset"
    if needs_clang "$preset"; then
        cmake --preset "$preset" "-DCMAKE_CXX_COMPILER=$clang"
    else
        cmake --preset "$preset"
    fi
    cmake --build --preset "$preset" --parallel "$jobs"
    ctest --preset "$preset" --parallel "$jobs"
done
