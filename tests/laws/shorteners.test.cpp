// SPDX-License-Identifier: BSL-1.0
#include <condense/shorten/by_content.hpp>
#include <condense/shorten/collapse_repeats.hpp>
#include <condense/shorten/compact_log.hpp>
#include <condense/shorten/duplicate_results.hpp>
#include <condense/shorten/first_of.hpp>
#include <condense/shorten/head_tail.hpp>
#include <condense/shorten/json_minify.hpp>
#include <condense/shorten/json_sample.hpp>
#include <condense/shorten/media_note.hpp>
#include <condense/shorten/old_reasoning.hpp>
#include <condense/shorten/point_to_file.hpp>
#include <condense/shorten/salient_lines.hpp>
#include <condense/shorten/shorten_arguments.hpp>
#include <condense/shorten/superseded_reads.hpp>

#include "shorten/conversation_laws.hpp"

// Every shortener under the laws for all of them, a line for each way to set it.

namespace {

using namespace condense::literals;
using namespace laws;

promises ends_within(condense::text_limit at_most, std::uint64_t beside = 0) {
    return {.at_most = at_most, .beside = beside, .figures = figures_of_ends};
}
promises log_within(condense::text_limit at_most, text_kinds texts = line_texts()) {
    return {.texts = std::move(texts), .at_most = at_most, .figures = figures_of_gaps};
}
promises sample_within(condense::text_limit at_most, unsigned share = 50, text_kinds texts = json_texts()) {
    return {.texts = std::move(texts),
            .share = share,
            .at_most = at_most,
            .keeps_json = true,
            .figures = figures_of_sample};
}
promises strings(unsigned share, text_kinds texts = json_texts()) {
    return {.texts = std::move(texts), .share = share, .keeps_json = true, .figures = figures_of_strings};
}
/// Of the arguments of a call, or of its result.
std::optional<figures> figures_of_file(std::string_view before, std::string_view after) {
    bool const json = nlohmann::json::accept(before) && nlohmann::json::accept(after);
    return json ? figures_of_strings(before, after) : figures_of_ends(before, after);
}

}  // namespace

TEST_CASE("laws of shorteners: head_tail") {
    shortener_laws(condense::head_tail{}, ends_within(8'000_chars, 192));
    shortener_laws(condense::head_tail{128_lines, 128_lines, 10'240_bytes}, ends_within(10'240_bytes));
    shortener_laws(condense::head_tail{.at_most = 40_lines && 4'000_chars}, ends_within(40_lines && 4'000_chars));
    shortener_laws(condense::head{}, ends_within(8'000_chars, 192));
    shortener_laws(condense::tail{.keep = 2'000_bytes}, ends_within(2'000_bytes, 192));
}

TEST_CASE("laws of shorteners: json_minify") {
    shortener_laws(condense::json_minify{}, {.texts = json_texts(), .keeps_json = true});
    shortener_laws(condense::json_minify{}, {.share = 4, .keeps_json = true});
}

TEST_CASE("laws of shorteners: json_sample") {
    shortener_laws(condense::json_sample{}, sample_within(8'000_chars));
    shortener_laws(condense::json_sample{}, sample_within(8'000_chars, 10, any_texts()));
    shortener_laws(condense::json_sample{6, 2, 1, 1, 3, {40}, false, {}, 1'000_bytes}, sample_within(1'000_bytes));
    shortener_laws(condense::json_sample{.drop_null = true, .at_most = 9_lines},
                   {.texts = json_texts(), .share = 50, .at_most = 9_lines, .keeps_json = true});
}

TEST_CASE("laws of shorteners: compact_log") {
    shortener_laws(condense::compact_log{}, log_within(8'000_chars, any_texts()));
    shortener_laws(condense::compact_log{.at_most = 40_lines}, log_within(40_lines));
    shortener_laws(condense::compact_log{300_chars, 2_lines, 40_lines && 3'000_bytes, 3_lines},
                   log_within(40_lines && 3'000_bytes));
}

TEST_CASE("laws of shorteners: salient_lines") {
    shortener_laws(condense::salient_lines{}, log_within(8'000_chars, any_texts()));
    shortener_laws(condense::salient_lines{.at_most = 40_lines}, log_within(40_lines));
    shortener_laws(condense::salient_lines{300_chars, 2_lines, 40_lines && 3'000_bytes},
                   log_within(40_lines && 3'000_bytes));
}

TEST_CASE("laws of shorteners: collapse_repeats") {
    shortener_laws(condense::collapse_repeats{},
                   {.texts = {text_kind::repeated}, .share = 60, .figures = figures_of_repetition});
    shortener_laws(condense::collapse_repeats{}, {.share = 4, .figures = figures_of_repetition});
}

TEST_CASE("laws of shorteners: shorten_arguments") {
    shortener_laws(condense::shorten_arguments{}, strings(25));
    shortener_laws(condense::shorten_arguments{.over = 200_chars}, strings(8, any_texts()));
}

TEST_CASE("laws of shorteners: point_to_file") {
    shortener_laws(condense::point_to_file{}, {.texts = {text_kind::arguments}, .figures = figures_of_file});
    shortener_laws(condense::point_to_file{.preview = 10_chars}, {.share = 5, .figures = figures_of_file});
}

TEST_CASE("laws of shorteners: media_note") {
    shortener_laws(condense::media_note{}, {.share = 100, .in_place_of_media = true});
}

TEST_CASE("laws of shorteners: several as one") {
    promises const any{.share = 20};
    shortener_laws(settled{condense::by_content{}}, any);
    shortener_laws(settled{condense::first_of(condense::json_minify{}, condense::json_sample{}, condense::head_tail{})},
                   any);
    shortener_laws(settled{condense::first_of(condense::collapse_repeats{},
                                              condense::by_content{.log = condense::compact_log{.at_most = 900_chars}},
                                              condense::shorten_arguments{}, condense::head{500_chars})},
                   any);
}

TEST_CASE("laws of shorteners: those that look at the whole conversation") {
    conversation_laws(condense::superseded_reads{}, {.share = 10, .figures = figures_of_all});
    conversation_laws(condense::duplicate_results{}, {.share = 40, .figures = figures_of_all});
    conversation_laws(condense::old_reasoning{.wanted = condense::reasoning_wanted::open_round}, {.share = 60});
}
