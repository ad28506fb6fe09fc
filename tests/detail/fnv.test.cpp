// SPDX-License-Identifier: BSL-1.0
#include <condense/detail/fnv.hpp>

#include "support/catch.hpp"

namespace {

using condense::detail::fnv1a;

/// The test vectors of the algorithm's authors.
constexpr bool published_vectors() {
    return fnv1a("") == 0xCBF29CE484222325u && fnv1a("a") == 0xAF63DC4C8601EC8Cu &&
           fnv1a("foobar") == 0x85944171F73967E8u;
}
static_assert(published_vectors());

constexpr bool goes_on_where_it_was() {
    return fnv1a("bar", fnv1a("foo")) == fnv1a("foobar") && fnv1a("\xFF") != fnv1a("\x7F");
}
static_assert(goes_on_where_it_was());

}  // namespace

TEST_CASE("fnv: the published vectors") { CHECK(published_vectors()); }

TEST_CASE("fnv: a text in two pieces is one text") { CHECK(goes_on_where_it_was()); }
