// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <boost/hana/at.hpp>
#include <boost/hana/basic_tuple.hpp>

#include <condense/core/layer.hpp>
#include <condense/core/layer_run.hpp>

// Layers in order, combined at compile time: pipeline{record{.to = journal}, compress{}, sliding_window{}}. What a
// pipeline guarantees is computed from the effects that its layers declare.

namespace condense {
inline namespace v1 {

template <class... Layers>
class pipeline;

namespace detail {

// A basic_tuple, with at_c over a pack of indices. Beside that <boost/hana/unpack.hpp> makes including condense.hpp 2 %
// dearer, hana::tuple with fold_left 5 % (user seconds of GCC 12, least of 9 rounds), and neither gives the index, by
// which a layer has its entry in the report and its memory.
namespace hana = boost::hana;

template <class Layer>
inline constexpr bool is_pipeline = false;
template <class... Layers>
inline constexpr bool is_pipeline<pipeline<Layers...>> = true;

/// Properties that follow from the declarations of layers in order, from the first to the one added last.
struct properties {
    effect effects = effect::none;
    bool recorded = false;  ///< a journal holds every message before the next layer sees it
    bool journals = false;  ///< some layer records, if only as an alternative of a fallback
    bool recoverable = true;  ///< no layer loses content that is not recorded
    bool durable = true;  ///< journals and stores survive the process
    bool last_resort = false;  ///< some layer can drop all that may be dropped
    bool well_ordered = true;  ///< a layer that reruns others is the last one, with some before it
    bool plans_summaries = false;  ///< some layer lets a session have its summary written elsewhere
};

/// The properties with one more layer, which may itself hold layers.
template <class Layer>
constexpr properties properties_after(properties result) noexcept {
    if constexpr (requires { Layer::after(result); }) return Layer::after(result);
    else {
        constexpr auto effects = effects_of<Layer>();
        if ((effects & losing) && !result.recorded) result.recoverable = false;
        result.effects = result.effects | effects;
        result.recorded = result.recorded || flag_records<Layer>();
        result.journals = result.journals || flag_records<Layer>();
        result.durable = result.durable && flag_durable<Layer>();
        result.last_resort = result.last_resort || flag_last_resort<Layer>();
        result.plans_summaries = result.plans_summaries || plans_summaries<Layer>;
        return result;
    }
}
template <class... Layers>
constexpr properties properties_of_all(properties result) noexcept {
    auto remaining = sizeof...(Layers);
    ((--remaining,
      result.well_ordered = result.well_ordered &&
                            (!(effects_of<Layers>() & effect::reruns) || (remaining == 0 && sizeof...(Layers) > 1)),
      result = properties_after<Layers>(result)),
     ...);
    return result;
}
template <class Layer>
constexpr properties properties_of() noexcept {
    return properties_after<std::remove_cvref_t<Layer>>({});
}

/// Where a layer of a pipeline stands: the index of its first entry in the report, and whether a journal is before it.
struct layer_place {
    std::size_t entry = 0;
    bool recorded = false;
};
/// The places of all layers, and one more whose entry is the number of entries.
template <class... Layers>
consteval auto places_of() {
    std::array<layer_place, sizeof...(Layers) + 1> places{};
    std::size_t index = 0;
    ((places[index + 1] = {places[index].entry + entries_of<Layers>(),
                           places[index].recorded || flag_records<Layers>()},
      ++index),
     ...);
    return places;
}

template <class Layer>
consteval bool acts_on_arrival() {
    if constexpr (composite<Layer>) return Layer::acts_on_arrival;
    else return has_arrive_hook<Layer>;
}

/// Asserts what makes a type a layer, with one sentence for each mistake.
template <class Layer>
constexpr void check_layer() {
    static_assert(
        !requires { requires !std::is_class_v<Layer>; },
        "condense: pipeline: what is given must be a layer, a class with effects and a hook (see layer)");
    if constexpr (std::is_class_v<Layer>) {
        static_assert(!std::is_final_v<Layer>,
                      "condense: pipeline: a layer must not be final, its hooks are found by name (see layer)");
        static_assert(declares_effects<Layer>,
                      "condense: pipeline: a layer must declare static constexpr auto effects (see effect)");
        if constexpr (!std::is_final_v<Layer>)
            static_assert(has_hook<Layer>, "condense: pipeline: a layer must have a hook reduce or arrive (see layer)");
        static_assert(static_cast<bool>(effects_of<Layer>() & effect::reruns) == has_schedule<Layer>,
                      "condense: pipeline: a layer must have schedule(tokens) where it declares reruns, and only there "
                      "(see layer)");
        static_assert(
            !has_worth<Layer> || worth_needs_prefix<Layer> || weighs_tokens<Layer>,
            "condense: pipeline: a layer's worth must say whether a batch pays, such as at_least(10_pct) (see gain)");
    }
}

/// Layers in order, none of them a pipeline: the base of a pipeline, however it was composed.
template <class... Layers>
class layer_sequence {
    static_assert((true && ... && (check_layer<Layers>(), true)));

    static constexpr properties all_properties = properties_of_all<Layers...>({});
    static_assert(
        all_properties.well_ordered,
        "condense: pipeline: escalate must be the last layer, after others that it can run again (see escalate)");
    static constexpr auto places = places_of<Layers...>();

public:
    /// The effects of all layers together.
    static constexpr effect effects = all_properties.effects;
    static constexpr bool records = all_properties.recorded;  ///< a journal holds every message
    static constexpr bool journals = all_properties.journals;  ///< some layer records
    static constexpr bool durable = all_properties.durable;
    static constexpr bool last_resort = all_properties.last_resort;
    /// The last layer runs those before it again, and one of them can drop all that may be dropped.
    static constexpr bool ends_in_last_resort = last_resort && (effects & effect::reruns);
    static constexpr bool acts_on_arrival = (false || ... || detail::acts_on_arrival<Layers>());
    /// Entries of a report: one for each layer, in a fallback for each alternative.
    static constexpr std::size_t size = places.back().entry;

    /// One memory for each layer, kept by a session, or for the length of a one-shot run.
    using memory = hana::basic_tuple<memory_of<Layers>...>;

    /// The properties after these layers, for a layer that holds pipelines.
    static constexpr properties after(properties before) noexcept { return properties_of_all<Layers...>(before); }

    /// Calls validate() of each layer and of its worth, which throws invalid_configuration.
    explicit constexpr layer_sequence(Layers... layers) : layers_{std::move(layers)...} {
        each([](auto const& layer) {
            if constexpr (requires { layer.validate(); }) layer.validate();
            if constexpr (requires { layer.worth.validate(); }) layer.worth.validate();
        });
    }

    /// Calls f with each layer in order, and with each alternative of a fallback: once for each entry of a report.
    template <class Function>
    constexpr void each(Function&& f) const {
        each_own([&](auto const& layer, std::size_t) {
            if constexpr (composite<std::remove_cvref_t<decltype(layer)>>) layer.each(f);
            else f(layer);
        });
    }

    /// Calls f with the memory of each layer, in the same order.
    template <class Function>
    constexpr void each_memory(memory& memories, Function&& f) const {
        [&]<std::size_t... Index>(std::index_sequence<Index...>) {
            [[maybe_unused]] auto const visit = [&](auto const& layer, auto& layer_memory) {
                if constexpr (composite<std::remove_cvref_t<decltype(layer)>>) layer.each_memory(layer_memory, f);
                else f(layer_memory);
            };
            (visit(hana::at_c<Index>(layers_), hana::at_c<Index>(memories)), ...);
        }(std::index_sequence_for<Layers...>{});
    }

    /// The last layer, which may be one that runs the others again.
    constexpr auto const& last() const noexcept
        requires(sizeof...(Layers) > 0)
    {
        return hana::at_c<sizeof...(Layers) - 1>(layers_);
    }

    /// Some layer has something to do at this usage. Reads no message and allocates nothing: a few comparisons.
    constexpr bool due(usage const& current) const noexcept {
        bool any = false;
        each_own([&](auto const& layer, std::size_t) { any = any || is_due(layer, current); });
        return any;
    }

    /// The layers with something to do: one bit each in the order of the report; bit 63 stands for all further ones.
    constexpr std::uint64_t due_layers(usage const& current) const noexcept {
        std::uint64_t bits = 0;
        each_own([&](auto const& layer, std::size_t entry) {
            std::uint64_t due = is_due(layer, current) ? 1u : 0u;
            if constexpr (composite<std::remove_cvref_t<decltype(layer)>>)
                if (due != 0) due = layer.due_layers(current);
            bits |= due << (entry < 63 ? entry : 63);
        });
        return bits;
    }

    /// Calls a hook of all layers in order; false where one of them failed or waits for its model. `recorded` where a
    /// journal stands before this sequence, inside a fallback.
    template <class Run, class Hook>
    bool run_hook([[maybe_unused]] Run& run, [[maybe_unused]] layer_report* entries, [[maybe_unused]] memory& memories,
                  [[maybe_unused]] Hook const& hook, [[maybe_unused]] bool recorded = false) const {
        return [&]<std::size_t... Index>(std::index_sequence<Index...>) {
            bool succeeded = true;
            ((succeeded = run_hook_of(hana::at_c<Index>(layers_), run, entries + places[Index].entry,
                                      hana::at_c<Index>(memories), hook, recorded || places[Index].recorded) &&
                          succeeded),
             ...);
            return succeeded;
        }(std::index_sequence_for<Layers...>{});
    }

    /// Fills in what the entries of a report say of the layers, whether they run or not.
    constexpr void name_entries(layer_report* entry) const noexcept {
        each([&](auto const& layer) {
            using layer_type = std::remove_cvref_t<decltype(layer)>;
            entry->name = layer_name<layer_type>();
            if constexpr (requires { layer.label.empty(); })
                if (!layer.label.empty()) entry->name = layer.label;
            entry->summarizes = static_cast<bool>(effects_of<layer_type>() & effect::summarizes);
            ++entry;
        });
    }

    /// Calls f with all layers as its arguments.
    template <class Function>
    constexpr auto unpack(Function const& f) {
        return [&]<std::size_t... Index>(std::index_sequence<Index...>) {
            return f(hana::at_c<Index>(layers_)...);
        }(std::index_sequence_for<Layers...>{});
    }

    friend constexpr bool operator==(layer_sequence const& left, layer_sequence const& right)
        requires(true && ... && std::equality_comparable<Layers>)
    {
        return [&]<std::size_t... Index>(std::index_sequence<Index...>) {
            return (true && ... && (hana::at_c<Index>(left.layers_) == hana::at_c<Index>(right.layers_)));
        }(std::index_sequence_for<Layers...>{});
    }

private:
    /// Calls f(layer, index of its first entry), a fallback being one layer.
    template <class Function>
    constexpr void each_own(Function&& f) const {
        [&]<std::size_t... Index>(std::index_sequence<Index...>) {
            (f(hana::at_c<Index>(layers_), places[Index].entry), ...);
        }(std::index_sequence_for<Layers...>{});
    }

    template <class Layer, class Run, class Memory, class Hook>
    static bool run_hook_of(Layer const& layer, Run& run, layer_report* entry, Memory& layer_memory, Hook const& hook,
                            bool recorded) {
        if constexpr (composite<Layer>) return layer.run_hook(run, entry, layer_memory, hook, recorded);
        else if constexpr (!Hook::template is_of<Layer>) return true;
        else return run_layer(layer, run, *entry, layer_memory, hook, recorded);
    }

    hana::basic_tuple<Layers...> layers_;
};

/// The sequence of all layers, with those of nested pipelines in the place of the pipeline.
template <class Flat, class...>
struct flattened {
    using type = Flat;
};
template <class... Flat, class Next, class... Rest>
struct flattened<layer_sequence<Flat...>, Next, Rest...> : flattened<layer_sequence<Flat..., Next>, Rest...> {};
template <class... Flat, class... Inner, class... Rest>
struct flattened<layer_sequence<Flat...>, pipeline<Inner...>, Rest...>
    : flattened<layer_sequence<Flat...>, Inner..., Rest...> {};

/// Calls f with all layers as its arguments, those of nested pipelines in the place of the pipeline.
template <class Function>
constexpr auto with_layers(Function const& f) {
    return f();
}
template <class Function, class First, class... Rest>
constexpr auto with_layers(Function const& f, First& first, Rest&... rest) {
    auto const go_on = [&](auto&... own) {
        return with_layers([&](auto&... more) { return f(own..., more...); }, rest...);
    };
    if constexpr (is_pipeline<First>) return first.unpack(go_on);
    else return go_on(first);
}

}  // namespace detail

/// Layers in order. An immutable value that threads, conversations and agents can share. Nested pipelines are
/// flattened. Construction throws invalid_configuration for layers whose settings cannot work; in a constant expression
/// that is a compile error.
template <class... Layers>
class pipeline : public detail::flattened<detail::layer_sequence<>, Layers...>::type {
    using base = typename detail::flattened<detail::layer_sequence<>, Layers...>::type;

public:
    constexpr pipeline(Layers... layers)
        requires(true && ... && !detail::is_pipeline<Layers>)
        : base{std::move(layers)...} {}
    constexpr pipeline(Layers... layers)
        requires(false || ... || detail::is_pipeline<Layers>)
        : base{detail::with_layers([](auto&... each) { return base{std::move(each)...}; }, layers...)} {}

    /// A dry run on a history, which must outlive the result: what would be done, without calling models or storing.
    template <class History, class... More>
    [[nodiscard]] auto draft(History& history, budget limits, More const&... more) const {
        return dry_run(history, *this, limits, more...);
    }
};

template <class... Layers>
pipeline(Layers...) -> pipeline<Layers...>;

/// Every layer that shortens, drops or summarises comes after a journal, or stores the originals. What
/// `run_options::redact` replaces in those is counted in reports, and cannot be had back.
template <class Pipeline>
inline constexpr bool recoverable = detail::properties_of<Pipeline>().recoverable;
/// Recoverable, and journals and stores survive the process.
template <class Pipeline>
inline constexpr bool durable = recoverable<Pipeline> && detail::properties_of<Pipeline>().durable;
/// Some layer may call a model.
template <class Pipeline>
inline constexpr bool calls_model = std::remove_cvref_t<Pipeline>::effects & effect::asks;
/// Some layer may write to a store or a journal.
template <class Pipeline>
inline constexpr bool writes = std::remove_cvref_t<Pipeline>::effects & effect::keeps;
/// A run always ends with a request that fits or with the outcome `exhausted`.
template <class Pipeline>
inline constexpr bool has_last_resort = std::remove_cvref_t<Pipeline>::ends_in_last_resort;
/// One input always gives one output, byte for byte: no layer reads the clock or calls a model, and the estimator does
/// not declare itself non-deterministic.
template <class Pipeline, class Estimator = void>
inline constexpr bool deterministic =
    !(std::remove_cvref_t<Pipeline>::effects & (effect::asks | effect::reads_clock)) &&
    !requires { requires !Estimator::deterministic; };

/// A type that can reduce a conversation: a pipeline, or one that stands for one, such as any_pipeline.
template <class Mix>
concept reducer = detail::is_pipeline<Mix> || requires { requires Mix::stands_for_pipelines; };

namespace detail {

template <reducer Mix>
constexpr Mix const& as_pipeline(Mix const& mix) noexcept {
    return mix;
}
/// A single layer becomes a pipeline of one.
template <class Layer>
    requires(!reducer<Layer>)
constexpr pipeline<Layer> as_pipeline(Layer const& only) {
    return {only};
}
template <class Mix>
using pipeline_of = std::remove_cvref_t<decltype(as_pipeline(std::declval<Mix const&>()))>;

// The memories of a session's layers: it saves them as texts, loads them, and rewinds them when the program has
// rewritten its messages.

/// A memory that a session can save: `save() -> std::string`, and `load(text, message_count) -> bool`, false for text
/// that save() cannot have written for a conversation of that many messages.
template <class Memory>
concept saved_memory = requires(Memory& stored, Memory const& same, std::string_view text) {
    { same.save() } -> std::same_as<std::string>;
    { stored.load(text, std::size_t{}) } -> std::same_as<bool>;
};
/// A memory that can go back to the state before message `first` came; one that cannot starts again empty.
template <class Memory>
concept rewinding_memory = requires(Memory& stored, std::uint64_t first) { stored.rewind(first); };

/// Appends one text for each layer, empty for those without memory. False where a memory cannot be saved.
template <class Mix, class Memory>
bool save_memories(Mix const& mix, Memory& memories, std::vector<std::string>& out) {
    if constexpr (requires { mix.save_memory(memories, out); }) return mix.save_memory(memories, out);
    else {
        bool all_saved = true;
        auto const save = [&](auto& layer_memory) {
            using type = std::remove_cvref_t<decltype(layer_memory)>;
            all_saved = all_saved && (std::is_empty_v<type> || saved_memory<type>);
            if constexpr (saved_memory<type>) out.push_back(layer_memory.save());
            else out.emplace_back();
        };
        mix.each_memory(memories, save);
        return all_saved;
    }
}

/// Loads the texts of save_memories. False where a text is not its layer's, or their number differs.
template <class Mix, class Memory>
bool load_memories(Mix const& mix, Memory& memories, std::vector<std::string> const& from, std::size_t message_count) {
    if constexpr (requires { mix.load_memory(memories, from, message_count); })
        return mix.load_memory(memories, from, message_count);
    else {
        std::size_t index = 0;
        bool all_loaded = true;
        auto const load = [&](auto& layer_memory) {
            all_loaded = all_loaded && index < from.size();
            if (!all_loaded) return;
            if constexpr (saved_memory<std::remove_cvref_t<decltype(layer_memory)>>)
                all_loaded = layer_memory.load(from[index], message_count);
            else all_loaded = from[index].empty();
            ++index;
        };
        mix.each_memory(memories, load);
        return all_loaded && index == from.size();
    }
}

template <class Mix, class Memory>
void rewind_memories(Mix const& mix, Memory& memories, std::uint64_t first) {
    if constexpr (requires { mix.rewind_memory(memories, first); }) mix.rewind_memory(memories, first);
    else {
        auto const rewind = [&](auto& layer_memory) {
            if constexpr (rewinding_memory<std::remove_cvref_t<decltype(layer_memory)>>) layer_memory.rewind(first);
            else layer_memory = {};
        };
        mix.each_memory(memories, rewind);
    }
}

}  // namespace detail
}  // namespace v1
}  // namespace condense
