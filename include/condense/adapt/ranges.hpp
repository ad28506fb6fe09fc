// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <condense/adapt/ranges_selection.hpp>
#include <condense/core/estimator.hpp>
#include <condense/core/outline.hpp>
#include <condense/core/reduce.hpp>
#include <condense/core/usage.hpp>
#include <condense/detail/saturate.hpp>
#include <condense/layer/sliding_window.hpp>

// range-v3 views of a history that stays as it is: what the layers would select, by const reference.
// history | views::groups, | views::newest_within(20'000_tokens), | views::window(100_messages);
// views::of(dry_run(history, mix, budget)).

namespace condense {
inline namespace v1 {

/// Messages joined by shared calls, or one message, in the order in which they joined. Shares ownership of the view's
/// results, not of the history.
template <message Message>
class message_group : public ranges::view_interface<message_group<Message>, ranges::finite> {
    using cursor = detail::selection_cursor<detail::pointee_at<Message>>;

public:
    message_group() = default;
    message_group(std::shared_ptr<Message const* const> first, std::size_t size) noexcept
        : first_{std::move(first)}, size_{size} {}

    auto begin() const noexcept { return ranges::basic_iterator<cursor>{cursor{{first_.get()}, 0}}; }
    auto end() const noexcept { return ranges::basic_iterator<cursor>{cursor{{first_.get()}, size_}}; }

private:
    std::shared_ptr<Message const* const> first_;
    std::size_t size_ = 0;
};

namespace detail {

/// The estimator of selections that need no tokens: reads no text.
struct uncounted {
    constexpr cost operator()(std::string_view) const noexcept { return {}; }
};

/// The cost of a message in a request: of its frame and of its parts.
template <token_estimator Estimator, message Message>
constexpr cost message_cost(Estimator const& estimator, Message const& m) {
    auto sum = frame_cost(estimator, v1::role_of(m), [&] { return v1::name_of(m); });
    v1::each_part(m, [&](part_view const& part) { sum += part_cost(estimator, part); });
    return sum;
}

/// The newest messages up to `limit`, without a gap: stops at the first that does not fit, so that no answer stands
/// without the message before it. A sum equal to the limit fits.
template <token_estimator Estimator>
struct newest_selection {
    cost limit = {};
    Estimator estimator = {};

    template <class History, class Message>
    constexpr void operator()(History& history, std::vector<Message const*>& selected) const {
        source<History> const all{history};
        cost sum;
        auto begin = all.size();
        while (begin != 0 && (sum += message_cost(estimator, all[begin - 1])) <= limit) --begin;
        for (; begin != all.size(); ++begin) selected.push_back(address_of(all[begin]));
    }
};

/// The messages that a sliding window of `limit` messages leaves, by a dry run, because groups are kept whole.
struct window_selection {
    messages limit = {};

    template <class History, class Message>
    constexpr void operator()(History& history, std::vector<Message const*>& selected) const {
        auto const mix = pipeline{window_layer<>::of(limit)};
        auto const reduced = v1::dry_run(history, mix, budget{.window = {u64_limit}}, uncounted{});
        reduced.each_place([&](std::uint32_t index) { selected.push_back(address_of(reduced.original(index))); },
                           [](auto const&) {});
    }
};

/// The members of all groups in one vector, and the end of each group. Groups share ownership of it.
template <class History>
class grouped_history : public std::enable_shared_from_this<grouped_history<History>> {
public:
    using message_type = typename source<History>::message_type;

    explicit grouped_history(History history) : history_{std::move(history)} {}

    void evaluate() {
        if (evaluated_) return;
        source<History> const all{history_};
        outline history_outline;
        for (std::size_t index = 0; index < all.size(); ++index) history_outline.append(all[index], uncounted{});
        std::vector<message_type const*> members;
        std::vector<std::size_t> ends;
        members.reserve(all.size());
        for (std::uint32_t group_id = 0; group_id < history_outline.group_count(); ++group_id) {
            if (history_outline.group_at(group_id).count == 0) continue;
            for (auto const index : history_outline.members_of(group_id)) members.push_back(address_of(all[index]));
            ends.push_back(members.size());
        }
        // Assigned at the end: if a message throws, the next access starts again.
        members_ = std::move(members);
        ends_ = std::move(ends);
        evaluated_ = true;
    }
    std::size_t size() const noexcept { return ends_.size(); }
    element_access<grouped_history> access() noexcept { return {this}; }
    /// A group that keeps this storage alive.
    message_group<message_type> element(std::size_t index) const {
        auto const begin = index == 0 ? 0 : ends_[index - 1];
        return {std::shared_ptr<message_type const* const>{this->shared_from_this(), members_.data() + begin},
                ends_[index] - begin};
    }

private:
    History history_;
    std::vector<message_type const*> members_;
    std::vector<std::size_t> ends_;
    bool evaluated_ = false;
};

/// views::groups.
struct group_verb {
    template <class History>
    constexpr auto operator()(History&& history) const {
        if constexpr (accepted_history<History>()) {
            using storage = grouped_history<decltype(view_of_history(std::forward<History>(history)))>;
            return selection<storage>{std::make_shared<storage>(view_of_history(std::forward<History>(history)))};
        }
    }
};

template <class Reduction>
inline constexpr bool is_reduction = false;
template <class History, class Estimator, std::size_t Layers>
inline constexpr bool is_reduction<reduction<History, Estimator, Layers>> = true;

/// The messages that a reduction would send. Storage is the reduction, or a pointer to one that must outlive this.
/// Summaries and edited messages are rendered on first access and kept; references to elements stay valid.
template <class Storage>
class sent_messages {
public:
    using reduction_type = std::remove_cvref_t<std::remove_pointer_t<Storage>>;
    using message_type = typename reduction_type::message_type;

    explicit sent_messages(Storage storage) : storage_{std::move(storage)} {}

    void evaluate() {
        if (evaluated_) return;
        std::vector<sent> elements;
        reduction().each_sent([&](sent_place place) { elements.push_back({place, nullptr}); });
        messages_ = std::move(elements);
        evaluated_ = true;
    }
    std::size_t size() const noexcept { return messages_.size(); }
    element_access<sent_messages> access() noexcept { return {this}; }
    message_type const& element(std::size_t index) {
        auto& [place, message] = messages_[index];
        if (place.kind == sent_kind::original) return reduction().original(place.index);
        if (message == nullptr) message.reset(new message_type(reduction().make(place)));
        return *message;
    }

private:
    /// A place of the request, and the message once it is rendered; null for an original.
    struct sent {
        sent_place place;
        std::unique_ptr<message_type> message;
    };
    constexpr reduction_type const& reduction() const noexcept {
        if constexpr (std::is_pointer_v<Storage>) return *storage_;
        else return storage_;
    }

    Storage storage_;
    std::vector<sent> messages_;
    bool evaluated_ = false;
};

/// views::of.
struct of_verb {
    template <class Reduction>
    constexpr auto operator()(Reduction&& reduced) const {
        using plain = std::remove_cvref_t<Reduction>;
        static_assert(is_reduction<plain>,
                      "condense: views.of: what is given must be a reduction, as dry_run, draft, or reduce of a const "
                      "history makes it (see reduction)");
        if constexpr (is_reduction<plain>) {
            static_assert(std::is_lvalue_reference_v<decltype(reduced.original(0))>,
                          "condense: views.of: the elements of the history must be there to be referred to, not made "
                          "when read (see message)");
            if constexpr (std::is_lvalue_reference_v<Reduction>) {
                using storage = sent_messages<plain const*>;
                return selection<storage>{std::make_shared<storage>(address_of(reduced))};
            } else {
                using storage = sent_messages<plain>;
                return selection<storage>{std::make_shared<storage>(std::forward<Reduction>(reduced))};
            }
        }
    }
};

/// views::newest_within.
struct newest_verb {
    template <class Limit, class Estimator = default_estimator<>>
    constexpr auto operator()(Limit limit, Estimator estimator = {}) const {
        static_assert(std::same_as<Limit, tokens> || std::same_as<Limit, budget>,
                      "condense: views.newest_within: the limit must be in tokens, such as 20'000_tokens, or a budget "
                      "(see tokens)");
        static_assert(
            token_estimator<Estimator>,
            "condense: views.newest_within: the estimator must take a text and give a cost (see token_estimator)");
        if constexpr (token_estimator<Estimator>) {
            using verb = pick<newest_selection<Estimator>>;
            if constexpr (std::same_as<Limit, budget>)
                return view_closure<verb>{verb{{cost::of(limit.input() - limit.overhead), std::move(estimator)}}};
            else return view_closure<verb>{verb{{cost::of(limit), std::move(estimator)}}};
        }
    }
};

/// views::window.
struct window_verb {
    template <class Count>
    constexpr auto operator()(Count count) const {
        static_assert(std::same_as<Count, messages>,
                      "condense: views.window: the count must be in messages, such as 100_messages (see messages)");
        using verb = pick<window_selection>;
        if constexpr (std::same_as<Count, messages>) return view_closure<verb>{verb{{count}}};
    }
};

}  // namespace detail

// Random-access ranges of `Message const&` (`groups`: of `message_group`), evaluated at the first `begin` or `end`:
// until then no message is read, and from then on the history may not change. Copies share the result; they are for one
// thread at a time. A container is referred to, a view is copied, and a temporary container does not compile.
namespace views {

/// The groups, oldest first: messages that are only dropped together. Reads every message once.
inline constexpr detail::view_closure<detail::group_verb> groups{};

/// `newest_within(limit, estimator)`: the newest messages that fit, without a gap, as `newest(limit)` protects them.
/// With a budget the limit is its input without the overhead. Reads those messages, and the first that does not fit.
inline constexpr detail::newest_verb newest_within{};

/// `window(count)`: the messages that `sliding_window{.when = used > count, .until = used <= count}` leaves, by a dry
/// run. Reads every message once.
inline constexpr detail::window_verb window{};

/// `of(reduction)`: the messages that would be sent; summaries and edited messages are rendered on first access and
/// kept. A temporary reduction moves into the view, any other has to outlive it.
inline constexpr detail::view_closure<detail::of_verb> of{};

}  // namespace views
}  // namespace v1
}  // namespace condense
