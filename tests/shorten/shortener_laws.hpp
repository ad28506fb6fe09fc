// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <condense/detail/json_scan.hpp>
#include <condense/detail/utf8.hpp>
#include <condense/shorten/shortener.hpp>

#include "shorten/figures.hpp"
#include "shorten/hostile_texts.hpp"
#include "shorten/texts.hpp"
#include "support/catch.hpp"
#include "support/effort.hpp"
#include "support/sanitized.hpp"

// The laws that every shortener keeps, whatever the text and however hard it is to cut:
// shortener_laws(head{}, {.texts = any_texts(), .at_most = condense::chars{8'000}}).

namespace laws {

/// Figures from a text and what was made of it; nothing where the marker states none.
using read_figures = std::function<std::optional<figures>(std::string_view before, std::string_view after)>;

/// What a shortener promises beside the laws for all.
struct promises {
    text_kinds texts = any_texts();
    unsigned share = 20;           ///< per cent of the texts that are shortened, at least
    condense::text_limit at_most = {};  ///< of what is made; halved as the cut says, but with room for a marker
    std::uint64_t beside = 0;       ///< characters and bytes above that which a marker may take
    bool keeps_json = false;        ///< of JSON makes JSON, with keys and spelling as they were
    bool in_place_of_media = false;  ///< makes a text part of another kind, measured in tokens only
    read_figures figures = {};
};

/// Tokens of JSON that are no string values, in order; a long number may have become a string.
inline std::vector<std::string_view> spelled(std::string_view text) {
    std::vector<std::string_view> out;
    for (std::size_t at = 0; at < text.size();) {
        auto const begin = at;
        if (text[at] == '"') {
            for (++at; at < text.size() && text[at] != '"'; ++at) at += text[at] == '\\' ? 1u : 0u;
            ++at;
            auto const next = text.find_first_not_of(" \t\r\n", at);
            if (next != text.npos && text[next] == ':' && text.substr(begin, at - begin) != "\"[...]\"")
                out.push_back(text.substr(begin, at - begin));
        } else if (std::string_view{"{}[]:, \t\r\n"}.find(text[at]) != std::string_view::npos) ++at;
        else {
            at = std::min(text.find_first_of("{}[]:, \t\r\n\"", at), text.size());
            out.push_back(text.substr(begin, at - begin));
        }
    }
    return out;
}

inline bool is_subsequence(std::vector<std::string_view> const& less, std::vector<std::string_view> const& more) {
    auto at = more.begin();
    for (auto const& each : less) {
        at = std::find(at, more.end(), each);
        if (at == more.end()) return false;
        ++at;
    }
    return true;
}

inline condense::text_limit with_room(condense::text_limit limit, condense::cut const& how, std::uint64_t beside) {
    limit = limit.halved(how.halvings);
    for (auto* const count : {&limit.bytes.count, &limit.chars.count}) {
        if (*count == ~std::uint64_t{0}) continue;
        *count = beside == 0 ? std::max<std::uint64_t>(*count, 384) : *count + beside;
    }
    limit.lines.count = std::max<std::uint64_t>(limit.lines.count, 5);
    return limit;
}

struct verdict {
    std::string_view broken = {};  ///< the law
    bool shortened = false;
};

/// One text, one cut. The part is read from a buffer without anything behind it.
template <class Shortener>
verdict judge(Shortener const& shorten, promises const& given, condense::part_view part, condense::cut const& how) {
    namespace utf8 = condense::detail::utf8;
    std::vector<char> const bytes(part.text.begin(), part.text.end());
    std::string const before{part.text};
    part.text = {bytes.data(), bytes.size()};
    auto const made = shorten(part, how);
    if (shorten(part, how) != made) return {"the same bytes twice", true};
    if (!made) return {};
    auto const clean = utf8::scrubbed(before);
    if (!given.in_place_of_media && made->size() >= before.size()) return {"strictly smaller", true};
    if (!utf8::valid(*made)) return {"valid UTF-8", true};
    auto again = part;
    again.text = *made;
    if (given.in_place_of_media) again.kind = part_kind::text;
    if (shorten(again, how)) return {"nothing on its own output", true};
    if (!with_room(given.at_most, how, given.beside).holds(*made)) return {"within its limit", true};
    if (given.keeps_json && condense::detail::json::valid(before)) {
        if (!condense::detail::json::valid(*made)) return {"JSON stays JSON", true};
        if (nlohmann::json::accept(before) && !nlohmann::json::accept(*made))
            return {"JSON stays JSON for another reader", true};
        if (!is_subsequence(spelled(*made), spelled(before))) return {"keys and numbers as they were", true};
    }
    if (given.figures)
        if (auto const found = given.figures(clean, *made); found && !found->agree())
            return {"kept + omitted = total", true};
    return {{}, true};
}

inline condense::cut random_cut(random_source& random) {
    condense::cut how{.halvings = static_cast<unsigned>(random.below(6))};
    if (random.chance(50)) how.how.stored.digest[random.below(12)] = static_cast<std::uint8_t>(1 + random.below(255));
    if (random.chance(50))
        how.over = condense::text_limit{condense::chars{400 + random.below(9'600)}}.halved(how.halvings);
    how.how.words.type_and_share = random.chance(50);
    return how;
}

/// A part of a kind that the shortener is for.
template <class Shortener>
condense::part_view random_part(random_source& random, std::string_view text) {
    static constexpr std::array<std::string_view, 5> tools{"write_file", "edit_file", "read_file", "shell", ""};
    condense::part_view part{.text = text, .tool = tools[random.below(5)], .call = "call_1"};
    do part.kind = static_cast<part_kind>(random.below(6));
    while (!condense::detail::kinds_of<Shortener>().holds(part.kind));
    if (random.chance(10)) part.status = part_status::error;
    return part;
}

/// What a layer makes with several shorteners: they are asked until they have nothing more to say.
template <class Shortener>
struct settled {
    static constexpr auto applies_to = condense::detail::kinds_of<Shortener>();
    Shortener shorten;

    std::optional<std::string> operator()(condense::part_view part, condense::cut how) const {
        std::optional<std::string> last;
        for (auto next = shorten(part, how); next && (!last || next->size() < last->size());
             next = shorten(part, how)) {
            last = std::move(next);
            part.text = *last;
        }
        return last;
    }
};
template <class Shortener>
settled(Shortener) -> settled<Shortener>;

struct text_tally {
    std::string broken = {};  ///< the first law that was broken, and for what
    std::uint64_t texts = 0;
    std::uint64_t shortened = 0;
};

/// One random text, which the seed makes.
template <class Shortener>
void try_random_text(Shortener const& shorten, promises const& given, std::uint64_t seed, text_tally& sum) {
    random_source random{seed * 0x51ED27u};
    auto const kind = given.texts[random.below(given.texts.size())];
    auto const text = text_generator{seed}.make(kind);
    auto const how = random_cut(random);
    auto const part = random_part<Shortener>(random, text);
    auto const found = judge(shorten, given, part, how);
    ++sum.texts;
    sum.shortened += found.shortened ? 1u : 0u;
    if (found.broken.empty() || !sum.broken.empty()) return;
    auto const add = [&](std::string_view words, std::string const& figure) {
        sum.broken.append(words).append(figure);
    };
    add(found.broken, ": seed " + std::to_string(seed));
    add(", kind of text ", std::to_string(static_cast<int>(kind)));
    add(", ", std::to_string(text.size()) + " bytes, " + std::string{name(part.kind)});
    add(", ", std::to_string(how.halvings) + " halvings, over " + std::to_string(how.over.chars.count));
}

template <class Shortener>
text_tally try_random_texts(Shortener const& shorten, promises const& given, std::uint64_t count) {
    text_tally sum;
    for (std::uint64_t seed = 1; seed <= count && sum.broken.empty(); ++seed)
        try_random_text(shorten, given, seed, sum);
    return sum;
}

/// The laws for any values of a shortener: make(random) returns it and what it promises.
template <class Make>
void laws_of_any(Make const& make, std::uint64_t usual, unsigned share) {
    text_tally sum;
    auto const count = std::max<std::uint64_t>(rounds(usual), 60);
    for (std::uint64_t seed = 1; seed <= count; ++seed) {
        random_source random{seed};
        auto const [shorten, given] = make(random);
        try_random_text(shorten, given, seed, sum);
    }
    CAPTURE(sum.texts, sum.shortened);
    CHECK(sum.broken == "");
    CHECK(sum.shortened * 100 >= sum.texts * share);
}

/// Processor time that a shortener may take for a megabyte. It is far more than any takes, and far less
/// than what is quadratic does.
constexpr double seconds_for_a_megabyte = sanitized ? 20 : 1;

template <class Shortener>
std::string try_hostile_texts(Shortener const& shorten, promises const& given,
                              std::size_t size = effort() < 100 ? 50'000
                                                 : sanitized    ? 200'000
                                                                : 1'000'000,
                              double limit = seconds_for_a_megabyte) {
    std::string problems;
    random_source random{size};
    for (auto const& [name, text] : hostile_texts(size)) {
        auto const how = random_cut(random);
        auto const part = random_part<Shortener>(random, text);
        auto const begin = std::clock();
        static_cast<void>(shorten(part, how));
        auto const seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
        auto const found = judge(shorten, given, part, how);
        if (seconds > limit) problems.append(name).append(": ").append(std::to_string(seconds)).append(" s; ");
        if (!found.broken.empty()) problems.append(name).append(": ").append(found.broken).append("; ");
    }
    return problems;
}

/// A line for each shortener: all the laws, on random and on hostile texts.
template <class Shortener>
void shortener_laws(Shortener const& shorten, promises const& given = {}) {
    // A share of fewer texts says little.
    auto const sum = try_random_texts(shorten, given, std::max<std::uint64_t>(rounds(300), 60));
    CAPTURE(sum.texts, sum.shortened);
    CHECK(sum.broken == "");
    CHECK(sum.shortened * 100 >= sum.texts * given.share);
    CHECK(try_hostile_texts(shorten, given) == "");
}

}  // namespace laws
