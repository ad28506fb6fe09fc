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
#include <condense/detail/callable_ref.hpp>

// A pipeline whose layers are hidden, to choose it at run time or to compile it in one translation unit:
// any_pipeline<my_message> mix = pipeline{...}. Reduces and serves sessions as the pipeline in it does.

namespace condense {
inline namespace v1 {
namespace detail {

// What a run needs of its caller, each by references to callables on the stack of `with_erased_types`.

template <class Message>
struct any_messages {
    callable_ref<Message const&(std::size_t)> at;
    Message const& operator[](std::size_t index) const { return at(index); }
};

struct any_estimator {
    callable_ref<cost(std::string_view)> text;
    callable_ref<cost(role)> of_role;
    callable_ref<cost(part_view const&)> of_part;

    cost operator()(std::string_view content) const { return text(content); }
    cost frame(role speaker) const { return of_role(speaker); }
    cost frame(part_view const& part) const { return of_part(part); }
};

struct any_clock {
    callable_ref<instant()> read;
    instant operator()() const { return read(); }
};

struct any_stop {
    callable_ref<bool()> requested;
    bool stop_requested() const { return requested(); }
};

struct any_redactor {
    callable_ref<std::size_t(std::string&)> redact;
    bool active = false;
    std::size_t operator()(std::string& text) const { return redact(text); }
};

template <class Message>
struct any_before_drop {
    callable_ref<failed(leaving_messages<Message> const&)> call;
    bool active = false;
    failed operator()(leaving_messages<Message> const& leaving) const { return call(leaving); }
};

}  // namespace detail

/// A value whose copies share one immutable pipeline. Costs one virtual call a run and one for each message that
/// arrives; messages are read and texts are counted through function pointers. `Layers` is the largest number of report
/// entries that it can hold; those beyond the pipeline's own have no name. It claims none of the properties that the
/// compiler proves of a pipeline: `recoverable`, `durable` and `has_last_resort` are false.
template <message Message, std::size_t Layers = 16>
class any_pipeline {
    using messages_type = detail::any_messages<Message>;
    using draft_type = v1::draft<messages_type, detail::any_estimator>;
    using options_type = run_options<detail::any_clock, detail::any_stop, no_pins, no_observer, detail::any_redactor,
                                     detail::any_before_drop<Message>>;
    using run_type = detail::run<draft_type, options_type>;

public:
    // The flags are the most cautious ones, as the layers are not known: any effect, no guarantee.
    static constexpr bool stands_for_pipelines = true;
    static constexpr std::size_t size = Layers;
    static constexpr effect effects =
        shortens | externalizes | drops | summarizes | keeps | asks | reads_clock | restores | reruns | repairs;
    static constexpr bool records = false;
    static constexpr bool durable = false;
    static constexpr bool last_resort = false;
    static constexpr bool ends_in_last_resort = false;
    static constexpr bool acts_on_arrival = true;

    /// The memories of the layers, created when the pipeline first runs. A copy shares them.
    struct memory {
        std::shared_ptr<void> layers;
    };

    template <reducer Mix>
        requires(!std::same_as<Mix, any_pipeline> && Mix::size <= Layers)
    any_pipeline(Mix mix) : mix_{std::make_shared<mix_of<Mix>>(std::move(mix))} {}

    /// Holds a single layer as a pipeline of one.
    template <layer Layer>
    any_pipeline(Layer only) : any_pipeline(pipeline<Layer>{std::move(only)}) {}

    // The members by which runs and sessions use a pipeline, each forwarded to the one inside.

    bool due(usage const& current) const noexcept { return mix_->due(current); }
    std::uint64_t due_layers(usage const& current) const noexcept { return mix_->due_layers(current); }
    void name_entries(layer_report* entries) const noexcept { mix_->name_entries(entries); }

    template <class History, class... More>
    [[nodiscard]] auto draft(History& history, budget limits, More const&... more) const {
        return dry_run(history, *this, limits, more...);
    }

    template <class Draft, class Options>
    report<Layers> run_on(memory& memories, Draft& typed_draft, Options const& options, bool dry, detail::run_kind kind,
                          detail::run_demand demand) const {
        return with_erased_types(typed_draft, options, [&](draft_type& draft, options_type const& plain) {
            return mix_->run(memories, draft, plain, dry, kind, demand);
        });
    }

    /// Calls the `arrive` hooks of the layers; false where one of them failed or waits for its model.
    template <class Run>
    bool run_hook(Run& run, layer_report*, memory& memories, detail::arrive_hook<> arriving) const {
        return with_erased_types(run.draft, run.options, [&](draft_type& draft, options_type const& plain) {
            run_type inner{static_cast<detail::run_state const&>(run), draft, plain};
            bool const done = mix_->arrive(memories, inner, arriving);
            static_cast<detail::run_state&>(run) = inner;
            return done;
        });
    }

    bool save_memory(memory& memories, std::vector<std::string>& out) const { return mix_->save_memory(memories, out); }
    bool load_memory(memory& memories, std::vector<std::string> const& from, std::size_t message_count) const {
        return mix_->load_memory(memories, from, message_count);
    }
    void rewind_memory(memory& memories, std::uint64_t first) const { mix_->rewind_memory(memories, first); }

private:
    /// The pipeline behind its interface; `mix_of` implements it for one type of pipeline.
    struct any_mix {
        virtual ~any_mix() = default;
        virtual bool save_memory(memory&, std::vector<std::string>&) const = 0;
        virtual bool load_memory(memory&, std::vector<std::string> const&, std::size_t message_count) const = 0;
        virtual void rewind_memory(memory&, std::uint64_t first) const = 0;
        virtual bool due(usage const& current) const noexcept = 0;
        virtual std::uint64_t due_layers(usage const& current) const noexcept = 0;
        virtual void name_entries(layer_report* entries) const noexcept = 0;
        virtual report<Layers> run(memory&, draft_type&, options_type const&, bool dry, detail::run_kind kind,
                                   detail::run_demand demand) const = 0;
        virtual bool arrive(memory&, run_type&, detail::arrive_hook<>) const = 0;
    };

    /// Holds a pipeline and forwards to it; the memory that it is given holds its layers' memories.
    template <class Mix>
    struct mix_of final : any_mix {
        explicit mix_of(Mix&& value) : mix(std::move(value)) {}

        bool due(usage const& current) const noexcept override { return mix.due(current); }
        std::uint64_t due_layers(usage const& current) const noexcept override { return mix.due_layers(current); }
        void name_entries(layer_report* entries) const noexcept override { mix.name_entries(entries); }
        report<Layers> run(memory& memories, draft_type& draft, options_type const& options, bool dry,
                           detail::run_kind kind, detail::run_demand demand) const override {
            auto const inner = detail::run_pipeline(mix, memory_in(memories), draft, options, dry, kind, demand);
            report<Layers> result{inner, {}};  // the pipeline may have fewer layers; the other entries stay empty
            std::copy(inner.layers.begin(), inner.layers.end(), result.layers.begin());
            return result;
        }
        bool arrive(memory& memories, run_type& run, detail::arrive_hook<> arriving) const override {
            return mix.run_hook(run, run.entries, memory_in(memories), arriving);
        }

        bool save_memory(memory& memories, std::vector<std::string>& out) const override {
            return detail::save_memories(mix, memory_in(memories), out);
        }
        bool load_memory(memory& memories, std::vector<std::string> const& from,
                         std::size_t message_count) const override {
            return detail::load_memories(mix, memory_in(memories), from, message_count);
        }
        void rewind_memory(memory& memories, std::uint64_t first) const override {
            detail::rewind_memories(mix, memory_in(memories), first);
        }

        /// The cast is right, as `memories` belongs to this pipeline, which has created what it holds.
        static typename Mix::memory& memory_in(memory& memories) {
            if (!memories.layers) memories.layers = std::make_shared<typename Mix::memory>();
            return *static_cast<typename Mix::memory*>(memories.layers.get());
        }

        Mix mix;
    };

    /// Calls f(draft, options) with the caller's types replaced by references to them. Everything that f is given
    /// refers to locals of this function, so nothing of it may outlive the call. The other options stay behind, as a
    /// run does not read them.
    template <class Draft, class Options, class Function>
    static auto with_erased_types(Draft& typed_draft, Options const& options, Function&& f) {
        auto const& typed_estimator = typed_draft.estimator();
        auto const message_at = [&](std::size_t index) -> Message const& {
            static_assert(std::is_lvalue_reference_v<decltype(typed_draft.message_at(sequence{index}))>,
                          "condense: any_pipeline: the history must give messages by reference (see any_pipeline)");
            return typed_draft.message_at(sequence{index});
        };
        auto const text = [&](std::string_view content) { return typed_estimator(content); };
        auto const of_role = [&](role speaker) { return detail::frame_cost(typed_estimator, speaker); };
        auto const of_part = [&](part_view const& part) { return detail::frame_cost(typed_estimator, part); };
        auto const read_clock = [&] { return options.clock(); };
        auto const stop_requested = [&] { return options.stop.stop_requested(); };
        auto const before_drop = [&](leaving_messages<Message> const& leaving) {
            return detail::call_before_drop(options.before_drop, leaving);
        };
        messages_type const source{message_at};
        detail::any_estimator const estimator{text, of_role, of_part};
        options_type const plain{.clock = {read_clock},
                                 .stop = {stop_requested},
                                 .request = options.request,
                                 .marks = options.marks,
                                 .conversation = options.conversation,
                                 .redact = {options.redact, detail::redacts(options.redact)},
                                 .before_drop = {before_drop, detail::hears_drops(options.before_drop)}};
        auto draft = typed_draft.rebound(source, estimator);
        return f(draft, plain);
    }

    std::shared_ptr<any_mix const> mix_;
};

}  // namespace v1
}  // namespace condense
