// SPDX-License-Identifier: BSL-1.0

// The bpe edge brings its package with it, in header-only mode: nothing is linked.

#include <condense/bpe.hpp>

int main() {
    auto const found = condense::parse_vocabulary("AA== 0\n", condense::encodings::cl100k_base);
    return !found && found.error.fault == condense::vocabulary_fault::torn ? 0 : 1;
}
