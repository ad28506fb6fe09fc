# SPDX-License-Identifier: BSL-1.0
# Sourced by tests/run.sh, examples/run.sh and benchmarks/run.sh: installs what Debian or Ubuntu packages are missing.
# shellcheck shell=sh

missing=

# need PACKAGE [COMMAND]   COMMAND, where given, is as good as the package
need() {
    if [ $# -gt 1 ] && command -v "$2" >/dev/null 2>&1; then return 0; fi
    if dpkg-query -W -f '${Status}' "$1" 2>/dev/null | grep -q '^install ok installed'; then return 0; fi
    missing="$missing $1"
}

need_build_tools() {
    need g++ g++
    need cmake cmake
    need ninja-build ninja
    need libboost-dev
    need nlohmann-json3-dev
    need libxxhash-dev
    need libhiredis-dev
    need libsqlite3-dev
    need librange-v3-dev
    need libcli11-dev
    need libcurl4-openssl-dev
}

as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    elif command -v sudo >/dev/null 2>&1; then
        sudo "$@"
    else
        echo "condense: neither root nor sudo: cannot run: $*" >&2
        return 1
    fi
}

update_packages() {
    [ -z "${packages_updated:-}" ] || return 0
    if ! command -v apt-get >/dev/null 2>&1; then
        echo "condense: no apt-get here; install by other means what these packages hold:$missing" >&2
        return 1
    fi
    echo "condense: apt-get update"
    as_root apt-get update -qq
    packages_updated=yes
}

# install PACKAGE...
install() {
    echo "condense: installing: $*"
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}

install_missing() {
    [ -n "$missing" ] || return 0
    update_packages
    # shellcheck disable=SC2086
    install $missing
    missing=
}

# For packages of Python's; whoever wants them says what is missing where there is no venv.
try_venv() { python3 -c 'import ensurepip' 2>/dev/null || { update_packages && install python3-venv; } || :; }
