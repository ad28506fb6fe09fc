// SPDX-License-Identifier: BSL-1.0
#include <condense/detail/braces.hpp>

#include <string>
#include <string_view>

#include "support/catch.hpp"

namespace {

using condense::detail::expand_braces;

TEST_CASE("braces: paths that share folders are written whole") {
    CHECK(expand_braces("in: src/{io/{read.cpp,write.cpp},main.cpp} x\ny/{a,b/c}") ==
          "in: src/io/read.cpp src/io/write.cpp src/main.cpp x\ny/a y/b/c");
    CHECK(expand_braces("a/{b/{c,d}}") == "a/b/c a/b/d");
    CHECK(expand_braces("a/{b}") == "a/b");
}

TEST_CASE("braces: what is no such list stays as it is") {
    for (std::string_view const text : {"", "a b", "a/b", "{a,b}", "a{b,c}", "a/{b", "a/{b,c}d", "a/b}", "a/{b,c}}",
                                        "a/{b, c}", "a/{b}/{c,d}", "f(x/{y})", "a,b/{c,d}", " \n "})
        CHECK(expand_braces(text) == text);
}

TEST_CASE("braces: hostile lists are bounded") {
    std::string deep;
    for (int depth = 0; depth < 100'000; ++depth) deep += "a/{";
    CHECK(expand_braces(deep) == deep);
    // Each name would come behind a thousand bytes.
    std::string wide = std::string(1'000, 'x') + "/{a";
    for (int name = 0; name < 100'000; ++name) wide += ",b";
    wide += "}";
    CHECK(expand_braces(wide) == wide);
}

}  // namespace
