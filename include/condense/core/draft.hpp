// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <condense/core/draft_reader.hpp>
#include <condense/detail/callable_ref.hpp>
#include <condense/detail/json_scan.hpp>

// A view under construction. Layers propose edits; the draft refuses those that would break a rule of the conversation,
// and the engine rolls a batch back to its mark.

namespace condense {
inline namespace v1 {

/// The view that a run edits. Refers to its source, outline, view and estimator, which must outlive it; costs nothing
/// to create. An edit adds a step to the view and its cost to the sums, so `used()` stays O(1). Texts are scrubbed to
/// valid UTF-8. Only allocation, the estimator and the message's adapter can throw; then the draft may hold part of a
/// batch, and the engine rolls it back.
template <class Source, token_estimator Estimator>
class draft : public draft_reader<Source, Estimator> {
public:
    using reader = draft_reader<Source, Estimator>;
    using reader::present;
    using reader::reader;
    using typename reader::message_type;

    // Editing. Every verb returns why it was refused, or refusal::none; a refused edit changes nothing.

    /// Takes out a whole group. Refused for system messages, pins, open groups, the latest user message and its answer,
    /// and where nothing but system messages would be left.
    refusal drop(group which) {
        if (auto const refused = this->undroppable(which)) return refused;
        if (this->is_last(which)) return refusal::last;
        this->edits_->drop(*this->outline_, which);
        return refusal::none;
    }

    /// Replaces the text of a part by a smaller one; what was cut is lost. Parts of open groups are refused unless
    /// their original is stored, a journal records it, or the run is under pressure.
    refusal shorten(part_ref part, std::string text) { return replace(edit_kind::shorten, part, std::move(text), {}); }

    /// Why `shorten` would refuse any text for the part; none where a smaller one would do.
    refusal unshortenable(part_ref part) const noexcept { return unreplaceable(part, edit_kind::shorten); }

    /// Replaces the text of a part by a smaller one whose original can be read back by the reference.
    refusal externalize(part_ref part, std::string text, reference stored) {
        return replace(edit_kind::externalize, part, std::move(text), stored);
    }

    /// The number of the edit that wrote the text from which the layer at work cuts; 0 where that is the original.
    std::uint32_t input_step(part_ref part) const noexcept {
        auto const stored = [this](std::uint32_t number) {
            return number != 0 && this->edits_->text_at(this->edits_->steps()[number - 1].text).stored;
        };
        auto number = this->edits_->edit_at(part.part_id);
        for (; number != 0; number = this->edits_->steps()[number - 1].previous) {
            auto const& step = this->edits_->steps()[number - 1];
            bool const preview = step.kind == edit_kind::externalize && !stored(step.previous);
            if (!preview && (author_ == 0 || step.author != author_)) break;
        }
        return number;
    }

    /// Calls f(part_view, bool shortened) with the text from which the layer at work cuts: the part as other layers
    /// left it, without the layer's own edits. A layer that runs again under pressure so cuts from the same text as
    /// before, not from its own output. Previews of stored originals are skipped, too, as the original can be cut
    /// instead.
    void layer_input(part_ref part, detail::callable_ref<void(part_view const&, bool)> f) const {
        auto const step_number = input_step(part);
        auto const earlier = this->outline_->part_at(part.part_id).earlier;
        this->original(part, [&](part_view input) {
            if (step_number != 0) {
                input.text = this->edits_->text_at(this->edits_->steps()[step_number - 1].text).text;
                input.cost.reset();
                if (input.kind == part_kind::media)
                    input = {.text = input.text, .tool = input.tool, .call = input.call};
            }
            f(input, step_number != 0 || earlier != detail::earlier_edit::none);
        });
    }

    /// Takes out a part that is neither a call nor a result, or a result that no provider needs: one without a call, or
    /// one whose call has another result in another message. Removing the last part of a message removes the message,
    /// where that is a group of its own or holds such a result. Open groups lose repeated results, other parts
    /// only where they may be shortened, and reasoning never: providers refuse a step without the thinking that they
    /// have signed.
    refusal remove(part_ref part) {
        if (auto const refused = uneditable(part)) return refused;
        bool const repeated = is_repeated(part);
        if (!repeated && !is_bare(part)) return refusal::pair;
        bool const thinking = this->outline_->part_at(part.part_id).kind == part_kind::reasoning;
        if ((!repeated && is_guarded_open(part)) || (thinking && is_open(part))) return refusal::open;
        if (is_only_user_part(part)) return refusal::turn;
        if (is_only_part(part)) {
            group const own_group{this->outline_->group_of(part.message_index)};
            if (this->edits_->of(own_group).messages == 1) return drop(own_group);
            if (!repeated) return refusal::pair;
        }
        this->edits_->edit_part(*this->outline_, edit_kind::remove, part.part_id, {}, {}, author_);
        return refusal::none;
    }

    /// Replaces the groups in `which` by one message of role user, which stands where the oldest of them stood. Refused
    /// as a whole if one of the groups may not be dropped, or if another summary is sent that would stand beside it:
    /// one of this view that is not among them, or, where none of them is a summary, one of an earlier `reduce` that
    /// could be replaced. `gone` for no groups.
    template <class Groups>
    refusal summarize(Groups const& which, std::string text) {
        auto host = detail::none32;
        detail::summary_check check{*this->outline_, *this->edits_};
        for (group const replaced : which) {
            if (auto const refused = this->undroppable(replaced)) return refused;
            if (replaced.id() < host) host = replaced.id();
            check.replace(replaced);
        }
        if (host == detail::none32) return refusal::gone;
        if (check.leaves_another()) return refusal::summary;
        text = detail::utf8::scrubbed(std::move(text));
        auto const after = detail::frame_cost(*this->estimator_, role::user) +
                           detail::part_cost(*this->estimator_, part_view{.text = text});
        for (group const replaced : which)
            if (present(replaced)) this->edits_->drop(*this->outline_, replaced);
        this->edits_->summarize(host, std::move(text), after);
        return refusal::none;
    }

    /// Puts a message's group back as it was first read, undoing its drop and the edits of its parts, but not the
    /// removal of bound parts. The request grows; refused with no_room where the result would not fit the budget, and
    /// with summary where the message is a summary of an earlier `reduce` and another is sent.
    refusal restore(sequence message_seq) {
        if (message_seq.number >= this->outline_->size()) return refusal::gone;
        auto const group_id = this->outline_->group_of(message_seq.number);
        if (auto const refused = unrestorable(group_id)) return refused;
        auto const before = this->edits_->sums();
        auto const mark = this->edits_->steps().size();
        if (this->edits_->is_dropped(group_id)) this->edits_->undrop(*this->outline_, group{group_id});
        this->each_member(group{group_id}, [&](std::uint32_t index) {
            for (auto const part_id : this->outline_->message_at(index).parts())
                if (may_return(part_id))
                    this->edits_->edit_part(*this->outline_, edit_kind::restore, part_id,
                                            this->outline_->part_at(part_id).cost, {});
        });
        return returned(before, mark, this->limits_.input());
    }

    /// Puts a group back, if it was taken out, and of it the parts in `with`: each as it was first read, or with its
    /// text, unless that would be refused. Edits of other parts stay. Refused with no_room where more than `most`, or
    /// than the budget, would be used.
    refusal restore(group which, std::vector<returning_part> with, tokens most) {
        if (which.is_summary() || which.id() >= this->outline_->group_count()) return refusal::gone;
        if (auto const refused = unrestorable(which.id())) return refused;
        auto const before = this->edits_->sums();
        auto const mark = this->edits_->steps().size();
        if (this->edits_->is_dropped(which.id())) this->edits_->undrop(*this->outline_, which);
        for (auto& [part, text, stored] : with) {
            if (may_return(part.part_id))
                this->edits_->edit_part(*this->outline_, edit_kind::restore, part.part_id,
                                        this->outline_->part_at(part.part_id).cost, {});
            if (text)
                static_cast<void>(
                    replace(stored ? edit_kind::externalize : edit_kind::shorten, part, std::move(*text), stored));
        }
        auto const limit = this->limits_.input();
        return returned(before, mark, most < limit ? most : limit);
    }

    /// Writes a result for a call that will never be answered, such as a cancelled one. The request grows; refused with
    /// no_room where the result would not fit the budget, and with pair where the adapter cannot write such a result.
    refusal repair(part_ref call, std::string text) {
        static_assert(answerable<message_type>,
                      "condense: draft.repair: the message must have make_result (see answerable)");
        if (call.part_id >= this->outline_->part_count()) return refusal::gone;
        auto const& record = this->outline_->part_at(call.part_id);
        if (!present(group{this->outline_->group_of(record.message_index)}) ||
            this->edits_->answer_at(call.part_id) != 0)
            return refusal::gone;
        if (!this->outline_->unanswerable(record))
            return record.kind == part_kind::tool_call ? refusal::open : refusal::pair;
        text = detail::utf8::scrubbed(std::move(text));
        v1::cost after;
        bool accepted = false;
        this->original(call, [&](part_view const& call_view) {
            auto const ambiguous =
                call_view.call.empty() ? has_other_waiting_call(record.message_index) : has_twin(call, call_view.call);
            accepted = !ambiguous && takes_answer(call, call_view, text, after);
        });
        if (!accepted) return refusal::pair;
        auto const before = this->edits_->sums();
        auto const mark = this->edits_->steps().size();
        this->edits_->answer(*this->outline_, call.part_id, std::move(text), after);
        return grown(before, mark, this->limits_.input());
    }

    // For the pipeline.

    /// A draft of the same view that reads messages and counts tokens in another way, for any_pipeline.
    template <class OtherSource, class OtherEstimator>
    draft<OtherSource, OtherEstimator> rebound(OtherSource const& source,
                                               OtherEstimator const& estimator) const noexcept {
        return {source, *this->outline_, *this->edits_, estimator, this->limits_};
    }

    /// The view itself, for the engine to write to.
    view& written() noexcept { return *this->edits_; }
    /// Takes out all bound parts, and has later changes take them along.
    void remove_bound() {
        this->edits_->bind(*this->outline_, true);
        this->edits_->remove_bound(*this->outline_, 0);
    }
    /// The number of steps, to which take_back returns.
    std::size_t mark() const noexcept { return this->edits_->steps().size(); }
    void take_back(std::size_t mark) noexcept { this->edits_->take_back(*this->outline_, mark); }
    /// Edits from here on are by the layer whose entry in the report has this index, plus one; 0 for no layer.
    void begin_batch(std::uint16_t author = 0) noexcept {
        restored_ = {};
        author_ = author;
    }
    /// How much `restore` and `repair` have added since the batch began; the batch need not make up for it.
    view::totals const& restored() const noexcept { return restored_; }
    /// Whether an edit was refused since the last call of this because the request would not have fit the budget.
    bool wanted_room() noexcept { return std::exchange(wants_room_, false); }
    /// Sets whether open groups may lose content: after a journal has recorded them, or under pressure.
    void allow_open(bool allowed) noexcept { open_allowed_ = allowed; }
    bool open_allowed() const noexcept { return open_allowed_; }
    /// Notes that a last resort takes the task.
    void note_task_taken() noexcept { this->edits_->note_task_taken(true); }
    /// Puts the task back that a last resort has taken out, where three quarters of `line`, to which the pipeline
    /// presses, hold it beside what has to stay: others may have to go for it.
    void return_task(tokens line) {
        if (!this->edits_->lacks_task(*this->outline_)) return;
        group const which{this->outline_->group_of(this->outline_->task())};
        auto const least = this->floor() + this->measured(this->about(which).cost);
        if (least > percent{7'500}.of(line)) return;
        this->edits_->note_task_taken(false);
        this->edits_->undrop(*this->outline_, which);
        settle_head();
    }

    /// Makes the request begin, after system messages, with a plain user message or a summary, as providers require:
    /// where drops removed that, brings back the nearest one before the new beginning.
    void settle_head() {
        for (auto const which : this->groups()) {
            auto const facts = this->about(which);
            if (facts.system) continue;
            if (!facts.summary && !facts.starts_turn) restore_head(which.id());
            return;
        }
    }

protected:
    /// True if make_result() yields a message with exactly the result of `call`: no call, no other result and no text
    /// of a user. Sets `after` to the cost of that message.
    bool takes_answer(part_ref place, part_view const& call, std::string const& text, v1::cost& after) const {
        auto const message = v1::make_result(this->message_at(sequence{place.message_index}), call, text, place.index);
        auto const speaker = v1::role_of(message);
        after = detail::frame_cost(*this->estimator_, speaker, [&] { return v1::name_of(message); });
        bool result = false;
        bool more = speaker == role::system || speaker == role::assistant;
        v1::each_part(message, [&](part_view const& part) {
            after += detail::part_cost(*this->estimator_, part);
            bool const this_one = part.kind == part_kind::tool_result && part.call == call.call;
            more = more || part.kind == part_kind::tool_call ||
                   (!this_one && (speaker == role::user || !part.call.empty()));
            result = result || this_one;
        });
        return result && !more;
    }

    /// The part can go without breaking a pair: it is no call, no result whose call is there, and its message stays in
    /// its group without it.
    bool is_bare(part_ref part) const {
        auto const& record = this->outline_->part_at(part.part_id);
        bool const orphan = record.kind == part_kind::tool_result && record.call == detail::none32;
        bool const bare = orphan || record.kind == part_kind::media || record.kind == part_kind::reasoning ||
                          record.kind == part_kind::text;
        return (bare || (record.call == detail::none32 && record.kind == part_kind::other)) && !is_only_link(part);
    }

    /// True for a result, or what came with it, whose call has a result in another message, too. For a new edit both
    /// results must name their call and the other must still be present; for a `recorded` edit, read back from a saved
    /// state, neither can be checked any more.
    bool is_repeated(part_ref part, bool recorded = false) const {
        auto const& record = this->outline_->part_at(part.part_id);
        if (record.call == detail::none32 || record.kind == part_kind::tool_call || record.kind == part_kind::reasoning)
            return false;
        bool own = false;
        bool other = false;
        for (auto const part_id : this->results_beside(part)) {
            auto const& candidate = this->outline_->part_at(part_id);
            if (!recorded && !candidate.by_id) continue;
            bool const here = candidate.message_index == record.message_index;
            (here ? own : other) |= here || recorded || !this->is_removed(this->part_at(part_id));
        }
        return own && other;
    }

    /// True if the adapter can write the text in place of `content`, which is media, and leaves all other parts where
    /// they are; sets `after` to its cost there. Copies the message, as only the adapter knows; one of many parts once.
    bool takes_text(part_ref part, part_view const& content, std::string const& text, v1::cost& after) const {
        if constexpr (shortenable<message_type>) {
            auto const part_count = this->outline_->message_at(part.message_index).part_count;
            std::size_t parts = 0;
            bool shown = false;
            auto const look = [&](part_view const& current, std::string_view written) {
                shown = current.text == written &&
                        (current.kind != part_kind::tool_result || !current.call.empty());  // else turns change
                auto with_text = current;
                with_text.text = text;
                after = detail::part_cost(*this->estimator_, with_text);
            };
            if constexpr (detail::edits_together<message_type>)
                if (part_count > detail::part_copies::few && content.text != probe && content.text != text) {
                    bool const is_copied = with_probes(part.message_index, [&](auto const& probes) {
                        parts = probes.size();
                        if (parts == part_count) look(probes.at(part.index), probe);
                    });
                    if (is_copied && parts == part_count) return shown;
                    parts = 0;
                }
            auto const message = v1::with_part(this->message_at(sequence{part.message_index}), part.index, text);
            v1::each_part(message, [&](part_view const& current) {
                if (parts++ == part.index) look(current, text);
            });
            return shown && parts == part_count;
        } else return true;
    }

    /// Why no part of the message may be edited, apart from pins; none where they may.
    refusal untouchable(std::uint32_t index) const noexcept {
        if (this->outline_->message_at(index).speaker == role::system) return refusal::system;
        if (index == this->outline_->latest_user()) return refusal::latest_user;
        if (index == this->outline_->task()) return refusal::task;
        return refusal::none;
    }
    /// The part must stay byte for byte. Sealed media do not count: they may be replaced as a whole by a text.
    bool is_sealed(part_ref part) const noexcept {
        auto const& record = this->outline_->part_at(part.part_id);
        return record.sealed && record.kind != part_kind::media;
    }
    /// Why the text may not take the place of `content`, the part as the history holds it; sets `after` to the cost of
    /// the text there. Arguments of calls must stay JSON, and smaller media are tried on a copy of the message.
    refusal weigh(part_ref part, part_view content, std::string const& text, v1::cost before, v1::cost& after) const {
        auto const kind = this->outline_->part_at(part.part_id).kind;
        if (kind == part_kind::tool_call && !(detail::json::valid(content.text) && detail::json::valid(text)))
            return refusal::not_json;
        auto const original = content;
        if (content.kind == part_kind::media) content.kind = part_kind::text;
        content.text = text;
        content.cost.reset();
        after = detail::part_cost(*this->estimator_, content);
        bool const refused = kind == part_kind::media && after < before && !takes_text(part, original, text, after);
        return refused ? refusal::sealed : refusal::none;
    }

private:
    /// Stands for any text where the adapter is asked what it would do with one.
    static constexpr std::string_view probe = "[text in the place of media]";

    /// Calls f(part_copy&) with the parts of a message as they are with `probe` in the place of all of its media.
    bool with_probes(std::uint32_t index, detail::callable_ref<void(detail::part_copy&)> f) const {
        auto const read = [&](detail::view_sink sink) {
            auto const& record = this->outline_->message_at(index);
            std::vector<part_edit> edits;
            for (std::uint32_t part = 0; part < record.part_count; ++part)
                if (this->outline_->part_at(record.first_part + part).kind == part_kind::media)
                    edits.push_back({.index = part, .text = probe});
            message_type message(this->message_at(sequence{index}));
            v1::with_edits(message, edits);
            v1::each_part(message, sink);
        };
        return probes_.use(index, read, f);
    }

    /// An edit of the part may be undone. A result of a released call cannot be sent, and a provider refuses a bound
    /// part that was left out before.
    bool may_return(std::uint32_t part_id) const noexcept {
        auto const& record = this->outline_->part_at(part_id);
        return this->edits_->edit_of(part_id) != nullptr && !record.late && !record.bound;
    }
    /// Why the group may not come back.
    refusal unrestorable(std::uint32_t group_id) const noexcept {
        auto const& record = this->outline_->group_at(group_id);
        if (record.unsendable) return refusal::gone;
        bool const returns = record.summary && !present(group{group_id});
        return returns && this->edits_->has_summary(*this->outline_) ? refusal::summary : refusal::none;
    }

    /// Ends a restore: what came back may need a beginning before it, which counts as restored, too. It may also stand
    /// beside its summary, but the request has no more messages than the history after it.
    refusal returned(view::totals const& before, std::size_t mark, tokens most) {
        if (this->edits_->steps().size() == mark) return refusal::gone;
        settle_head();
        if (this->edits_->sums().messages > this->outline_->size()) {
            this->edits_->take_back(*this->outline_, mark);
            return refusal::no_room;
        }
        return grown(before, mark, most);
    }

    /// Accepts an edit that restores, if no more than `most` is used or it has gained; else rolls back to `mark`.
    refusal grown(view::totals const& before, std::size_t mark, tokens most) noexcept {
        auto gained = this->edits_->sums();
        if (gained.cost >= before.cost && this->used().tokens > most) {
            this->edits_->take_back(*this->outline_, mark);
            wants_room_ = true;
            return refusal::no_room;
        }
        gained -= before;
        restored_ += gained;
        return refusal::none;
    }

    /// Brings back the nearest plain user message or summary that was dropped before group `before`, if there is one.
    /// Looks at what is sent and at the summaries that were dropped.
    void restore_head(std::uint32_t before) {
        auto const nearest = [&](bool plain) {
            auto user = this->outline_->beginning_before(before);
            while (user != detail::none32 &&
                   (present(group{user}) || (plain && this->outline_->group_at(user).summary)))
                user = this->outline_->beginning_before(user);
            return user;
        };
        // A summary holds more than the single message, so it is preferred. But a request holds one: a second comes
        // back only where no message of a user can.
        bool const summarized = this->edits_->has_summary(*this->outline_);
        auto user = nearest(summarized);
        if (summarized && user == detail::none32) user = nearest(false);
        auto const& lost_summaries = this->edits_->summary_drops();
        for (auto step = lost_summaries.rbegin(); !summarized && step != lost_summaries.rend(); ++step) {
            group const target{this->edits_->steps()[*step].target};
            if (target.id() > before || (user != detail::none32 && target.id() < user)) continue;
            return this->edits_->undrop(*this->outline_, target, *step);
        }
        if (user != detail::none32) this->edits_->undrop(*this->outline_, group{user});
    }
    /// Why the part may not be edited: its message is protected, or the part is not sent any more.
    refusal uneditable(part_ref part) const noexcept {
        if (part.part_id >= this->outline_->part_count()) return refusal::gone;
        auto const index = this->outline_->part_at(part.part_id).message_index;
        auto const& message = this->outline_->message_at(index);
        if (!present(group{this->outline_->group_of(index)})) return refusal::gone;
        if (auto const* const changed = this->edits_->edit_of(part.part_id))
            if (changed->kind == edit_kind::remove) return refusal::gone;
        auto const refused = untouchable(index);
        return message.pinned && refused != refusal::system ? refusal::pinned : refused;
    }

    /// No other part of its message is sent; the part itself is.
    bool is_only_part(part_ref part) const noexcept {
        return this->edits_->removed_parts(part.message_index) + 1 ==
               this->outline_->message_at(part.message_index).part_count;
    }

    /// The call id of this part is the only link of its message to the group of that call.
    bool is_only_link(part_ref part) const {
        auto const& record = this->outline_->part_at(part.part_id);
        if (record.call == detail::none32 || record.kind == part_kind::tool_call ||
            record.kind == part_kind::tool_result)
            return false;
        auto const is_in_its_message = [&](std::uint32_t part_id) {
            return this->outline_->part_at(part_id).message_index == record.message_index;
        };
        if (is_in_its_message(this->outline_->call_part_id(record))) return false;
        for (auto const part_id : this->results_beside(part))
            if (is_in_its_message(part_id)) return false;
        return true;
    }

    /// Without this part its message would cease to be a plain user message, or a summary. Looks behind the part first:
    /// where parts are removed in order, those before it are gone.
    bool is_only_user_part(part_ref part) const {
        auto const& message = this->outline_->message_at(part.message_index);
        if (message.summary) return true;
        if (!message.plain_user) return false;
        bool others = false;
        auto const look = [&](std::uint32_t part_id, part_view const& content) {
            others = others || (part_id != part.part_id && !this->is_removed(this->part_at(part_id)) &&
                                content.kind != part_kind::tool_result && content.call.empty());
        };
        bool const is_copied = this->with_copies(part.message_index, [&](auto const& parts) {
            for (std::uint32_t step = 1; !others && step < parts.size(); ++step) {
                auto const position = (part.part_id - message.first_part + step) % parts.size();
                look(message.first_part + position, parts.at(position));
            }
        });
        if (!is_copied)
            this->each_part(sequence{part.message_index},
                            [&](part_ref other, part_view const& content) { look(other.part_id, content); });
        return !others;
    }

    /// Another call of its message has the same id, and could be matched to the answer.
    bool has_twin(part_ref call, std::string_view id) const {
        auto const& message = this->outline_->message_at(call.message_index);
        bool twin = false;
        auto const look = [&](std::uint32_t position) {
            auto const part_id = message.first_part + position;
            twin = twin || (part_id != call.part_id && this->outline_->part_at(part_id).kind == part_kind::tool_call);
        };
        if (this->with_copies(call.message_index, [&](auto& parts) { parts.each_with(id, look); })) return twin;
        for (std::uint32_t position = 0; position < message.part_count; ++position)
            if (this->outline_->call_id_of(this->outline_->part_at(message.first_part + position)) == id)
                look(position);
        return twin;
    }

    /// Another call without an id in the same group, no later than this message, would be matched to the answer.
    bool has_other_waiting_call(std::uint32_t index) const {
        auto const first = this->results_.first_waiting_without_id(*this->outline_, this->outline_->group_of(index));
        return first != detail::none32 && first <= index;
    }

    bool is_open(part_ref part) const noexcept {
        return this->outline_->open(this->outline_->group_of(part.message_index));
    }
    bool is_guarded_open(part_ref part) const noexcept { return !open_allowed_ && is_open(part); }

    /// Why no text may take the place of the part's, whatever it is.
    refusal unreplaceable(part_ref part, edit_kind kind) const noexcept {
        if (auto const refused = uneditable(part)) return refused;
        if (is_sealed(part)) return refusal::sealed;
        bool const guarded = kind == edit_kind::shorten && is_guarded_open(part) && !this->about(part).stored;
        return guarded ? refusal::open : refusal::none;
    }

    refusal replace(edit_kind kind, part_ref part, std::string text, reference stored) {
        if (auto const refused = unreplaceable(part, kind)) return refused;
        text = detail::utf8::scrubbed(std::move(text));
        auto const before = this->edits_->part_cost(*this->outline_, part.part_id);
        v1::cost after;
        refusal refused = refusal::gone;
        this->original(part, [&](part_view const& content) { refused = weigh(part, content, text, before, after); });
        if (refused) return refused;
        if (after >= before) return {before, after};
        if (!stored) stored = this->about(part).stored;  // an original that was stored before stays reachable
        if (stored) kind = edit_kind::externalize;
        this->edits_->edit_part(*this->outline_, kind, part.part_id, after, {std::move(text), stored}, author_);
        return refusal::none;
    }

    std::uint16_t author_ = 0;
    bool open_allowed_ = false;
    bool wants_room_ = false;
    view::totals restored_ = {};
    mutable detail::part_copies probes_ = {};
};

template <class Source, class Estimator>
draft(Source const&, outline const&, view&, Estimator const&, budget const&) -> draft<Source, Estimator>;

}  // namespace v1
}  // namespace condense
