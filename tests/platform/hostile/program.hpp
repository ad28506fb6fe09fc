// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// A user's own types, whose operators and whose namespace make trouble wherever the library would use
// a built-in comma or address-of on them. Both translation units see them, after condense.

namespace hostile {

// Unconstrained, so that argument-dependent lookup finds them also for templates of our types.
template <class Left, class Right>
void operator,(Left&&, Right&&) = delete;
template <class Any>
void operator&(Any&&) = delete;

struct line {
    std::string speaker = {};
    std::string words = {};

    friend bool operator==(line const&, line const&) = default;
};

/// A vector whose iterators are ours; Category says how far they go.
template <class Category>
class list {
    template <class Item, class Inner>
    struct step {
        using iterator_category = Category;
        using value_type = line;
        using difference_type = std::ptrdiff_t;
        using pointer = Item*;
        using reference = Item&;

        Inner at = {};

        Item& operator*() const { return *at; }
        Item* operator->() const { return at.operator->(); }
        Item& operator[](std::ptrdiff_t places) const { return at[places]; }
        step& operator++() { return static_cast<void>(++at), *this; }
        step& operator--() { return static_cast<void>(--at), *this; }
        step operator++(int) { return {at++}; }
        step operator--(int) { return {at--}; }
        step& operator+=(std::ptrdiff_t places) { return static_cast<void>(at += places), *this; }
        step& operator-=(std::ptrdiff_t places) { return static_cast<void>(at -= places), *this; }
        friend step operator+(step from, std::ptrdiff_t places) { return {from.at + places}; }
        friend step operator+(std::ptrdiff_t places, step from) { return {from.at + places}; }
        friend step operator-(step from, std::ptrdiff_t places) { return {from.at - places}; }
        friend std::ptrdiff_t operator-(step const& left, step const& right) { return left.at - right.at; }
        friend bool operator==(step const& left, step const& right) { return left.at == right.at; }
        friend auto operator<=>(step const& left, step const& right) { return left.at <=> right.at; }
    };

public:
    using value_type = line;
    using iterator = step<line, std::vector<line>::iterator>;
    using const_iterator = step<line const, std::vector<line>::const_iterator>;

    iterator begin() { return {lines_.begin()}; }
    iterator end() { return {lines_.end()}; }
    const_iterator begin() const { return {lines_.begin()}; }
    const_iterator end() const { return {lines_.end()}; }
    iterator erase(iterator from, iterator to) { return {lines_.erase(from.at, to.at)}; }
    void push_back(line one) { lines_.push_back(std::move(one)); }
    std::size_t size() const { return lines_.size(); }

private:
    std::vector<line> lines_;
};

/// The same without erase, so that it has to be filled anew.
class queue {
public:
    auto begin() { return all_.begin(); }
    auto end() { return all_.end(); }
    auto begin() const { return all_.begin(); }
    auto end() const { return all_.end(); }
    void push_back(line one) { all_.push_back(std::move(one)); }
    std::size_t size() const { return all_.size(); }

private:
    list<std::forward_iterator_tag> all_;
};

struct estimator {
    condense::cost operator()(std::string_view text) const { return condense::cost::of({text.size()}); }
    condense::cost frame(condense::role) const { return condense::cost::of({1}); }
};

struct shelf {
    condense::reference name(std::string_view content) const {
        condense::reference made;
        made.digest.front() = static_cast<unsigned char>(1 + content.size() % 255);
        return made;
    }
    std::optional<std::string> get(condense::reference const&) const { return std::nullopt; }
    condense::store_error put(condense::reference const&, std::string_view) const {
        ++*puts;
        return {};
    }
    std::size_t* puts = nullptr;
};

struct model {
    std::string operator()(std::string_view) const { return "They spoke of the weather."; }
};

struct starred {
    bool operator()(condense::part_view const& part) const { return part.text.substr(0, 1) == "*"; }
};

struct half {
    std::optional<std::string> operator()(condense::part_view const& part, condense::cut) const {
        if (part.text.size() < 20) return std::nullopt;
        return std::string{part.text.substr(0, 10)};
    }
};

struct gain {
    bool pays(condense::tokens, condense::usage const&) const { return true; }
};

/// A trigger of the user's own; what it binds to is ours, too.
struct above {
    struct bound {
        std::uint64_t limit = 0;
        bool operator()(condense::usage const& now) const { return now.tokens.count <= limit; }
        bound bind(condense::tokens) const { return {limit}; }
    };
    std::uint64_t limit = 0;

    bool due(condense::usage const& now) const noexcept { return now.tokens.count > limit; }
    condense::measure fired(condense::usage const& now) const {
        return due(now) ? condense::measure::token_count : condense::measure::none;
    }
    bound bind(condense::tokens) const { return {limit}; }
    bound target() const { return {limit / 2}; }
    condense::messages message_limit() const { return {}; }
};

struct clock {
    condense::instant operator()() const { return {}; }
};

struct stop {
    bool stop_requested() const { return false; }
};

/// A layer of the user's own, with a memory.
struct counting_layer {
    struct memory {
        std::size_t groups = 0;
    };
    static constexpr auto effects = condense::drops;

    void reduce(auto& draft, auto& pass) const {
        for (auto const group : draft.groups()) {
            ++pass.memory.groups;
            draft.each_part(group, [&](condense::part_ref, condense::part_view const& part) {
                if (part.text == "ping") pass.note(draft.drop(group));
            });
        }
    }
};

}  // namespace hostile

template <>
struct condense::message_traits<hostile::line>
    : condense::role_and_text<&hostile::line::speaker, &hostile::line::words> {
    static bool pinned(hostile::line const& m) { return m.speaker == "pin"; }
    static std::string name_of(hostile::line const& m) { return m.speaker; }
};

namespace program {

inline auto make_mix(hostile::shelf shelf) {
    return condense::pipeline{
        hostile::counting_layer{},
        condense::pipeline{condense::offload{.when = hostile::above{900},
                                             .protect = hostile::starred{},
                                             .worth = hostile::gain{},
                                             .over = condense::chars{100},
                                             .preview = hostile::half{},
                                             .into = shelf},
                           condense::compress{.when = hostile::above{800},
                                              .protect = condense::task | hostile::starred{},
                                              .over = condense::chars{30},
                                              .with = hostile::half{}}},
        condense::summarize{.when = condense::used >= condense::percent{5'000}, .with = hostile::model{}},
        condense::sliding_window{.when = condense::used >= condense::percent{9'000}},
        condense::escalate{.when = condense::used >= condense::percent{9'000}}};
}

using mix = decltype(make_mix({}));

template <class History>
History make_history() {
    History made;
    made.push_back({"system", "Be brief."});
    for (int turn = 0; turn < 20; ++turn) {
        made.push_back({"user", "What is the weather like today, and where?"});
        made.push_back({"assistant", "ping"});
        made.push_back({"tool", std::string(turn % 3 == 0 ? 150 : 60, 'x')});
        made.push_back({"assistant", "It rains."});
    }
    made.push_back({"user", "And now?"});
    return made;
}

/// What a translation unit found: the same in each.
struct findings {
    std::size_t messages = 0;
    std::uint64_t tokens = 0;
    std::size_t puts = 0;
    std::string text;

    friend bool operator==(findings const&, findings const&) = default;
};

template <class History>
void reduce_once(findings& into) {
    auto history = make_history<History>();
    condense::run_options<hostile::clock, hostile::stop> const options{};
    auto const made = condense::reduce(history, make_mix({std::addressof(into.puts)}),
                                       {.window = condense::tokens{1'000}}, hostile::estimator{}, options);
    into.messages += history.size();
    into.tokens += made.after.tokens.count;
    into.text += made.text();
}

inline findings run() {
    findings made;
    reduce_once<hostile::list<std::random_access_iterator_tag>>(made);
    reduce_once<hostile::list<std::forward_iterator_tag>>(made);
    reduce_once<hostile::queue>(made);

    auto const fixed = make_history<std::vector<hostile::line>>();
    auto const layers = make_mix({std::addressof(made.puts)});
    auto const reduced = condense::reduce(fixed, layers, {.window = condense::tokens{1'000}}, hostile::estimator{});
    reduced.each([&](hostile::line const& m) { made.text += m.words; });
    auto const dry = layers.draft(fixed, {.window = condense::tokens{1'000}}, hostile::estimator{});
    made.text += dry.report().text();

    condense::session session{std::vector<hostile::line>{}, layers, condense::budget{.window = condense::tokens{1'000}},
                              hostile::estimator{}};
    for (auto const& one : fixed)
        if (session.push(one)) made.tokens += session.prepare().after.tokens.count;
    for (hostile::line const& m : session.request()) made.messages += m.words.size();
    return made;
}

findings run_in_first();
findings run_in_second();

}  // namespace program
