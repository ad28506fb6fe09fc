// SPDX-License-Identifier: BSL-1.0
#include "laws/harness.hpp"
#include "support/messages.hpp"

// L6: whatever a recoverable pipeline does, and however often, every message is in the journal once, as
// it came. With broken pairs mended on the way.

namespace {

template <class Message>
std::vector<condense::chat_message> recorded(condense::memory_journal const& journal, std::string_view conversation,
                                             laws::broken& found) {
    std::vector<condense::chat_message> all;
    static_cast<void>(journal.read(conversation, [&](condense::journal_entry const& line, std::string_view content) {
        if (line.is_derived) return;
        if (line.number != all.size()) found.insert("L6 a number is missing or doubled");
        if (auto const read = condense::from_bytes<Message>(content)) all.push_back(forms::to_chat(*read));
        else found.insert("L6 unreadable");
    }));
    return all;
}

/// The conversation arrives in pieces, each reduced with what the runs before have left.
template <class History>
laws::broken run_growing(std::uint64_t seed, laws::counts& counted) {
    using message_type = std::remove_cvref_t<decltype(*std::declval<History&>().begin())>;
    auto const original = forms::projected<message_type>(laws::conversation_generator{seed}.make());
    laws::random_source random{seed ^ 0xBEEFu};
    auto const limits = laws::random_budget(original, random);
    condense::run_options<> options{.marks = random.chance(40) && condense::detail::markable<message_type>};
    options.conversation = "conversation " + std::to_string(seed % 3);
    condense::memory_journal const journal;
    laws::broken found;
    laws::with_recording_mix<message_type>(random, journal, [&](auto const& mix) {
        static_assert(condense::recoverable<decltype(mix)>);
        History history;
        for (std::size_t from = 0; from < original.size();) {
            auto const until = std::min(original.size(), from + 1 + random.below(12));
            for (; from < until; ++from) history.push_back(forms::from_chat<message_type>(original[from]));
            auto const report = condense::reduce(history, mix, limits, laws::byte_estimator{}, options);
            laws::check_report(report, found);
            counted["changed"] += report.changed() ? 1u : 0u;
            std::vector<condense::chat_message> const so_far(original.begin(),
                                                             original.begin() + static_cast<std::ptrdiff_t>(from));
            if (recorded<message_type>(journal, options.conversation, found) != so_far)
                found.insert("L6 the journal is not the conversation");
            auto const left = forms::all_to_chat(history);
            for (auto const& m : left)
                counted["answers"] +=
                    m.name.empty() && m.parts.size() == 1 && m.parts[0].kind == condense::part_kind::tool_result ? 1u
                                                                                                                 : 0u;
        }
        static_cast<void>(
            journal.read(options.conversation, [&](condense::journal_entry const& line, std::string_view) {
                counted["made"] += line.is_derived ? 1u : 0u;
            }));
    });
    return found;
}

/// One run, judged against all the laws: pairs are whole but where the budget had no room.
template <class History>
laws::broken run_mending(std::uint64_t seed, laws::counts& counted) {
    using message_type = std::remove_cvref_t<decltype(*std::declval<History&>().begin())>;
    auto const original = forms::projected<message_type>(laws::conversation_generator{seed}.make());
    laws::random_source random{seed ^ 0xBEEFu};
    auto const limits = laws::random_budget(original, random);
    laws::broken found;
    laws::tally tallied;
    laws::with_recording_mix<message_type>(random, condense::memory_journal{}, [&](auto const& mix) {
        std::vector<condense::chat_message> reduced;
        found = laws::run_one<History>(original, mix, limits, laws::byte_estimator{}, false, tallied, &reduced);
        laws::checker const judged{original, reduced};
        counted["answers"] += judged.answers();
        counted["changed"] += tallied.changed;
    });
    // With room, nothing stays broken that can be mended.
    auto history = forms::all_from_chat<History>(original);
    static_cast<void>(condense::reduce(history, condense::pipeline{condense::repair{}}, {.window = {1'000'000'000}},
                                       laws::byte_estimator{}));
    auto const mended = forms::all_to_chat(history);
    laws::checker const judged{original, mended};
    found.merge(laws::broken{judged.violations()});
    if (condense::detail::part_removable<message_type> && judged.broken_pairs() != 0)
        found.insert("L1 a pair that could be mended is not");
    return found;
}

template <class History>
void check_type() {
    auto const rounds = (laws::rounds_asked() + 7) / 8;
    laws::counts counted;
    laws::run_seeds(rounds, [&](std::uint64_t seed) { return run_growing<History>(seed, counted); });
    laws::run_seeds(rounds, [&](std::uint64_t seed) { return run_mending<History>(seed, counted); });
    laws::check_least(counted, {{"changed", 1}});
    if (rounds < 50) return;
    laws::check_least(counted, {{"changed", rounds}, {"answers", rounds / 20}, {"made", rounds}});
}

}  // namespace

TEST_CASE("a recoverable pipeline loses nothing: chat_message", "[laws][law-6]") {
    check_type<std::vector<condense::chat_message>>();
}
TEST_CASE("a recoverable pipeline loses nothing: notes on a shelf", "[laws][law-6]") {
    check_type<forms::shelf<forms::note>>();
}
TEST_CASE("a recoverable pipeline loses nothing: messages without ids", "[laws][law-6]") {
    check_type<std::vector<forms::unnumbered>>();
}
TEST_CASE("a recoverable pipeline loses nothing: posts", "[laws][law-6]") { check_type<std::vector<forms::post>>(); }
