// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <condense/core/message.hpp>
#include <condense/core/store.hpp>

// A journal for tests: it shows every line, and fails or throws at the call that a test picks.

namespace tapes {

/// A name for a content, by FNV-1a of 64 bits.
inline condense::reference name_of(std::string_view bytes) {
    condense::reference out;
    std::uint64_t mixed = 0xCBF29CE484222325u;
    for (char const each : bytes) mixed = (mixed ^ static_cast<unsigned char>(each)) * 0x100000001B3u;
    for (auto& byte : out.digest) {
        mixed = (mixed ^ 1u) * 0x100000001B3u;
        byte = static_cast<std::uint8_t>(mixed >> 40);
    }
    return out;
}

enum class verb { append, flush, read };

/// A handle: copies share the lines.
struct tape {
    static constexpr bool durable = true;

    struct line {
        std::string conversation;
        condense::journal_entry entry;
        std::string content;
    };
    struct state {
        std::vector<line> lines;
        std::size_t kept = 0;  ///< how many of them a flush has kept
        std::size_t calls[3] = {};
        std::size_t fails_at[3] = {};  ///< the number of the call that fails, from 1; 0 for none
        bool down[3] = {};             ///< every call fails
        bool throws = false;           ///< instead of an error
    };
    std::shared_ptr<state> held = std::make_shared<state>();

    condense::reference name(std::string_view bytes) const { return name_of(bytes); }
    condense::store_error append(std::string_view conversation, condense::journal_entry const& entry,
                                 std::string_view content) const {
        if (auto const problem = call(verb::append)) return problem;
        held->lines.push_back({std::string{conversation}, entry, std::string{content}});
        return {};
    }
    condense::store_error flush(std::string_view) const {
        if (auto const problem = call(verb::flush)) return problem;
        held->kept = held->lines.size();
        return {};
    }
    condense::store_error read(std::string_view conversation, auto&& f) const {
        if (auto const problem = call(verb::read)) return problem;
        for (auto const& each : held->lines)
            if (each.conversation == conversation) f(each.entry, std::string_view{each.content});
        return {};
    }

    // For the tests.

    void fail_at(verb which, std::size_t call) const {
        held->fails_at[static_cast<std::size_t>(which)] = held->calls[static_cast<std::size_t>(which)] + call;
    }
    void down(verb which, bool is = true) const { held->down[static_cast<std::size_t>(which)] = is; }
    std::size_t calls(verb which) const { return held->calls[static_cast<std::size_t>(which)]; }

    /// The contents of the messages that came, in order.
    std::vector<std::string> messages(std::string_view conversation = {}) const {
        std::vector<std::string> out;
        for (auto const& each : held->lines)
            if (each.conversation == conversation && !each.entry.is_derived) out.push_back(each.content);
        return out;
    }
    std::vector<std::uint64_t> numbers(std::string_view conversation = {}) const {
        std::vector<std::uint64_t> out;
        for (auto const& each : held->lines)
            if (each.conversation == conversation && !each.entry.is_derived) out.push_back(each.entry.number);
        return out;
    }
    std::size_t made(std::string_view conversation = {}) const {
        std::size_t count = 0;
        for (auto const& each : held->lines)
            count += each.conversation == conversation && each.entry.is_derived ? 1u : 0u;
        return count;
    }

private:
    condense::store_error call(verb which) const {
        auto const index = static_cast<std::size_t>(which);
        if (++held->calls[index] != held->fails_at[index] && !held->down[index]) return {};
        if (held->throws) throw std::runtime_error{"the journal threw"};
        return {"no space left"};
    }
};
static_assert(condense::journal<tape>);

/// What a journal must hold of these messages.
template <class Messages>
std::vector<std::string> bytes_of(Messages const& all) {
    std::vector<std::string> out;
    for (auto const& m : all) out.push_back(condense::to_bytes(m));
    return out;
}

/// 0, 1, 2, …
inline std::vector<std::uint64_t> counting(std::size_t count) {
    std::vector<std::uint64_t> out;
    for (std::size_t index = 0; index < count; ++index) out.push_back(index);
    return out;
}

}  // namespace tapes
