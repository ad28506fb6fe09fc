// SPDX-License-Identifier: BSL-1.0
#include <condense/estimate/bpe/piece.hpp>

#include "support/catch.hpp"

using condense::detail::bpe::is_line_end;

static_assert(condense::detail::bpe::piece{}.valid && condense::detail::bpe::piece{}.end == 0);

TEST_CASE("piece: line ends are CR and LF alone") {
    int found = 0;
    for (int byte = -128; byte < 128; ++byte) found += is_line_end(static_cast<char>(byte)) ? 1 : 0;
    CHECK(found == 2);
    CHECK((is_line_end('\r') && is_line_end('\n')));
}
