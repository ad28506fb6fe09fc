// SPDX-License-Identifier: BSL-1.0
#include <condense/detail/items.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "replay/talk.hpp"
#include "support/catch.hpp"

namespace {

using condense::item_kind;
using found_items = std::vector<std::pair<item_kind, std::string>>;

found_items items_of(std::string_view text) {
    found_items all;
    condense::each_item(text, [&](item_kind kind, std::string_view item) { all.emplace_back(kind, item); });
    std::sort(all.begin(), all.end());
    return all;
}
found_items only(item_kind kind, std::string item) { return {{kind, std::move(item)}}; }

/// Nothing but literals, so that it is looked at in a constant expression too.
constexpr bool finds_one(std::string_view text, item_kind kind, std::string_view wanted) {
    int count = 0;
    bool right = false;
    condense::each_item(text, [&](item_kind found, std::string_view item) {
        ++count;
        right = found == kind && item == wanted;
    });
    return count == 1 && right;
}
static_assert(finds_one("so parse_json it is", item_kind::word, "parse_json"));
static_assert(finds_one("in (src/io/read.cpp).", item_kind::path, "src/io/read.cpp"));

TEST_CASE("names have a hump, an underscore or a dot") {
    for (std::string const name : {"parse_json", "retryCount", "config.yaml", "std.sort", "_private_x", "getHTTPReply"})
        CHECK(items_of("the " + name + ", too") == only(item_kind::word, name));
    CHECK(items_of("Some plain Words, e.g. these, and i.e. those. End.").empty());
    CHECK(items_of("state-of-the-art NASA HTTP").empty());
    CHECK(items_of("foo_bar-baz") == only(item_kind::word, "foo_bar"));
}

TEST_CASE("ids mix letters and digits, six at least") {
    for (std::string const id : {"a1b2c3d4", "550e8400-e29b-41d4-a716-446655440000", "ORD12345", "7f3a9c"})
        CHECK(items_of("see " + id + ".") == only(item_kind::id, id));
    CHECK(items_of("x86 and h264 and 3rd").empty());
}

TEST_CASE("paths and URLs are one item each") {
    CHECK(items_of("see /usr/lib/x.so, now") == only(item_kind::path, "usr/lib/x.so"));
    CHECK(items_of("./src/a.cpp:12:") == only(item_kind::path, "src/a.cpp"));
    CHECK(items_of("at https://example.org/a?b=c&d=1#top.") ==
          only(item_kind::path, "https://example.org/a?b=c&d=1#top"));
    CHECK(items_of("url=http://x.org/y") == only(item_kind::path, "http://x.org/y"));
    CHECK(items_of("this and/or that, 1/2").empty());
}

TEST_CASE("numbers have three digits at least") {
    CHECK(items_of("in 1,234 of 99 cases") == only(item_kind::number, "1,234"));
    CHECK(items_of("on 2024-01-05") == only(item_kind::number, "2024-01-05"));
    CHECK(items_of("port=8080;") == only(item_kind::number, "8080"));
    CHECK(items_of("10 or 1.5").empty());
}

TEST_CASE("strings in quotes count from four bytes to eighty, but not as names of JSON members") {
    CHECK(items_of("say \"go on now\" loud") == only(item_kind::quoted, "go on now"));
    CHECK(items_of("say 'go on' or `run it`") ==
          found_items{{item_kind::quoted, "go on"}, {item_kind::quoted, "run it"}});
    CHECK(items_of("don't and won't").empty());
    CHECK(items_of(R"({"path": "some words", "text" : "abc"})") == only(item_kind::quoted, "some words"));
    CHECK(items_of(R"({\"path\": \"some words\"})") == only(item_kind::quoted, "some words"));
    CHECK(items_of("\"" + std::string(80, 'x') + "\"").size() == 1);
    CHECK(items_of("\"" + std::string(81, 'x') + "\"").empty());
    CHECK(items_of("\"two\nlines\"").empty());
    CHECK(items_of("`src/a/b`") == found_items{{item_kind::path, "src/a/b"}, {item_kind::quoted, "src/a/b"}});
}

TEST_CASE("escaped line breaks are no part of items") {
    CHECK(items_of(R"(first\nparse_json\n/tmp/a/b\tend)") ==
          found_items{{item_kind::word, "parse_json"}, {item_kind::path, "tmp/a/b"}});
}

TEST_CASE("items of hostile texts are few enough, and within bounds") {
    for (auto const& text : talk::hostile_texts()) {
        std::size_t bytes = 0;
        condense::each_item(text, [&](item_kind, std::string_view item) {
            bytes += item.size();
            CHECK(item.size() <= condense::detail::item_most);
            CHECK(condense::detail::within_words(item) == item);
        });
        CHECK(bytes <= 2 * text.size());
    }
}

}  // namespace
