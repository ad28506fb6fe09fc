// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <exception>

#include <condense/condense.hpp>
#include <condense/store/memory.hpp>
#include <condense/store/memory_journal.hpp>

#include "support/messages/form.hpp"

// Points at which a run may fail: every allocation (see allocations.test.cpp) and every call of user code.
// The n-th one throws; nothing else of a run differs.

namespace faults {

struct injected : std::exception {
    char const* what() const noexcept override { return "injected"; }
};

/// Points passed since the last `arm`, and the one that throws; none when it is 0.
inline std::uint64_t passed = 0;
inline std::uint64_t armed = 0;
inline bool watching = false;
inline bool allocations_fail = true;

/// True where the point is the one that fails.
inline bool fails_here() noexcept { return watching && ++passed == armed; }

inline bool allocation_fails_here() noexcept { return allocations_fail && fails_here(); }

/// A call of user code.
inline void point() {
    if (fails_here()) throw injected{};
}

/// Counts, and fails at the n-th point, for a scope; 0 only counts.
class watch {
public:
    explicit watch(std::uint64_t failing, bool allocations = true) noexcept {
        allocations_fail = allocations;
        passed = 0;
        armed = failing;
        watching = true;
    }
    watch(watch const&) = delete;
    watch& operator=(watch const&) = delete;
    ~watch() { watching = false; }
};

/// Calls f, whose n-th point fails; how many it has passed.
template <class Function>
std::uint64_t points_of(std::uint64_t failing, bool allocations, Function&& f) {
    watch const on{failing, allocations};
    f();
    return passed;
}
template <class Function>
std::uint64_t points_of(std::uint64_t failing, Function&& f) {
    return points_of(failing, true, f);
}

/// Points within checks and set-up do not count.
class aside {
public:
    aside() noexcept : was_{std::exchange(watching, false)} {}
    aside(aside const&) = delete;
    aside& operator=(aside const&) = delete;
    ~aside() { watching = was_; }

private:
    bool was_;
};

/// A message whose every trait may throw.
template <class Message>
struct touchy {
    Message held;
};

struct touchy_estimator {
    condense::cost operator()(std::string_view text) const { return point(), condense::cost::of({text.size()}); }
    condense::cost frame(condense::role) const { return point(), condense::cost::of({4}); }
};

struct touchy_store {
    condense::memory_store held;

    condense::reference name(std::string_view content) const { return point(), held.name(content); }
    std::optional<std::string> get(condense::reference const& name) const { return held.get(name); }
    condense::store_error put(condense::reference const& name, std::string_view content) const {
        return point(), held.put(name, content);
    }
};

struct touchy_journal {
    condense::memory_journal held;

    condense::reference name(std::string_view content) const { return point(), held.name(content); }
    condense::store_error append(std::string_view conversation, condense::journal_entry const& line,
                                 std::string_view content) const {
        return point(), held.append(conversation, line, content);
    }
    condense::store_error flush(std::string_view conversation) const { return point(), held.flush(conversation); }
    condense::store_error read(std::string_view conversation, auto&& f) const {
        return point(), held.read(conversation, f);
    }
};

struct touchy_model {
    std::string operator()(std::string_view prompt) const {
        return point(), prompt.size() > 20 ? "what was said so far" : "so far";
    }
};

/// Protects errors, by a predicate that may throw.
struct touchy_predicate {
    bool operator()(condense::part_view const& part) const {
        return point(), part.status == condense::part_status::error;
    }
};

/// A user's layer: drops the oldest group that may go, once, and remembers it.
struct touchy_layer {
    static constexpr auto effects = condense::drops;
    static constexpr std::string_view name = "touchy_layer";
    struct memory {
        unsigned dropped = 0;
    };
    void reduce(auto& draft, auto& pass) const {
        point();
        if (pass.memory.dropped != 0) return;
        for (auto const which : draft.groups()) {
            if (draft.undroppable(which) || draft.holds_task(which)) continue;
            pass.note(draft.drop(which));
            point();
            ++pass.memory.dropped;
            return;
        }
    }
};

}  // namespace faults

template <class Message>
struct condense::message_traits<faults::touchy<Message>> {
    using touchy = faults::touchy<Message>;
    using inner = condense::message_traits<Message>;

    static role role_of(touchy const& m) { return faults::point(), condense::role_of(m.held); }
    static void each_part(touchy const& m, auto&& sink) {
        faults::point();
        condense::each_part(m.held, [&](part_view const& part) {
            faults::point();
            sink(part);
        });
    }
    static touchy with_part(touchy const& m, std::size_t index, std::string text)
        requires condense::shortenable<Message>
    {
        return faults::point(), touchy{condense::with_part(m.held, index, std::move(text))};
    }
    static touchy without_part(touchy const& m, std::size_t index)
        requires requires { condense::without_part(m.held, index); }
    {
        return faults::point(), touchy{condense::without_part(m.held, index)};
    }
    static touchy make(role speaker, std::string text)
        requires condense::composable<Message>
    {
        return faults::point(), touchy{condense::detail::make_fn::make<Message>(speaker, std::move(text))};
    }
    static touchy make_result(touchy const& m, part_view const& call, std::string text)
        requires condense::answerable<Message>
    {
        return faults::point(), touchy{condense::make_result(m.held, call, std::move(text))};
    }
    static std::string to_bytes(touchy const& m)
        requires condense::storable<Message>
    {
        return faults::point(), condense::to_bytes(m.held);
    }
    static std::optional<touchy> from_bytes(std::string_view held)
        requires condense::storable<Message>
    {
        faults::point();
        auto read = condense::from_bytes<Message>(held);
        if (!read) return std::nullopt;
        return touchy{std::move(*read)};
    }
    static bool pinned(touchy const& m) { return faults::point(), condense::is_pinned(m.held); }
    static std::string mark_of(touchy const& m)
        requires condense::detail::markable<Message>
    {
        return faults::point(), condense::mark_of(m.held);
    }
    static void set_mark(touchy& m, std::string_view mark)
        requires condense::detail::markable<Message>
    {
        faults::point(), condense::set_mark(m.held, mark);
    }
    static bool joins_previous(touchy const& m) { return faults::point(), condense::joins_previous(m.held); }
};

template <class Message>
struct forms::form<faults::touchy<Message>> {
    static auto label(faults::touchy<Message> const& m) { return form<Message>::label(m.held); }
    static faults::touchy<Message> from_chat(chat_message const& m) { return {form<Message>::from_chat(m)}; }
    static std::vector<chat_message> arrange(std::vector<chat_message> all)
        requires requires { form<Message>::arrange(all); }
    {
        return form<Message>::arrange(std::move(all));
    }
};
