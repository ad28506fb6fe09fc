// SPDX-License-Identifier: BSL-1.0

// Texts of models and tools on their way into prompts and summaries: an answer is accepted, or refused with a reason;
// no fence and no label of a part can be forged; a list of names that was written is read again.

#include <initializer_list>

#include <condense/llm/prompt.hpp>
#include <condense/llm/summary_reply.hpp>

#include "fuzz/fuzz.hpp"

namespace {

/// What a reader sees who takes look-alikes for what they look like and ignores case and what has no width: a second
/// reading, by code points. Whatever else shows nothing is a space, but for line breaks.
std::string as_seen(std::string_view text) {
    std::string seen;
    auto const scrubbed = condense::detail::utf8::scrubbed_copy(text);
    for (std::size_t at = 0; at < scrubbed.size();) {
        auto const lead = static_cast<unsigned char>(scrubbed[at]);
        std::size_t const size = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
        std::uint32_t point = size == 1 ? lead : lead & (0xFFu >> (size + 1));
        for (std::size_t byte = 1; byte < size; ++byte)
            point = point << 6 | (static_cast<unsigned char>(scrubbed[at + byte]) & 0x3Fu);
        at += size;
        auto const among = [&](std::initializer_list<std::uint32_t> points) {
            return std::find(points.begin(), points.end(), point) != points.end();
        };
        auto const within = [&](std::uint32_t first, std::uint32_t last) { return point >= first && point <= last; };
        if (among({0xAD, 0x61C, 0xFEFF}) || within(0x200B, 0x200F) || within(0x202A, 0x202E) || within(0x2060, 0x206F))
            continue;
        if (point != '\n' && (point <= 0x20 || within(0x7F, 0xA0) || among({0x202F, 0x205F, 0x3000}) ||
                              within(0x2000, 0x200A) || within(0x2028, 0x2029)))
            point = ' ';
        if (among({0xFF1C, 0xFE64, 0x2039, 0x3008, 0x27E8})) point = '<';
        if (among({0xFF0F, 0x2044, 0x2215})) point = '/';
        if (among({0xFF3B, 0x3010})) point = '[';
        seen += point < 0x80 ? static_cast<char>(point >= 'A' && point <= 'Z' ? point + 32 : point) : '?';
    }
    return seen;
}

bool take(std::string_view& rest, std::string_view word) {
    if (!rest.starts_with(word)) return false;
    rest.remove_prefix(word.size());
    return true;
}
void skip_blanks(std::string_view& rest, std::string_view blanks) {
    rest.remove_prefix((std::min)(rest.find_first_not_of(blanks), rest.size()));
}
/// Marks that open or close one of the library's fences.
std::size_t fences(std::string_view seen) {
    std::size_t times = 0;
    for (auto at = seen.find('<'); at != seen.npos; at = seen.find('<', at + 1)) {
        auto rest = seen.substr(at + 1);
        skip_blanks(rest, " \n");
        take(rest, "/");
        skip_blanks(rest, " \n");
        bool known = false;
        for (auto const* const word : {"summary", "transcript", "facts", "artifact"})
            known = known || rest.starts_with(word);
        times += known ? 1u : 0u;
    }
    return times;
}
/// Lines that begin as the label of a part does.
std::size_t labels(std::string_view seen) {
    std::size_t times = 0;
    for (; !seen.empty(); seen.remove_prefix((std::min)(seen.find('\n'), seen.size() - 1) + 1)) {
        auto rest = seen;
        skip_blanks(rest, " ");
        if (!take(rest, "[")) continue;
        skip_blanks(rest, " ");
        bool known = false;
        for (auto const* const word : {"user", "assistant", "system", "tool", "other", "earlier summary"})
            known = known || rest.starts_with(word);
        times += known ? 1u : 0u;
    }
    return times;
}

void check_summary(std::string_view text) {
    auto const reason = condense::no_summary(text);
    fuzz::require(reason.find_first_of("\r\n") == reason.npos, "a reason is one line");
    auto const reply = condense::detail::summary_reply_of(condense::reply<std::string>{.message = std::string{text}});
    auto const problem = std::string_view{reply.problem};
    if (condense::detail::utf8::valid(text))
        fuzz::require(problem == reason, "what is refused is refused with a reason, and nothing else is");
    else fuzz::require(!problem.empty(), "what is no text is refused");
    auto const fenced = condense::fenced_summary(text);
    auto const seen = as_seen(fenced);
    fuzz::require(fences(seen) == 2, "a fence is opened and closed once");
    fuzz::require(seen.ends_with("</summary>"), "it is closed at the end");
    std::string once;
    condense::detail::append_neutral(once, text);
    std::string twice;
    condense::detail::append_neutral(twice, once);
    fuzz::require(once == twice, "neutral text stays");
    for (char const byte : once)
        fuzz::require(static_cast<unsigned char>(byte) >= 0x20 || byte == '\n' || byte == '\t',
                      "no control characters");
}

void check_prompt(byte_source& bytes) {
    condense::summary_prompt prompt{condense::chars{bytes.below(400)}};
    std::size_t parts = 0;
    std::string text;
    while (!bytes.empty() && parts < 12) {
        static constexpr condense::role roles[] = {condense::role::system, condense::role::user,
                                                   condense::role::assistant, condense::role::tool,
                                                   condense::role::other};
        condense::part_view part{.kind = static_cast<condense::part_kind>(bytes.below(6))};
        auto const tool = condense::detail::utf8::scrubbed_copy(bytes.text(40));
        text = condense::detail::utf8::scrubbed_copy(bytes.text(400));
        part.tool = tool;
        part.text = text;
        if (bytes.chance(20)) part.status = condense::part_status::error;
        prompt.see(roles[bytes.below(5)], part, bytes.chance(20));
        ++parts;
    }
    auto const made = prompt.write({100});
    fuzz::require(made == prompt.write({100}), "the same parts give the same prompt");
    auto const seen = as_seen(made.data);
    fuzz::require(fences(seen) == 2, "a transcript is opened and closed once");
    fuzz::require(labels(seen) == parts, "each part has one label, and nothing else looks like one");
}

void check_overflow(byte_source& bytes) {
    int const status = bytes.chance(50) ? 400 : static_cast<int>(bytes.below(600));
    auto const text = bytes.rest();
    auto const over = condense::overflow_of(status, text);
    constexpr auto most = std::uint64_t{1} << 40;
    if (over) fuzz::require(over->limit.count <= most && over->requested.count <= most, "figures count tokens");
    std::string loud{text};
    for (char& byte : loud)
        if (byte >= 'a' && byte <= 'z') byte = static_cast<char>(byte - 32);
    fuzz::require(over == condense::overflow_of(status, loud), "case says nothing");
    if (status != 0 && status != 400 && status != 413 && status != 422 && status != 500)
        fuzz::require(!over, "no other status is an overflow");
}

}  // namespace

fuzz::corpus fuzz::make_corpus() {
    corpus made{.words = listed("answer", "words"), .mutations = 60'000};
    for (char const mode : {'\0', '\1', '\2', '\3'}) made.add(std::string(1, mode), listed("answer", "texts"));
    made.add("\1", random_seeds(8, 60));
    return made;
}

void fuzz::try_input(byte_source bytes) {
    switch (bytes.below(256) % 4) {
        case 1: check_prompt(bytes); break;
        case 2: check_overflow(bytes); break;
        default: check_summary(bytes.rest());
    }
}
