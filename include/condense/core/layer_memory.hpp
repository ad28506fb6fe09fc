// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <condense/core/pipeline.hpp>

// What a session does with the memories of its layers: saves them as text, takes them back, and tells them
// that the program has rewritten its messages.

namespace condense {
inline namespace v1 {
namespace detail {

/// A memory that a session can save: `save() -> std::string`, `load(text, most) -> bool`, false for text that is not its own;
/// `most` are the messages that the session holds.
template <class Memory>
concept saved_memory = requires(Memory& kept, Memory const& same, std::string_view text) {
    { same.save() } -> std::same_as<std::string>;
    { kept.load(text, std::size_t{}) } -> std::same_as<bool>;
};
/// A memory that can go back to when message `first` had not come; another begins anew.
template <class Memory>
concept rewinding_memory = requires(Memory& kept, std::uint64_t first) { kept.rewind(first); };

template <class Mix, class Memory, class Function>
void each_memory(Mix const& mix, Memory& kept, Function& f) {
    mix.each_with_memory(kept, [&](auto const& layer, auto& one) {
        if constexpr (is_pipeline<std::remove_cvref_t<decltype(layer)>>) each_memory(layer, one, f);
        else f(one);
    });
}

/// False where a memory can not be saved.
template <class Mix, class Memory>
bool save_memories(Mix const& mix, Memory& kept, std::vector<std::string>& out) {
    if constexpr (requires { mix.save_memory(kept, out); }) return mix.save_memory(kept, out);
    else {
        bool good = true;
        auto const save = [&](auto& one) {
            using type = std::remove_cvref_t<decltype(one)>;
            good = good && (std::is_empty_v<type> || saved_memory<type>);
            if constexpr (saved_memory<type>) out.push_back(one.save());
            else out.emplace_back();
        };
        each_memory(mix, kept, save);
        return good;
    }
}

/// False where a text is not what its layer saves.
template <class Mix, class Memory>
bool load_memories(Mix const& mix, Memory& kept, std::vector<std::string> const& from, std::size_t most) {
    if constexpr (requires { mix.load_memory(kept, from, most); }) return mix.load_memory(kept, from, most);
    else {
        std::size_t at = 0;
        bool good = true;
        auto const load = [&](auto& one) {
            good = good && at < from.size();
            if (!good) return;
            if constexpr (saved_memory<std::remove_cvref_t<decltype(one)>>) good = one.load(from[at], most);
            else good = from[at].empty();
            ++at;
        };
        each_memory(mix, kept, load);
        return good && at == from.size();
    }
}

template <class Mix, class Memory>
void rewind_memories(Mix const& mix, Memory& kept, std::uint64_t first) {
    if constexpr (requires { mix.rewind_memory(kept, first); }) mix.rewind_memory(kept, first);
    else {
        auto const rewind = [&](auto& one) {
            if constexpr (rewinding_memory<std::remove_cvref_t<decltype(one)>>) one.rewind(first);
            else one = {};
        };
        each_memory(mix, kept, rewind);
    }
}

}  // namespace detail
}  // namespace v1
}  // namespace condense
