// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <condense/adapt/json_parse.hpp>
#include <condense/detail/base64.hpp>
#include <condense/detail/json_quote.hpp>
#include <condense/detail/utf8.hpp>
#include <condense/session/state.hpp>

// The members of a saved state, in one list for the writer and the reader, so that the two cannot disagree. To add a
// member, append it to the list of its type, guarded by a new version.

namespace condense {
inline namespace v1 {
namespace detail {

// Each function names the members of one type in order. They are written as an object, or, for types with many values
// (see is_row), as an array without names. Members added after version 1 are visited only if the archive's version has
// them: read from an earlier text they keep their defaults. `unless_empty` leaves a member out that has its default. An
// Archive is state_writer or state_reader.

template <class Archive>
void each_member(Archive& a, released_part& part) {
    a("kind", part.kind), a("status", part.status), a("sealed", part.sealed), a("size", part.size),
        a("cost", part.cost.steps);
    a("call", part.call), a("tool", part.tool);
}
template <class Archive>
void each_member(Archive& a, released_message& m) {
    a("index", m.index), a("messages", m.messages), a("speaker", m.speaker), a("plain_user", m.plain_user);
    a("joins_previous", m.joins_previous), a("frame", m.frame.steps), a("parts", m.parts);
}
template <class Archive>
void each_member(Archive& a, abandoned_call& call) {
    a("id", call.id), a("messages", call.messages);
}
template <class Archive>
void each_member(Archive& a, view::step& step) {
    a("kind", step.kind), a("on_part", step.on_part), a("target", step.target), a("previous", step.previous),
        a("text", step.text);
    a("before", step.before.steps), a("after", step.after.steps);
    if (a.version() >= 2) a("author", step.author);
}
template <class Archive>
void each_member(Archive& a, view::replacement& text) {
    a("text", text.text), a("stored", text.stored);
}
template <class Archive>
void each_member(Archive& a, saved_edit& edit) {
    a("kind", edit.kind), a("message", edit.message);
    a.unless_empty("part", edit.part), a.unless_empty("of_summary", edit.of_summary), a.unless_empty("by", edit.author),
        a.unless_empty("undoes", edit.undoes);
    a.unless_empty("writes", edit.writes), a.unless_empty("text", edit.text), a.unless_empty("stored", edit.stored);
}
template <class Archive>
void each_member(Archive& a, part_place& place) {
    a("message", place.message), a("part", place.part);
}
template <class Archive>
void each_member(Archive& a, dead_call& call) {
    a("call", call.call), a("dead", call.dead);
}
template <class Archive>
void each_member(Archive& a, call_match& match) {
    a("result", match.result), a("has_call", match.has_call), a("call", match.call);
    a.unless_empty("late", match.late);
}
template <class Archive>
void each_member(Archive& a, gone_pairs& gone) {
    a("dead_calls", gone.dead_calls), a("orphans", gone.orphans), a("repeats", gone.repeats);
}
template <class Archive>
void each_member(Archive& a, release_record& released) {
    a("latest", released.latest), a("newest_calls", released.newest_calls), a("dead_calls", released.dead_calls),
        a("matches", released.matches), a("gone", released.gone);
}
template <class Archive>
void each_member(Archive& a, undo_point& point) {
    a(a.version() < 7 ? "steps" : "edits", point.edits), a("messages", point.messages);
}
template <class Archive>
void each_member(Archive& a, provider_usage& used) {
    a("input", used.input.count), a("output", used.output.count), a("cache_read", used.cache_read.count),
        a("cache_write", used.cache_write.count);
}
template <class Archive>
void each_member(Archive& a, layer_statistics& layer) {
    a("saved", layer.saved.count), a("restored", layer.restored.count), a("events", layer.events);
    a("groups_dropped", layer.groups_dropped), a("parts_shortened", layer.parts_shortened),
        a("artifacts", layer.artifacts);
    a("latest_artifacts", layer.latest_artifacts), a("failures", layer.failures), a("asked", layer.asked);
    if (a.version() >= 2)
        a("files", layer.files), a("latest_files", layer.latest_files), a("latest_file_names", layer.latest_file_names);
    if (a.version() >= 3) a("redactions", layer.redactions);
    if (a.version() >= 4) a("model_usage", layer.model_usage);
    // A small_text cannot be read into: it goes through a string.
    std::string failure{std::string_view{layer.failure}};
    a("failure", failure);
    layer.failure = std::string_view{failure};
}
template <class Archive>
void each_member(Archive& a, budget& limits) {
    a("window", limits.window.count), a("output", limits.output.count), a("overhead", limits.overhead.count);
}
template <class Archive>
void each_member(Archive& a, pace& pacing) {
    a("pushed", pacing.pushed.steps), a("at_run", pacing.pushed_at_run.steps), a("at_ask", pacing.pushed_at_ask.steps),
        a("changes", pacing.revision), a("tried", pacing.last_attempt_revision);
    a("due", pacing.ineffective_layers), a("stuck", pacing.stuck_at.count), a("fruitless", pacing.fruitless),
        a("asked", pacing.model_asked), a("answer_fitted", pacing.answer_fitted), a("open", pacing.open);
    if (a.version() < 2) return;
    a("rounds", pacing.rounds), a("rounds_at_run", pacing.rounds_at_run), a("stayed", pacing.runs_left_due);
    std::string cause{std::string_view{pacing.cause}};
    a("cause", cause);
    pacing.cause = std::string_view{cause};
}
template <class Archive>
void each_member(Archive& a, reported_baseline& anchor) {
    // Its fields are private, so that it names them itself.
    anchor.each_field(
        [&](auto& sent, auto& sent_messages, auto& sent_known, auto& reported, auto& counted, auto& messages) {
            a("sent", sent), a("sent_messages", sent_messages), a("sent_known", sent_known);
            a("reported", reported), a("counted", counted), a("messages", messages);
        });
}
template <class Archive>
void each_member(Archive& a, turn_cost& turn) {
    a("input", turn.input.count), a("output", turn.output.count), a("context", turn.context.count),
        a("time", turn.time.count);
    a("requests", turn.requests), a("estimated", turn.estimated);
}
template <class Archive>
void each_member(Archive& a, turn_tracker& turns) {
    a("turns", turns.turns), a("input", turns.input.count), a("output", turns.output.count),
        a("time", turns.time.count);
    a("under_way", turns.under_way), a("ring", turns.ring);
}
template <class Archive>
void each_member(Archive& a, session_state& state) {
    a("condense_state", state.version), a("pipeline", state.layers), a("conversation", state.conversation),
        a("limits", state.limits);
    a("messages", state.messages);
    if (a.version() >= 7) a("numbers", state.numbers), a("size", state.size), a("released", state.released);
    else a("released", state.earlier.released);
    a("abandoned", state.abandoned), a("pins", state.pins);
    if (a.version() >= 7) a("edits", state.edits);
    else a("steps", state.earlier.steps), a("texts", state.earlier.texts);
    a("undos", state.undos), a("sent", state.sent), a("cached", state.cached.count);
    a("runs", state.runs), a("changed", state.changed), a("statistics", state.statistics),
        a("memories", state.memories);
    a("pace", state.pace), a("anchor", state.anchor), a("turns", state.turns), a("latest_job", state.latest_job),
        a("note", state.note);
    a("unrecorded", state.unrecorded), a("overflowed", state.overflowed), a("warned", state.warned);
    if (a.version() >= 4) a("agent_usage", state.agent_usage);
    if (a.version() >= 5)
        a("edited_since_sent", state.edited_since_sent), a("binds", state.binds), a("model", state.model);
    if (a.version() >= 6) a("task", state.task), a("task_taken", state.task_taken), a("settled", state.settled);
}

/// Types with many values, which are written as arrays without names.
template <class Value>
inline constexpr bool is_row =
    std::is_same_v<Value, view::step> || std::is_same_v<Value, undo_point> || std::is_same_v<Value, turn_cost>;
/// A vector or array, but no string.
template <class Value>
concept list_of_values =
    requires(Value& values) { values.begin(), values.size(); } && !std::is_same_v<Value, std::string>;

/// The largest value that an enumerator has.
constexpr std::uint64_t last_value(edit_kind) noexcept { return static_cast<std::uint64_t>(edit_kind::repair); }
constexpr std::uint64_t last_value(part_kind) noexcept { return static_cast<std::uint64_t>(part_kind::other); }
constexpr std::uint64_t last_value(part_status) noexcept { return static_cast<std::uint64_t>(part_status::pending); }
constexpr std::uint64_t last_value(role) noexcept { return static_cast<std::uint64_t>(role::other); }

/// Appends JSON on one line to `out`, which must outlive it. Text that is not UTF-8 becomes an object with its base64.
class state_writer {
public:
    explicit state_writer(std::string& out, std::uint64_t version = session_state::latest) noexcept
        : out_{&out}, version_{version} {}

    std::uint64_t version() const noexcept { return version_; }

    /// Writes one member.
    template <class Value>
    void operator()(std::string_view name, Value& value) {
        if (has_members_) out_->push_back(',');
        has_members_ = true;
        if (!row_) out_->append("\"").append(name).append("\":");
        write(value);
    }
    template <class Value>
    void unless_empty(std::string_view name, Value& value) {
        if (!(value == Value{})) (*this)(name, value);
    }

private:
    template <class Value>
    void write(Value& value) {
        // bool comes first, because it is an unsigned type, too.
        if constexpr (std::is_same_v<Value, bool>) out_->append(value ? "true" : "false");
        else if constexpr (std::is_unsigned_v<Value>) out_->append(std::to_string(value));
        else if constexpr (std::is_same_v<Value, edit_kind>) write_kind(value);
        else if constexpr (std::is_enum_v<Value>) out_->append(std::to_string(static_cast<unsigned>(value)));
        else if constexpr (std::is_same_v<Value, std::string>) write_text(value);
        else if constexpr (std::is_same_v<Value, reference>)
            out_->append("\"").append(value ? value.text() : std::string{}).append("\"");
        else if constexpr (list_of_values<Value>) {
            out_->push_back('[');
            bool not_first = false;
            for (auto& element : value) {
                if (not_first) out_->push_back(',');
                not_first = true;
                write(element);
            }
            out_->push_back(']');
        } else {
            out_->push_back(is_row<Value> ? '[' : '{');
            state_writer inner{*out_, version_};
            inner.row_ = is_row<Value>;
            each_member(inner, value);
            out_->push_back(is_row<Value> ? ']' : '}');
        }
    }
    /// By its name since version 7.
    void write_kind(edit_kind kind) {
        if (version_ < 7) out_->append(std::to_string(static_cast<unsigned>(kind)));
        else out_->append("\"").append(name(kind)).append("\"");
    }
    /// JSON has no other way to hold bytes that are not UTF-8.
    void write_text(std::string const& text) {
        if (utf8::valid(text)) {
            out_->push_back('"');
            json::append_escaped(*out_, text);
            out_->push_back('"');
            return;
        }
        out_->append("{\"base64\":\"");
        base64::append(*out_, text);
        out_->append("\"}");
    }

    std::string* out_;
    std::uint64_t version_;
    bool has_members_ = false;
    bool row_ = false;
};

/// Reads what the writer writes, and nothing else. Refers to the tree, and moves strings out of it. After the first bad
/// member it reads no others.
class state_reader {
public:
    using tree = nlohmann::ordered_json;

    explicit state_reader(tree& node, std::uint64_t version = session_state::latest) noexcept
        : node_{&node}, version_{version} {}

    std::uint64_t version() const noexcept { return version_; }

    /// The first member that was missing or of another type; empty without error.
    std::string_view bad_member() const noexcept { return bad_member_; }
    /// How many members of objects were read, at all depths.
    std::size_t members() const noexcept { return members_; }
    /// True if every member was read.
    bool complete() const noexcept { return position_ == node_->size(); }
    /// Counts a member that the caller has read itself.
    void note_member() noexcept {
        ++members_;
        ++position_;
    }

    /// Reads one member: of an object by name, of an array by position.
    template <class Value>
    void operator()(std::string_view name, Value& value) {
        if (!bad_member_.empty()) return;
        tree* member = nullptr;
        if (!row_) {
            auto const position = node_->find(std::string{name});
            if (position != node_->end()) member = &*position;
            ++members_;
        } else if (position_ < node_->size()) member = &(*node_)[position_];
        ++position_;
        if (member == nullptr || !read(*member, value)) bad_member_ = bad_member_.empty() ? name : bad_member_;
    }
    template <class Value>
    void unless_empty(std::string_view name, Value& value) {
        if (node_->find(std::string{name}) != node_->end()) (*this)(name, value);
    }

private:
    template <class Value>
    bool read(tree& node, Value& value) {
        if constexpr (std::is_same_v<Value, bool>) {
            if (!node.is_boolean()) return false;
            value = node.get<bool>();
            return true;
        } else if constexpr (std::is_unsigned_v<Value>) {
            if (!node.is_number_unsigned() || node.get<std::uint64_t>() > static_cast<Value>(~Value{0})) return false;
            value = static_cast<Value>(node.get<std::uint64_t>());
            return true;
        } else if constexpr (std::is_same_v<Value, edit_kind>) return read_kind(node, value);
        else if constexpr (std::is_enum_v<Value>) {
            if (!node.is_number_unsigned() || node.get<std::uint64_t>() > last_value(Value{})) return false;
            value = static_cast<Value>(node.get<std::uint64_t>());
            return true;
        } else if constexpr (std::is_same_v<Value, std::string>) return read_text(node, value);
        else if constexpr (std::is_same_v<Value, reference>)
            return node.is_string() && read_reference(node.get_ref<std::string&>(), value);
        else if constexpr (list_of_values<Value>) return read_list(node, value);
        else {
            if (is_row<Value> ? !node.is_array() : !node.is_object()) return false;
            state_reader inner{node, version_};
            inner.row_ = is_row<Value>;
            each_member(inner, value);
            members_ += inner.members_;
            bad_member_ = inner.bad_member_;
            return bad_member_.empty() && inner.complete();
        }
    }
    bool read_kind(tree& node, edit_kind& value) const {
        for (std::uint64_t kind = 0; kind <= last_value(edit_kind{}); ++kind) {
            value = static_cast<edit_kind>(kind);
            if (version_ < 7 ? node == kind : node == name(value)) return true;
        }
        return false;
    }
    /// A vector of any size, or an array of exactly its size.
    template <class Values>
    bool read_list(tree& node, Values& values) {
        if (!node.is_array()) return false;
        constexpr bool grows = requires { values.clear(), values.emplace_back(); };
        if constexpr (grows) values.clear();
        else if (values.size() != node.size()) return false;
        for (std::size_t index = 0; index < node.size(); ++index) {
            if constexpr (grows) values.emplace_back();  // one by one, so that memory grows only with what was read
            if (!read(node[index], values[index])) return false;
            node[index] = nullptr;  // frees what was read, so that tree and state are never both whole in memory
        }
        return true;
    }
    /// A string, or an object with the base64 of a text that is not UTF-8.
    bool read_text(tree& node, std::string& text) {
        if (node.is_string()) {
            text = std::move(node.get_ref<std::string&>());
            return true;
        }
        if (!node.is_object() || node.size() != 1 || node.begin().key() != "base64" || !node.begin()->is_string())
            return false;
        ++members_;
        return base64::append_decoded(text, node.begin()->get_ref<std::string&>());
    }
    /// The empty string stands for no reference.
    static bool read_reference(std::string_view text, reference& name) noexcept {
        auto const parsed = reference::of(text);
        if (parsed) name = *parsed;
        return parsed || text.empty();
    }

    tree* node_;
    std::uint64_t version_;
    std::string_view bad_member_ = {};
    std::size_t members_ = 0;
    std::size_t position_ = 0;  ///< members of this node that were read
    bool row_ = false;
};

}  // namespace detail
}  // namespace v1
}  // namespace condense
