// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <condense/condense.hpp>
#include <condense/store/memory.hpp>
#include <condense/store/memory_journal.hpp>

#include "laws/checker.hpp"
#include "laws/generator.hpp"
#include "support/catch.hpp"
#include "support/effort.hpp"
#include "support/notation.hpp"

// What tests of presets share: a model that counts, and what every preset keeps whatever
// it is given.

namespace stage {

using namespace condense::literals;
using namespace notation;

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

inline std::string numbered_lines(std::size_t count) {
    std::string all;
    for (std::size_t line = 1; line <= count; ++line) all += "line " + std::to_string(line) + "\n";
    return all;
}

/// A session that begins so, where one byte is one token.
template <class Mix>
auto opened(Mix const& mix, condense::tokens window, conversation first = {}) {
    return condense::session<conversation, Mix, per_byte>{std::move(first), mix, condense::budget{.window = window}};
}

template <class Session>
std::string sent_text(Session const& session, std::size_t index) {
    return words(sent(session).at(index));
}

/// One call and its result.
template <class Session>
void run_tool(Session& session, std::string const& id, std::string const& tool, std::string result,
              std::string arguments = "{}") {
    push(session, {C(id, tool, std::move(arguments)), R(id, std::move(result))});
}

/// Turns of one question and one answer, of `size` tokens each.
template <class Session>
void talk(Session& session, std::size_t count, std::size_t size) {
    for (std::size_t turn = 0; turn < count; ++turn) push(session, {U(letters(size, 'q')), A(letters(size, 'a'))});
}

/// Layers that cannot be told apart in a report help nobody.
inline bool names_differ(auto const& made) {
    std::set<std::string_view> names;
    for (auto const& layer : made.layers) names.insert(layer.name);
    return !names.empty() && names.size() == made.layers.size();
}

/// Random conversations, message by message, in windows of several sizes: every request obeys the laws, fits
/// or is said to be exhausted, and the journal has every message as it came.
template <class Make>
void keeps_the_laws(Make const& make) {
    std::uint64_t changed = 0;
    std::uint64_t requests = 0;
    for (std::uint64_t seed = 1; seed <= 3 + rounds(57); ++seed) {
        desk things;
        auto const mix = make(things);
        laws::conversation_generator random{seed};
        auto const all = random.make();
        std::uint64_t size = 0;
        for (auto const& m : all) size += words(m).size();
        auto session = opened(mix, {seed % 3 == 0 ? size / 4 + 50 : seed % 3 == 1 ? size / 2 + 50 : 2 * size + 50});
        for (std::size_t index = 0; index < all.size(); ++index) {
            CAPTURE(seed, index);
            session.push(all[index]);
            auto const made = session.prepare();
            if (index == 0) CHECK(names_differ(made));
            changed += made.changed() ? 1u : 0u;
            ++requests;
            CHECK((made.fits() || made.outcome == condense::outcome::exhausted || !made.changed()));
            if (made.changed() || index + 1 == all.size()) {
                auto const judged =
                    laws::checker{{all.begin(), all.begin() + static_cast<std::ptrdiff_t>(index) + 1}, sent(session)};
                CHECK(judged.violations() == laws::broken{});
            }
        }
        auto const kept = things.recorded();
        REQUIRE(kept.size() == all.size());
        for (std::size_t index = 0; index < all.size(); ++index) CHECK(kept[index] == condense::to_bytes(all[index]));
    }
    CHECK(changed * 40 > requests);
}

}  // namespace stage
