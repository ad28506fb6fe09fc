// SPDX-License-Identifier: BSL-1.0

#include <condense/core/part.hpp>
#include <condense/core/quantity.hpp>
#include <condense/shorten/by_content.hpp>
#include <condense/shorten/collapse_repeats.hpp>
#include <condense/shorten/compact_log.hpp>
#include <condense/shorten/first_of.hpp>
#include <condense/shorten/head_tail.hpp>
#include <condense/shorten/json_minify.hpp>
#include <condense/shorten/json_sample.hpp>
#include <condense/shorten/point_to_file.hpp>
#include <condense/shorten/salient_lines.hpp>
#include <condense/shorten/shorten_arguments.hpp>

#include "support/allocations.hpp"
#include "support/catch.hpp"
#include "support/effort.hpp"
#include "support/repetition.hpp"

// What shorteners allocate at most at once, results included, for large texts: a quarter more than the text.

bool allocations::next_fails() noexcept { return false; }

namespace {

std::size_t const text_size = effort() < 100 ? 400'000 : 1'000'000;

std::string repeated(std::string_view piece) { return ::repeated(piece, text_size); }

/// The lines line(0), line(1) and so on.
std::string lines_of(auto const& line) {
    std::string out;
    for (std::size_t index = 0; out.size() < text_size; ++index) out += line(index) + "\n";
    return out;
}

std::string letters(std::size_t number) {
    std::string out;
    for (; number != 0; number /= 26) out += static_cast<char>('a' + number % 26);
    return out;
}

using named_texts = std::vector<std::pair<char const*, std::string>>;

named_texts logs() {
    return {
        {"distinct lines", lines_of([](std::size_t line) { return "line " + letters(line * 7'919); })},
        {"equal lines", repeated("waiting for the server\n")},
        {"figures", lines_of([](std::size_t line) {
             auto const figure = std::to_string(line);
             return "2024-05-01T12:" + figure + "Z " + (line % 999 == 0 ? "ERROR " : "GET /users/") + figure;
         })},
        {"alarms", repeated("12:00:00 error: no\n12:00:01 failed: yes\n")},
        {"short lines", repeated("a\n")},
        {"short lines of two shapes", repeated("a\nb\n")},
        {"empty lines", std::string(text_size, '\n')},
        {"one line", std::string(text_size, 'x')},
        {"one long line", "begin\n" + std::string(text_size, 'x') + "\nend\n"},
    };
}

/// The most bytes that were allocated at once.
std::size_t peak_of(auto const& shorten, condense::part_view const& part) {
    allocations::peak = allocations::live.load();
    auto const before = allocations::live.load();
    std::optional<std::string> const shorter = shorten(part, {});
    return allocations::peak - before;
}

}  // namespace

TEST_CASE("memory: a log takes five bits a line") {
    for (auto const& [name, text] : logs()) {
        CAPTURE(name);
        auto const peak = peak_of(condense::compact_log{}, {.text = text});
        CHECK(peak <= condense::detail::count_lines(text) * 5 / 8 + 256'000);
        CHECK(peak <= text.size() + text.size() / 4);
    }
    // Many lines may be kept: the result is allocated once.
    auto const text = repeated("a\nb\n");
    condense::compact_log const most{.head = condense::lines{400'000}, .at_most = condense::lines{400'000}};
    CHECK(peak_of(most, {.text = text}) <= text.size() + text.size() / 4);
}

TEST_CASE("memory: no shortener of one text takes more than a quarter more than it") {
    auto texts = logs();
    texts.emplace_back("some bytes are no UTF-8", repeated("it is sch\xF6n to read such a log\n"));
    texts.emplace_back("a loop", repeated("I will now check the file again. "));
    texts.emplace_back("a loop at the end", logs()[0].second + repeated("I will now check the file again. "));
    texts.emplace_back("rows", "[" + repeated(R"({"id": 17, "name": "x", "of": [1, {"b": null}]}, )") + "1]");
    texts.emplace_back("a long string", R"({"path":"a.cpp","content":")" + repeated("int x = 1;\\n") + "\"}");
    auto const check = [&](char const* shortener, auto const& shorten) {
        for (auto const& [name, text] : texts)
            for (auto const kind : {condense::part_kind::tool_result, condense::part_kind::tool_call}) {
                CAPTURE(shortener, name);
                auto const peak = peak_of(shorten, {.kind = kind, .text = text, .tool = "write_file"});
                CHECK(peak <= text.size() + text.size() / 4);
            }
    };
    check("head_tail", condense::head_tail{});
    check("json_sample", condense::json_sample{});
    check("json_minify", condense::json_minify{});
    check("shorten_arguments", condense::shorten_arguments{});
    check("point_to_file", condense::point_to_file{});
    check("salient_lines", condense::salient_lines{});
    check("salient_lines", condense::salient_lines{.at_most = condense::lines{400'000}});
    check("collapse_repeats", condense::collapse_repeats{});
    check("by_content", condense::by_content{});
    check("first_of", condense::first_of(condense::json_minify{}, condense::compact_log{}, condense::head_tail{}));
}
