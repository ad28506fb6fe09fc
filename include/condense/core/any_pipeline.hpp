// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <condense/core/draft.hpp>
#include <condense/core/engine.hpp>
#include <condense/core/pipeline.hpp>

// A pipeline chosen at run time, or kept in one translation unit: any_pipeline<my_message> mix =
// pipeline{...}. Reduces and serves sessions as the pipeline in it does.

namespace condense {
inline namespace v1 {
namespace detail {

/// A callable by reference.
template <class Signature>
class callable_ref;
template <class Result, class... Arguments>
class callable_ref<Result(Arguments...)> {
public:
    template <class Callable>
    explicit callable_ref(Callable const& target) noexcept
        : target_{detail::address_of(target)}, call_{[](void const* on, Arguments... given) -> Result {
              return (*static_cast<Callable const*>(on))(std::forward<Arguments>(given)...);
          }} {}
    Result operator()(Arguments... given) const { return call_(target_, std::forward<Arguments>(given)...); }

private:
    void const* target_;
    Result (*call_)(void const*, Arguments...);
};

template <class Message>
struct any_messages {
    callable_ref<Message const&(std::size_t)> at;
    Message const& operator[](std::size_t index) const { return at(index); }
};

struct any_estimator {
    callable_ref<cost(std::string_view)> text;
    callable_ref<cost(role)> of_role;
    callable_ref<cost(part_view const&)> of_part;

    cost operator()(std::string_view given) const { return text(given); }
    cost frame(role speaker) const { return of_role(speaker); }
    cost frame(part_view const& part) const { return of_part(part); }
};

struct any_clock {
    callable_ref<instant()> now;
    instant operator()() const { return now(); }
};

struct any_stop {
    callable_ref<bool()> asked;
    bool stop_requested() const { return asked(); }
};

}  // namespace detail

/// A value; copies share the pipeline, which is immutable. Costs one virtual call a run and one a
/// message that arrives; messages are reached and texts counted through pointers. Layers: the most
/// that it can report on; entries beyond those of the pipeline have no name. What the compiler proves
/// of a pipeline (`recoverable` and the like) is not known of this.
template <message Message, std::size_t Layers = 16>
class any_pipeline {
    using messages_type = detail::any_messages<Message>;
    using draft_type = v1::draft<messages_type, detail::any_estimator>;
    using options_type = run_options<detail::any_clock, detail::any_stop>;
    using run_type = detail::run<draft_type, options_type>;

public:
    static constexpr bool stands_for_pipelines = true;
    static constexpr std::size_t size = Layers;
    static constexpr effect effects =
        shortens | externalizes | drops | summarizes | keeps | asks | reads_clock | restores | reruns | repairs;
    static constexpr bool records = false;
    static constexpr bool durable = false;
    static constexpr bool last_resort = false;
    static constexpr bool ends_in_last_resort = false;
    static constexpr bool acts_on_arrival = true;

    /// Of the layers, made when they first run.
    struct memory {
        std::shared_ptr<void> held;
    };

    template <reducer Mix>
        requires(!std::same_as<Mix, any_pipeline> && Mix::size <= Layers)
    any_pipeline(Mix mix) : held_{std::make_shared<holder<Mix>>(std::move(mix))} {}

    /// A layer alone is a pipeline of one.
    template <layer Layer>
    any_pipeline(Layer only) : any_pipeline(pipeline<Layer>{std::move(only)}) {}

    bool due(usage const& now) const noexcept { return held_->due(now); }
    std::uint64_t due_layers(usage const& now) const noexcept { return held_->due_layers(now); }
    void name_entries(layer_report* entries) const noexcept { held_->name_entries(entries); }

    template <class History, class... More>
    [[nodiscard]] auto draft(History& history, budget limits, More const&... more) const {
        return dry_run(history, *this, limits, more...);
    }

    template <class Draft, class Options>
    report<Layers> run_on(memory& kept, Draft& whole, Options const& options, bool dry, detail::run_kind kind,
                          detail::run_demand demand) const {
        return erased(whole, options, [&](draft_type& draft, options_type const& plain) {
            return held_->run(kept, draft, plain, dry, kind, demand);
        });
    }

    /// Tells the layers of a message that arrives.
    template <class Run>
    bool run_hook(Run& shared, layer_report*, memory& kept, detail::arrive_hook<> arriving) const {
        return erased(shared.draft, shared.options, [&](draft_type& draft, options_type const& plain) {
            run_type inner{.draft = draft, .options = plain, .entries = shared.entries, .resumes = shared.resumes};
            return held_->arrive(kept, inner, arriving);
        });
    }

    bool save_memory(memory& kept, std::vector<std::string>& out) const { return held_->save_memory(kept, out); }
    bool load_memory(memory& kept, std::vector<std::string> const& from, std::size_t most) const {
        return held_->load_memory(kept, from, most);
    }
    void rewind_memory(memory& kept, std::uint64_t first) const { held_->rewind_memory(kept, first); }

private:
    struct any_mix {
        virtual ~any_mix() = default;
        virtual bool save_memory(memory&, std::vector<std::string>&) const = 0;
        virtual bool load_memory(memory&, std::vector<std::string> const&, std::size_t most) const = 0;
        virtual void rewind_memory(memory&, std::uint64_t first) const = 0;
        virtual bool due(usage const& now) const noexcept = 0;
        virtual std::uint64_t due_layers(usage const& now) const noexcept = 0;
        virtual void name_entries(layer_report* entries) const noexcept = 0;
        virtual report<Layers> run(memory&, draft_type&, options_type const&, bool dry, detail::run_kind kind,
                                   detail::run_demand demand) const = 0;
        virtual bool arrive(memory&, run_type&, detail::arrive_hook<>) const = 0;
    };

    template <class Mix>
    struct holder final : any_mix {
        explicit holder(Mix given) : mix(std::move(given)) {}

        bool due(usage const& now) const noexcept override { return mix.due(now); }
        std::uint64_t due_layers(usage const& now) const noexcept override { return mix.due_layers(now); }
        void name_entries(layer_report* entries) const noexcept override { mix.name_entries(entries); }
        report<Layers> run(memory& kept, draft_type& draft, options_type const& options, bool dry,
                           detail::run_kind kind, detail::run_demand demand) const override {
            auto const made = detail::run_pipeline(mix, memory_in(kept), draft, options, dry, kind, demand);
            report<Layers> all{made, {}};
            std::copy(made.layers.begin(), made.layers.end(), all.layers.begin());
            return all;
        }
        bool arrive(memory& kept, run_type& shared, detail::arrive_hook<> arriving) const override {
            return mix.run_hook(shared, shared.entries, memory_in(kept), arriving);
        }

        bool save_memory(memory& kept, std::vector<std::string>& out) const override {
            return detail::save_memories(mix, memory_in(kept), out);
        }
        bool load_memory(memory& kept, std::vector<std::string> const& from, std::size_t most) const override {
            return detail::load_memories(mix, memory_in(kept), from, most);
        }
        void rewind_memory(memory& kept, std::uint64_t first) const override {
            detail::rewind_memories(mix, memory_in(kept), first);
        }

        static typename Mix::memory& memory_in(memory& kept) {
            if (!kept.held) kept.held = std::make_shared<typename Mix::memory>();
            return *static_cast<typename Mix::memory*>(kept.held.get());
        }

        Mix mix;
    };

    template <class Draft, class Options, class Function>
    static auto erased(Draft& whole, Options const& options, Function&& f) {
        auto const& count = whole.estimator();
        auto const at = [&](std::size_t index) -> Message const& {
            static_assert(std::is_lvalue_reference_v<decltype(whole.message_at(sequence{index}))>,
                          "condense: any_pipeline: the history must give messages by reference (see any_pipeline)");
            return whole.message_at(sequence{index});
        };
        auto const text = [&](std::string_view given) { return count(given); };
        auto const of_role = [&](role speaker) { return detail::frame_cost(count, speaker); };
        auto const of_part = [&](part_view const& part) { return detail::frame_cost(count, part); };
        auto const now = [&] { return options.clock(); };
        auto const asked = [&] { return options.stop.stop_requested(); };
        using detail::callable_ref;
        messages_type const source{callable_ref<Message const&(std::size_t)>{at}};
        detail::any_estimator const estimator{callable_ref<cost(std::string_view)>{text},
                                              callable_ref<cost(role)>{of_role},
                                              callable_ref<cost(part_view const&)>{of_part}};
        options_type const plain{.clock = {callable_ref<instant()>{now}},
                                 .stop = {callable_ref<bool()>{asked}},
                                 .request = options.request,
                                 .marks = options.marks,
                                 .conversation = options.conversation};
        auto draft = whole.over(source, estimator);
        return f(draft, plain);
    }

    std::shared_ptr<any_mix const> held_;
};

}  // namespace v1
}  // namespace condense
