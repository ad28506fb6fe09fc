// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <condense/condense.hpp>
#include <condense/store/memory.hpp>
#include <condense/store/memory_journal.hpp>

#include "laws/checker.hpp"
#include "laws/generator.hpp"
#include "support/catch.hpp"
#include "support/effort.hpp"
#include "support/fakes.hpp"

// What tests of presets share: a model that counts, and what every preset keeps whatever
// it is given.

namespace stage {

using namespace condense::literals;
using namespace notation;
using fakes::contains;

/// Answers shortly, and counts; or fails.
struct model {
    std::uint64_t* calls;
    bool* down;
    std::string operator()(std::string_view) const {
        ++*calls;
        if (*down) throw std::runtime_error{"the model is down"};
        return "What came before, in short.";
    }
};

struct desk {
    std::uint64_t calls = 0;
    bool down = false;
    condense::memory_journal journal{};
    condense::memory_store store{};

    model asked() { return {&calls, &down}; }

    std::vector<std::string> recorded() const {
        std::vector<std::string> all;
        CHECK_FALSE(journal.read("", [&](condense::journal_entry const& line, std::string_view content) {
            if (!line.is_derived) all.emplace_back(content);
        }));
        return all;
    }
};

inline std::string numbered_lines(std::size_t count) { return fakes::lines(count, "line", 1); }

template <class Make>
using mix_of = std::invoke_result_t<Make, desk&>;

template <class Mix>
concept complete = condense::recoverable<Mix> && condense::has_last_resort<Mix>;

struct with_desk {
    desk things{};
};
/// A session that begins so, of the mix that is made of a desk of its own, where one byte is one token.
template <class Make>
struct staged : with_desk, condense::session<conversation, mix_of<Make>, per_byte> {
    using base = condense::session<conversation, mix_of<Make>, per_byte>;
    staged(Make const& make, condense::tokens window, conversation first = {})
        : base{std::move(first), make(things), condense::budget{.window = window}} {}
};

std::string sent_text(auto const& session, std::size_t index) { return words(sent(session).at(index)); }

/// One call and its result.
void run_tool(auto& session, std::string const& id, std::string const& tool, std::string result,
              std::string arguments = "{}") {
    push(session, {C(id, tool, std::move(arguments)), R(id, std::move(result))});
}

/// Turns of one question and one answer, of `size` tokens each.
void talk(auto& session, std::size_t count, std::size_t size) {
    for (std::size_t turn = 0; turn < count; ++turn) push(session, {U(letters(size, 'q')), A(letters(size, 'a'))});
}

/// Layers that cannot be told apart in a report help nobody.
inline bool names_differ(auto const& made) {
    std::set<std::string_view> names;
    for (auto const& layer : made.layers) names.insert(layer.name);
    return !names.empty() && names.size() == made.layers.size();
}

/// Law L21: the task is missing only where it would fill the request to more than `percents` of the input.
void keeps_the_task(auto const& session, condense::tokens used, std::uint64_t percents) {
    auto const task = session.outline().task();
    if (task == condense::detail::none32) return;
    condense::group const which{session.outline().group_of(task)};
    auto const& edits = session.edits();
    if (edits.present(which)) return;
    CHECK((used + edits.measured(edits.of(which).cost)).count * 100 > session.limits().input().count * percents);
}

/// Random conversations, message by message, in windows of several sizes: every request obeys the laws, fits
/// or is said to be exhausted, and the journal has every message as it came.
void keeps_the_laws(auto const& make) {
    std::uint64_t changed = 0;
    std::uint64_t requests = 0;
    for (std::uint64_t seed = 1; seed <= 3 + rounds(57); ++seed) {
        laws::conversation_generator random{seed};
        auto const all = random.make();
        std::uint64_t size = 0;
        for (auto const& m : all) size += words(m).size();
        staged session{make, {seed % 3 == 0 ? size / 4 + 50 : seed % 3 == 1 ? size / 2 + 50 : 2 * size + 50}};
        for (std::size_t index = 0; index < all.size(); ++index) {
            CAPTURE(seed, index);
            session.push(all[index]);
            auto const made = session.prepare();
            if (index == 0) CHECK(names_differ(made));
            changed += made.changed() ? 1u : 0u;
            ++requests;
            keeps_the_task(session, made.after.tokens, 60);
            CHECK((made.fits() || made.outcome == condense::outcome::exhausted || !made.changed()));
            if (made.changed() || index + 1 == all.size()) {
                auto const judged =
                    laws::checker{{all.begin(), all.begin() + static_cast<std::ptrdiff_t>(index) + 1}, sent(session)};
                CHECK(judged.violations() == laws::broken{});
            }
        }
        auto const kept = session.things.recorded();
        REQUIRE(kept.size() == all.size());
        for (std::size_t index = 0; index < all.size(); ++index) CHECK(kept[index] == condense::to_bytes(all[index]));
    }
    CHECK(changed * 40 > requests);
}

}  // namespace stage
