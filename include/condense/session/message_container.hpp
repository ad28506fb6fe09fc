// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include <condense/core/message.hpp>
#include <condense/detail/fnv.hpp>
#include <condense/detail/grow.hpp>
#include <condense/detail/scope_exit.hpp>
#include <condense/detail/source.hpp>

// The messages of a session: a container of its own, or the program's by std::ref. What the program does
// to its own is found by digests of the messages.

namespace condense {
inline namespace v1 {
namespace detail {

/// std::reference_wrapper, without including <functional>.
template <class Messages>
concept refers_to_messages = requires(Messages const& given) {
    typename Messages::type;
    { given.get() } -> std::same_as<typename Messages::type&>;
};

/// Of all that is read of a message; equal messages have equal digests. 64 bits: not for hostile equality.
template <message Message>
constexpr std::uint64_t digest_of(Message const& m) {
    auto state = fnv_basis;
    auto const number = [&](std::uint64_t value) { state = fnv1a(state, value); };
    auto const text = [&](std::string_view bytes) { state = fnv1a(bytes, fnv1a(state, bytes.size())); };
    number(static_cast<std::uint64_t>(v1::role_of(m)));
    v1::each_part(m, [&](part_view const& part) {
        number(static_cast<std::uint64_t>(part.kind) * 256 + static_cast<std::uint64_t>(part.status) * 2 +
               (part.sealed ? 1u : 0u));
        number((part.cost ? *part.cost : v1::cost{u64_limit}).steps);
        text(part.tool);
        text(part.call);
        text(part.text);
    });
    return state;
}

template <class Messages>
class message_container {
public:
    using container = Messages;
    static constexpr bool borrowed = false;

    explicit message_container(Messages all) : all_(std::move(all)) {}
    container& get() noexcept { return all_; }
    container const& get() const noexcept { return all_; }

    void reserve() const noexcept {}
    template <class Message>
    void note(Message const&) const noexcept {}
    template <class Message>
    void append(Message&& m) {
        all_.push_back(std::move(m));
    }

    /// What `adopt` needs to know of these messages.
    struct facts {};
    static facts look_at(container const&) noexcept { return {}; }
    void adopt(container& all, facts) noexcept { std::swap(all_, all); }

private:
    Messages all_;
};

template <refers_to_messages Messages>
class message_container<Messages> {
public:
    using container = typename Messages::type;
    static constexpr bool borrowed = true;

    explicit message_container(Messages all) : all_{all} {}
    container& get() const noexcept { return all_.get(); }
    std::size_t size() const noexcept {
        return static_cast<std::size_t>(ranges_access::end_of(get()) - ranges_access::begin_of(get()));
    }

    /// Room for one digest more; after it `note` fails only where reading the message does.
    void reserve() { grow(digests_, 1); }
    template <class Message>
    void note(Message const& m) {
        digests_.push_back(digest_of(m));
    }
    void take_back() noexcept { digests_.pop_back(); }
    /// When it fails, the message is not moved from.
    template <class Message>
    void append(Message&& m) {
        note(m);
        scope_exit noted{[this]() noexcept { take_back(); }};
        get().push_back(std::move(m));
        noted.release();
    }
    using facts = std::vector<std::uint64_t>;
    static facts look_at(container const& all) {
        facts made;
        for (auto const& m : all) made.push_back(digest_of(m));
        return made;
    }
    void adopt(container& all, facts made) noexcept {
        std::swap(get(), all);
        digests_.swap(made);
    }
    /// Messages from `first` up to `size` are others.
    void note_anew(std::size_t first, std::size_t size) {
        auto all = digests_;
        all.resize(first);
        all.reserve(size);
        for (auto index = first; index < size; ++index)
            all.push_back(digest_of(ranges_access::begin_of(get())[static_cast<std::ptrdiff_t>(index)]));
        digests_.swap(all);
    }

    /// The first message that is not as it was noted; the number noted where all are. Looks at the last
    /// and at eight in fixed places, and at all where one of these differs or it is told to.
    std::size_t first_difference(bool thorough) const {
        auto const there = size();
        auto const noted = digests_.size();
        bool all = thorough || there < noted;
        constexpr std::size_t places = 8;
        for (std::size_t place = 0; !all && noted != 0 && place < places; ++place)
            all = differs(place * noted / places);
        all = all || (noted != 0 && differs(noted - 1));
        if (!all) return noted;
        for (std::size_t index = 0; index < noted; ++index)
            if (index >= there || differs(index)) return index;
        return noted;
    }

private:
    bool differs(std::size_t index) const {
        return digest_of(ranges_access::begin_of(get())[static_cast<std::ptrdiff_t>(index)]) != digests_[index];
    }

    Messages all_;
    std::vector<std::uint64_t> digests_;
};

}  // namespace detail
}  // namespace v1
}  // namespace condense
