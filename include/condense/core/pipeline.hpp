// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <boost/hana/basic_tuple.hpp>

#include <condense/core/layer.hpp>
#include <condense/core/layer_run.hpp>

// Layers in order, combined at compile time; itself a layer, so pipelines nest.

namespace condense {
inline namespace v1 {

template <class... Layers>
class pipeline;

namespace detail {

/// An element of a basic_tuple, by what the tuple's own header defines: <boost/hana/at.hpp> costs the compiler more
/// than all else of Hana that is used here.
template <std::size_t Index, class Tuple>
constexpr decltype(auto) item_at(Tuple&& elements) noexcept {
    return boost::hana::at_impl<boost::hana::basic_tuple_tag>::apply(std::forward<Tuple>(elements),
                                                                     std::integral_constant<std::size_t, Index>{});
}

template <class Layer>
struct leaves {
    static constexpr std::size_t count = 1;
};
template <class... Layers>
struct leaves<pipeline<Layers...>> {
    static constexpr std::size_t count = (std::size_t{0} + ... + leaves<Layers>::count);
};

template <class Layer>
inline constexpr bool is_pipeline = false;
template <class... Layers>
inline constexpr bool is_pipeline<pipeline<Layers...>> = true;

/// What a walk over the leaves has found so far.
struct properties {
    effect effects = effect::none;
    bool recorded = false;      ///< a journal holds what arrives
    bool journals = false;      ///< some layer records, if another does not stand in for it
    bool recoverable = true;    ///< nothing was lost that is not recorded
    bool durable = true;        ///< journals and stores survive the process
    bool last_resort = false;   ///< some layer can drop all that may be dropped
    bool well_ordered = true;   ///< what reruns is last, with something before it
};

template <class Layer>
struct walk {
    static constexpr void visit(properties& found) noexcept {
        constexpr auto effects = effects_of<Layer>();
        if ((effects & losing) && !found.recorded) found.recoverable = false;
        found.effects = found.effects | effects;
        found.recorded = found.recorded || flag_records<Layer>();
        found.journals = found.journals || flag_records<Layer>();
        found.durable = found.durable && flag_durable<Layer>();
        found.last_resort = found.last_resort || flag_last_resort<Layer>();
    }
};
template <class... Layers>
struct walk<pipeline<Layers...>> {
    static constexpr void visit(properties& found) noexcept {
        std::size_t place = 0;
        (((found.well_ordered =
               found.well_ordered && (!(effects_of<Layers>() & effect::reruns) || is_pipeline<Layers> ||
                                      (place > 0 && place + 1 == sizeof...(Layers)))),
          walk<Layers>::visit(found), ++place),
         ...);
    }
};

template <class Layer>
constexpr properties properties_of() noexcept {
    properties found;
    walk<Layer>::visit(found);
    return found;
}

template <class... Layers>
consteval bool ends_in_last_resort() {
    [[maybe_unused]] bool before = false;
    bool ends = false;
    ((ends = (effects_of<Layers>() & effect::reruns) && before, before = before || flag_last_resort<Layers>()), ...);
    return ends;
}

template <class Layer>
consteval bool acts_on_arrival() {
    if constexpr (is_pipeline<Layer>) return Layer::acts_on_arrival;
    else return has_arrive_hook<Layer>;
}

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
        if constexpr (!std::is_final_v<Layer> && !is_pipeline<Layer>)
            static_assert(has_hook<Layer>, "condense: pipeline: a layer must have a hook reduce or arrive (see layer)");
        static_assert(
            !has_worth<Layer> || worth_needs_prefix<Layer> || weighs_tokens<Layer>,
            "condense: pipeline: a layer's worth must say whether a batch pays, such as at_least(10_pct) (see gain)");
    }
}

}  // namespace detail

/// An immutable value: shareable between threads, conversations and agents. Throws
/// invalid_configuration for layers whose values cannot work; in a constant expression that is a
/// compile error.
template <class... Layers>
class pipeline {
    static_assert((true && ... && (detail::check_layer<Layers>(), true)));
    static_assert(
        detail::properties_of<pipeline>().well_ordered,
        "condense: pipeline: escalate must be the last layer, after others that it can run again (see escalate)");

protected:
    template <std::size_t Index>
    using at = typename detail::nth<Index, Layers...>::type;

public:
    static constexpr effect effects = detail::properties_of<pipeline>().effects;
    static constexpr bool records = detail::properties_of<pipeline>().recorded;
    static constexpr bool journals = detail::properties_of<pipeline>().journals;  ///< some layer records
    static constexpr bool durable = detail::properties_of<pipeline>().durable;
    static constexpr bool last_resort = detail::properties_of<pipeline>().last_resort;
    /// The last layer runs those before it again, and one of them can drop all that may be dropped.
    static constexpr bool ends_in_last_resort = last_resort && detail::ends_in_last_resort<Layers...>();
    static constexpr bool acts_on_arrival = (false || ... || detail::acts_on_arrival<Layers>());
    /// Entries of a report: one for each layer that is not itself a pipeline.
    static constexpr std::size_t size = (std::size_t{0} + ... + detail::leaves<Layers>::count);

    using memory = boost::hana::basic_tuple<detail::memory_of<Layers>...>;

    constexpr pipeline(Layers... layers) : layers_{std::move(layers)...} {
        each([](auto const& layer) {
            if constexpr (requires { layer.validate(); }) layer.validate();
            if constexpr (requires { layer.worth.validate(); }) layer.worth.validate();
        });
    }

    /// Calls f with each layer in order.
    template <class Function>
    constexpr void each(Function&& f) const {
        [&]<std::size_t... Index>(std::index_sequence<Index...>) {
            (static_cast<void>(f(detail::item_at<Index>(layers_))), ...);
        }(std::index_sequence_for<Layers...>{});
    }

    /// Calls f(layer, memory) with each layer in order.
    template <class Function>
    constexpr void each_with_memory(memory& kept, Function&& f) const {
        [&]<std::size_t... Index>(std::index_sequence<Index...>) {
            (static_cast<void>(f(detail::item_at<Index>(layers_), detail::item_at<Index>(kept))), ...);
        }(std::index_sequence_for<Layers...>{});
    }

    /// A dry run on a history: what would be done, without asking or keeping anything.
    template <class History, class... More>
    [[nodiscard]] auto draft(History& history, budget limits, More const&... more) const {
        return dry_run(history, *this, limits, more...);
    }

    /// Some layer has something to do at this usage. Allocates nothing, reads no message.
    constexpr bool due(usage const& now) const noexcept {
        bool found = false;
        each([&](auto const& layer) { found = found || detail::is_due(layer, now); });
        return found;
    }

    /// The layers with something to do, one bit each in the order of the report, the last one for all beyond.
    constexpr std::uint64_t due_layers(usage const& now) const noexcept {
        std::uint64_t found = 0;
        std::size_t entry = 0;
        each([&](auto const& layer) {
            using layer_type = std::remove_cvref_t<decltype(layer)>;
            if constexpr (detail::is_pipeline<layer_type>)
                found |= layer.due(now) ? layer.due_layers(now) << (entry < 63 ? entry : 63) : 0;
            else found |= std::uint64_t{detail::is_due(layer, now) ? 1u : 0u} << (entry < 63 ? entry : 63);
            entry += detail::leaves<layer_type>::count;
        });
        return found;
    }

    /// Runs the reduce hooks in order; Recorded when a journal stands before this pipeline.
    template <bool Recorded, class Run>
    constexpr void reduce_all(Run& shared, std::size_t first_entry, memory& kept) const {
        reduce_some<Recorded>(shared, first_entry, kept, std::index_sequence_for<Layers...>{});
    }

    /// Tells the layers with an arrive hook of one message; ArriveOnly leaves out those that reduce, too.
    template <bool Recorded, bool ArriveOnly, class Run>
    constexpr void arrive_all(Run& shared, sequence arrived, std::size_t first_entry, memory& kept) const {
        [&]<std::size_t... Index>(std::index_sequence<Index...>) {
            (arrive_one < Recorded || recorded_before<Index>(), ArriveOnly,
             Index > (shared, arrived, first_entry, kept), ...);
        }(std::index_sequence_for<Layers...>{});
    }

    /// Tells the journals what a run has left, each_sent(f) with f(sequence) and f(sequence, bytes), and
    /// whether that takes the place of the history. False when one of them could not note it.
    template <class Run, class Each>
    constexpr bool note_made(Run& shared, Each const& each_sent, bool commits, std::size_t first_entry,
                             memory& kept) const {
        bool noted = true;
        [&]<std::size_t... Index>(std::index_sequence<Index...>) {
            ((noted = note_made_to<Index>(shared, each_sent, commits, first_entry + entries_before<Index>(),
                                          detail::item_at<Index>(kept)) &&
                      noted),
             ...);
        }(std::index_sequence_for<Layers...>{});
        return noted;
    }

    constexpr void name_entries(layer_report* entries) const noexcept {
        each([&](auto const& layer) {
            using layer_type = std::remove_cvref_t<decltype(layer)>;
            if constexpr (detail::is_pipeline<layer_type>) layer.name_entries(entries);
            else {
                entries->name = detail::layer_name<layer_type>();
                if constexpr (requires { layer.label.empty(); })
                    if (!layer.label.empty()) entries->name = layer.label;
                entries->summarizes = static_cast<bool>(detail::effects_of<layer_type>() & effect::summarizes);
            }
            entries += detail::leaves<layer_type>::count;
        });
    }

    friend constexpr bool operator==(pipeline const& left, pipeline const& right)
        requires(true && ... && std::equality_comparable<Layers>)
    {
        return [&]<std::size_t... Index>(std::index_sequence<Index...>) {
            return (true && ... && (detail::item_at<Index>(left.layers_) == detail::item_at<Index>(right.layers_)));
        }(std::index_sequence_for<Layers...>{});
    }

protected:
    template <std::size_t Index>
    static consteval bool recorded_before() {
        bool found = false;
        std::size_t place = 0;
        ((found = found || (place++ < Index && detail::flag_records<Layers>())), ...);
        return found;
    }
    template <std::size_t Index>
    static consteval std::size_t entries_before() {
        std::size_t sum = 0;
        std::size_t place = 0;
        ((sum += place++ < Index ? detail::leaves<Layers>::count : 0), ...);
        return sum;
    }

    template <std::size_t Index>
    static consteval bool last_resort_before() {
        bool found = false;
        std::size_t place = 0;
        ((found = found || (place++ < Index && detail::flag_last_resort<Layers>())), ...);
        return found;
    }

    template <bool Recorded, class Run, std::size_t... Index>
    constexpr void reduce_some([[maybe_unused]] Run& shared, [[maybe_unused]] std::size_t first_entry,
                               [[maybe_unused]] memory& kept, std::index_sequence<Index...>) const {
        (reduce_one < Recorded, Recorded || recorded_before<Index>(), Index > (shared, first_entry, kept), ...);
    }

    /// Recorded: before this pipeline; Here: before this layer.
    template <bool Recorded, bool Here, std::size_t Index, class Run>
    constexpr void reduce_one(Run& shared, std::size_t first_entry, memory& kept) const {
        auto const& layer = detail::item_at<Index>(layers_);
        auto& remembered = detail::item_at<Index>(kept);
        auto const entry = first_entry + entries_before<Index>();
        if constexpr (detail::is_pipeline<at<Index>>) layer.template reduce_all<Here>(shared, entry, remembered);
        else if constexpr (at<Index>::effects & effect::reruns) {
            if (shared.pressure != 0) return;
            auto rerun = [&](unsigned pressure, bool top, tokens target) {
                detail::pressed const while_running{shared, pressure, top, target};
                reduce_some<Recorded>(shared, first_entry, kept, std::make_index_sequence<Index>{});
            };
            shared.last_resort = last_resort_before<Index>();
            detail::run_rerunning(layer, shared, shared.entries[entry], remembered, rerun);
        } else if constexpr (detail::has_reduce_hook<at<Index>>)
            detail::run_reducing<Here>(layer, shared, shared.entries[entry], remembered);
    }

    template <bool Recorded, bool ArriveOnly, std::size_t Index, class Run>
    constexpr void arrive_one(Run& shared, sequence arrived, std::size_t first_entry, memory& kept) const {
        auto const& layer = detail::item_at<Index>(layers_);
        auto& remembered = detail::item_at<Index>(kept);
        auto const entry = first_entry + entries_before<Index>();
        if constexpr (detail::is_pipeline<at<Index>>)
            layer.template arrive_all<Recorded, ArriveOnly>(shared, arrived, entry, remembered);
        else if constexpr (detail::has_arrive_hook<at<Index>> && !(ArriveOnly && detail::has_reduce_hook<at<Index>>))
            detail::run_arriving<Recorded>(layer, shared, shared.entries[entry], remembered, arrived);
    }

    template <std::size_t Index, class Run, class Each, class Memory>
    constexpr bool note_made_to([[maybe_unused]] Run& shared, [[maybe_unused]] Each const& each_sent,
                                [[maybe_unused]] bool commits, [[maybe_unused]] std::size_t entry,
                                [[maybe_unused]] Memory& remembered) const {
        auto const& layer = detail::item_at<Index>(layers_);
        if constexpr (detail::is_pipeline<at<Index>>)
            return layer.note_made(shared, each_sent, commits, entry, remembered);
        else if constexpr (detail::flag_records<at<Index>>())
            return detail::run_noting(layer, shared, shared.entries[entry], remembered, each_sent, commits);
        else return true;
    }

    boost::hana::basic_tuple<Layers...> layers_;
};

template <class... Layers>
pipeline(Layers...) -> pipeline<Layers...>;

/// Every layer that shortens, drops or summarises comes after a journal, or keeps what it takes.
template <class Pipeline>
inline constexpr bool recoverable = detail::properties_of<std::remove_cvref_t<Pipeline>>().recoverable;
/// Recoverable, and journals and stores survive the process.
template <class Pipeline>
inline constexpr bool durable = recoverable<Pipeline> && detail::properties_of<std::remove_cvref_t<Pipeline>>().durable;
template <class Pipeline>
inline constexpr bool calls_model = std::remove_cvref_t<Pipeline>::effects & effect::asks;
template <class Pipeline>
inline constexpr bool writes = std::remove_cvref_t<Pipeline>::effects & effect::keeps;
/// The result fits, or the outcome is `exhausted`.
template <class Pipeline>
inline constexpr bool has_last_resort = std::remove_cvref_t<Pipeline>::ends_in_last_resort;
/// Same input, same bytes: no clock, no model, and an estimator that does not say otherwise.
template <class Pipeline, class Estimator = void>
inline constexpr bool deterministic =
    !(std::remove_cvref_t<Pipeline>::effects & (effect::asks | effect::reads_clock)) &&
    !requires { requires !Estimator::deterministic; };

/// What can reduce a conversation: a pipeline, or what stands for one.
template <class Mix>
concept reducer = detail::is_pipeline<Mix> || requires { requires Mix::stands_for_pipelines; };

namespace detail {

template <reducer Mix>
constexpr Mix const& as_pipeline(Mix const& mix) noexcept {
    return mix;
}
/// A layer alone is a pipeline of one.
template <class Layer>
    requires(!reducer<Layer>)
constexpr pipeline<Layer> as_pipeline(Layer const& only) {
    return {only};
}
template <class Mix>
using pipeline_of = std::remove_cvref_t<decltype(as_pipeline(std::declval<Mix const&>()))>;

}  // namespace detail

// What a session does with the memories of its layers: saves them as text, takes them back, and tells them
// that the program has rewritten its messages.
namespace detail {

/// A memory that a session can save: `save() -> std::string`, `load(text, most) -> bool`, false for text that is not
/// its own; `most` are the messages that the session holds.
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
