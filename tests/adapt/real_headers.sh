#!/bin/sh
# SPDX-License-Identifier: BSL-1.0
# real_headers.sh   compiles and runs the adapters of other libraries' types with these libraries' own headers
#
# llama.cpp's come from the npm package llama.rn, or from the source tree LLAMA_CPP. Those of ai-sdk-cpp and LiteRT-LM,
# which no package ships, come from the source trees AI_SDK_CPP and LITERT_LM; both need nlohmann-json, the latter abseil
# and pkg-config as well.
# What is not there is named and skipped; 77 if nothing was checked. CXX is the compiler.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
llama_rn=llama.rn@0.12.9
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
checked=0

# check NAME MESSAGE ADAPTER HEADER FLAG...
check() {
    name=$1 message=$2 adapter=$3 header=$4
    shift 4
    # What the libraries' inline functions call beyond their headers is not used, and dropped by the linker.
    "${CXX:-c++}" -std=c++20 -ffunction-sections -Wl,--gc-sections -I "$root/include" \
        "-DCONDENSE_MESSAGE=$message" "-DCONDENSE_ADAPTER=<condense/adapt/$adapter>" "-DCONDENSE_HEADER=\"$header\"" \
        "$here/real_headers.cpp" "$@" -o "$scratch/$name"
    printf '%s: ' "$name"
    "$scratch/$name"
    checked=$((checked + 1))
}

if [ -z "${LLAMA_CPP:-}" ] && command -v npm >/dev/null 2>&1 &&
    (cd "$scratch" && npm pack --silent --fetch-retries=0 --fetch-timeout=20000 "$llama_rn" >/dev/null 2>&1 && tar xzf llama.rn-*.tgz); then
    check llama_cpp common_chat_msg llama_cpp.hpp chat.h -DCONDENSE_LLAMA \
        -isystem "$scratch/package/cpp" -isystem "$scratch/package/cpp/common"
elif [ -n "${LLAMA_CPP:-}" ]; then
    check llama_cpp common_chat_msg llama_cpp.hpp chat.h -DCONDENSE_LLAMA -isystem "$LLAMA_CPP/common" \
        -isystem "$LLAMA_CPP/include" -isystem "$LLAMA_CPP/ggml/include" -isystem "$LLAMA_CPP/vendor"
else
    echo "skipped: llama.cpp, which needs npm and a network for $llama_rn, or LLAMA_CPP=<source tree>"
fi
if [ -n "${AI_SDK_CPP:-}" ]; then
    check ai_sdk ai::Message ai_sdk.hpp ai/types/message.h -DCONDENSE_AI -isystem "$AI_SDK_CPP/include"
else
    echo "skipped: ai-sdk-cpp, which needs AI_SDK_CPP=<source tree>"
fi
if [ -n "${LITERT_LM:-}" ]; then
    check litert_lm litert::lm::Message litert_lm.hpp runtime/conversation/io_types.h -isystem "$LITERT_LM" \
        $(pkg-config --cflags --libs absl_flat_hash_map)
else
    echo "skipped: LiteRT-LM, which needs LITERT_LM=<source tree>"
fi
[ "$checked" -gt 0 ] || exit 77
