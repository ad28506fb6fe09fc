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

// The messages of a session: a container of its own, or the program's by std::ref. Digests of the messages detect what
// the program changes in its container.

namespace condense {
inline namespace v1 {
namespace detail {

/// std::reference_wrapper, without including <functional>.
template <class Messages>
concept refers_to_messages = requires(Messages const& reference) {
    typename Messages::type;
    { reference.get() } -> std::same_as<typename Messages::type&>;
};

/// A digest of everything that is read of a message; equal messages have equal digests. 64 bits, without a key: against
/// accidents, not against messages made to collide.
template <message Message>
std::uint64_t digest_of(Message const& m) {
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

/// Owns the messages: nobody else changes them, so there are no digests, and the functions for them do nothing.
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
    void add_digest(Message const&) const noexcept {}
    template <class Message>
    void append(Message&& m) {
        all_.push_back(std::forward<Message>(m));
    }

    struct digests {};
    static digests digests_of(container const&) noexcept { return {}; }
    /// Exchanges the messages with `all`.
    void adopt(container& all, digests) noexcept { std::swap(all_, all); }

private:
    Messages all_;
};

/// Refers to the program's container, and holds a digest of each message that the session has read. The container may
/// have more messages than that, or others: `first_difference` tells.
template <refers_to_messages Messages>
class message_container<Messages> {
public:
    using container = typename Messages::type;
    static constexpr bool borrowed = true;

    explicit message_container(Messages all) : all_{all} {}
    container& get() const noexcept { return all_.get(); }
    /// Messages that are in the container now, read or not.
    std::size_t size() const noexcept {
        return static_cast<std::size_t>(ranges_access::end_of(get()) - ranges_access::begin_of(get()));
    }

    /// Room for one digest more; after it `add_digest` fails only if reading the message does.
    void reserve() { grow(digests_, 1); }
    template <class Message>
    void add_digest(Message const& m) {
        digests_.push_back(digest_of(m));
    }
    void remove_last_digest() noexcept { digests_.pop_back(); }
    /// If it fails, the message is not moved from.
    template <class Message>
    void append(Message&& m) {
        add_digest(m);
        scope_exit failed{[this]() noexcept { remove_last_digest(); }};
        get().push_back(std::forward<Message>(m));
        failed.release();
    }
    using digests = std::vector<std::uint64_t>;
    static digests digests_of(container const& all) {
        digests result;
        for (auto const& m : all) result.push_back(digest_of(m));
        return result;
    }
    /// Exchanges the messages with `all`, whose digests these are.
    void adopt(container& all, digests of_all) noexcept {
        std::swap(get(), all);
        digests_.swap(of_all);
    }
    /// Computes the digests of messages from `first` up to `size` anew, and forgets those behind. Strong.
    void replace_digests(std::size_t first, std::size_t size) {
        auto all = digests_;
        all.resize(first);
        all.reserve(size);
        for (auto index = first; index < size; ++index)
            all.push_back(digest_of(ranges_access::begin_of(get())[static_cast<std::ptrdiff_t>(index)]));
        digests_.swap(all);
    }

    /// The first message that differs from its digest or is missing; the number of digests if none does. Compares nine
    /// samples, the last message among them, and all messages if a sample differs or it has to be `thorough`: an edit
    /// between the samples is not seen otherwise, but a call costs the same at any length.
    std::size_t first_difference(bool thorough) const {
        auto const present_count = size();
        auto const digest_count = digests_.size();
        bool compare_all = thorough || present_count < digest_count;
        constexpr std::size_t samples = 8;
        for (std::size_t sample = 0; !compare_all && digest_count != 0 && sample < samples; ++sample)
            compare_all = differs(sample * digest_count / samples);
        compare_all = compare_all || (digest_count != 0 && differs(digest_count - 1));
        if (!compare_all) return digest_count;
        for (std::size_t index = 0; index < digest_count; ++index)
            if (index >= present_count || differs(index)) return index;
        return digest_count;
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
