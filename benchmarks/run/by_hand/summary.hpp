// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <condense/core/pass.hpp>
#include <condense/llm/answer.hpp>
#include <condense/llm/extract.hpp>
#include <condense/llm/fence.hpp>
#include <condense/llm/prompt.hpp>

#include "run.hpp"
#include "text.hpp"

// One summary in place of the oldest groups, by hand. Prompt, rule and fence are the library's functions of text.

namespace by_hand {

/// A model that is asked by a prompt.
template <class Model>
struct asked {
    static constexpr bool by_rule = false;
    Model const& model;

    condense::summary_prompt open() const { return {}; }
    static std::string text(condense::summary_prompt const& prompt, condense::tokens limit) {
        return prompt.write(limit).text();
    }
    std::string answer(std::string const& prompt) const { return std::string(model(prompt)); }
};

struct ruled {
    static constexpr bool by_rule = true;

    condense::extract::notes open() const { return condense::extract{}.open(); }
    static std::string text(condense::extract::notes const& notes, condense::chars limit) { return notes.text(limit); }
    std::string answer(std::string text) const { return text; }
};

class summary_layer {
public:
    summary_layer(run& r, zone const& spared, std::uint64_t percent)
        : run_{r}, spared_{spared}, target_{floor_share(r.limits.input().count, percent)},
          input_{cost::of(r.limits.input())} {}

    /// False where it could not be had; then all is as it was. A model that can not read all at once is asked again.
    template <class Writer>
    bool write(Writer const& writer) {
        auto const before = run_.here();
        auto most = Writer::by_rule ? cost{} : room();
        try {
            for (int calls = 0; calls < 8;) {
                auto const from = choose(Writer::by_rule, most);
                if (!from.fresh) return true;
                auto const limit = limit_of(from.replaced);
                auto notes = writer.open();
                tell(from, notes);
                auto told = writer.text(notes, {Writer::by_rule ? limit * 3 : limit});
                if (!Writer::by_rule && estimate(told) - instructions() > most + cost{most.steps / 8}) {
                    if (from.groups.size() < 2)
                        throw not_by_hand{"a summary by hand: a group is more than a model can read"};
                    most = {most.steps / 4 * 3};
                    continue;
                }
                ++calls;
                auto text = writer.answer(std::move(told));
                if (!Writer::by_rule && !condense::no_summary(text).empty()) return fail(before);
                if (says_nothing(text) || (!Writer::by_rule && estimate(text) >= from.replaced)) return fail(before);
                fit(text, limit);
                if (says_nothing(text)) return fail(before);
                if (!put(from, text) || !from.more) return true;
            }
        } catch (condense::cancelled const&) { throw; } catch (not_by_hand const&) {
            throw;
        } catch (std::exception const&) { return fail(before); }
        return true;
    }

private:
    struct choice {
        std::vector<std::uint32_t> groups;
        cost replaced = {};
        std::uint32_t host = nobody;  ///< where the first of them stands
        bool fresh = false;  ///< something goes that is no summary
        bool more = false;
    };

    static cost estimate(std::string_view text) { return condense::default_estimator<>{}(text); }
    static bool says_nothing(std::string_view text) {
        for (char const byte : text)
            if (static_cast<unsigned char>(byte) > 0x20 && byte != 0x7F) return false;
        return true;
    }
    std::uint64_t limit_of(cost replaced) const {
        auto const least =
            std::min({std::uint64_t{2'000}, run_.limits.input().count / 10, replaced.tokens().count / 3});
        return least == 0 ? 1 : least;
    }
    static cost instructions() { return estimate(condense::summary_prompt{}.write({1'000}).text()); }
    /// What a model is given at once: what the input holds beside prompt and answer, less a ninth for labels.
    cost room() const { return {(input_ - cost::of({limit_of(input_)}) - instructions()).steps / 9 * 8}; }

    bool fail(mark const& to) noexcept {
        run_.take_back(to);
        return false;
    }

    /// The summary that is there, and the oldest groups that may go until enough would be gone.
    choice choose(bool by_rule, cost most) const {
        auto const& now = run_.now;
        auto const& kept = now.kept;
        choice found;
        auto const frame = condense::default_estimator<>{}.frame(role::user);
        auto const whole =
            run_.used() + limit_of(input_) + (estimate(condense::fenced_summary(" ")) + frame).tokens().count;
        auto left = whole;
        auto const take = [&](cost own) {
            found.replaced += own;
            left = whole - std::min(whole, found.replaced.tokens().count);
        };
        found.host = now.summary.at;
        if (now.summary.at != nobody) take(now.summary.own);
        for (std::uint32_t index = 0; index < now.size() && left > target_; ++index) {
            if (!now.leads(index)) continue;
            if (kept.bound(index) || spared_.holds_some(kept, index)) continue;
            found.more = !by_rule && found.fresh && found.replaced + kept.notes[index].all > most;
            if (found.more) break;
            take(kept.notes[index].all);
            found.groups.push_back(index);
            found.host = std::min(found.host, index);
            found.fresh = true;
        }
        return found;
    }

    template <class Notes>
    void tell(choice const& from, Notes& notes) const {
        auto const& now = run_.now;
        bool told = now.summary.at == nobody;
        for (auto const group : from.groups) {
            if (!told && now.summary.at <= group) told = tell_summary(notes);
            for (auto index = group; index <= now.kept.notes[group].last; ++index) {
                if (now.kept.notes[index].group != group) continue;
                auto const& m = run_.history[index];
                for (std::uint32_t place = 0; place < m.parts.size(); ++place)
                    notes.see(m.role, run_.view(index, place), false);
            }
        }
        if (!told) tell_summary(notes);
    }
    template <class Notes>
    bool tell_summary(Notes& notes) const {
        notes.see(role::user, condense::part_view{.text = run_.now.summary.text}, true);
        return true;
    }

    static void fit(std::string& text, std::uint64_t limit) {
        auto const whole = estimate(text).tokens().count;
        if (whole <= limit) return;
        if (!points_of(text)) text = mended(text);
        auto const points = *points_of(text);
        text.resize(front_of(text, points / whole * limit + points % whole * limit / whole));
    }

    /// False where that saves nothing.
    bool put(choice const& from, std::string const& text) {
        auto fenced = condense::fenced_summary(text);
        if (!points_of(fenced)) fenced = mended(fenced);
        auto const own = condense::default_estimator<>{}.frame(role::user) + estimate(fenced);
        if (own >= from.replaced) return false;
        auto const before = run_.used();
        run_.summarize(from.groups, {from.host, own, std::move(fenced)});
        return run_.used() < before;
    }

    run& run_;
    zone spared_;
    std::uint64_t target_;
    cost input_;
};

}  // namespace by_hand
