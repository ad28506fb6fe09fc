// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <iterator>
#include <tuple>

#include "plan/planted_sheet.hpp"

// Questions about a passage that is planted among the artifacts of an agent's work: logs, JSON, prose and code. What is
// asked for is determined by terms that no other passage holds together, while many hold all but one of them, and no
// term of the passage is without use elsewhere. The same for the same seed on every machine.

namespace plan_tests {

struct planted_artifact {
    std::string source;  ///< where it comes from, as in "read_file: src/billing/retry.cpp"
    std::string text;
    artifact_kind kind = artifact_kind::log;
};

struct planted_question {
    std::vector<planted_artifact> artifacts;  ///< 5 to 40, in order of arrival
    std::string question;
    std::string answer;  ///< the planted passage: a line, two of code, a JSON element, a sentence
    std::size_t artifact = 0;  ///< the index of the one that has it
    std::size_t offset = 0;  ///< where the answer begins in its text
    std::vector<std::string> keys;  ///< what of the passage the question names, as the passage spells it
    std::string value;  ///< what is asked for
};

namespace planting {

class question_maker {
public:
    explicit question_maker(std::uint64_t seed) : random_{seed} {
        planted_.kind = static_cast<artifact_kind>(seed % 4);
        planted_.family = static_cast<fact_family>(seed / 4 % 4);
    }

    planted_question make() {
        target_ = any_fact(planted_.family);
        planted_ = any_style(planted_.kind, planted_.family);
        near_ = 1 + random_.below(2);

        auto const count = 5 + random_.below(36);
        auto const planted = random_.below(count);
        auto const twin = (planted + 1 + random_.below(count - 1)) % count;
        out_.artifacts.resize(count);
        out_.artifact = planted;
        write_planted(out_.artifacts[planted]);
        write_twin(out_.artifacts[twin]);
        for (std::size_t index = 0; index < count; ++index)
            if (index != planted && index != twin) write_other(out_.artifacts[index]);
        out_.answer = out_.artifacts[planted].text.substr(out_.offset, answer_size_);  // wrapped by now
        ask();
        return std::move(out_);
    }

private:
    /// A unit that has to stand somewhere.
    struct placed {
        std::size_t after = 0;  ///< so many bytes of the artifact
        fact what;
        std::uint64_t seed = 0;
        enum class role : std::uint8_t { planted, twin, mate, near } is = role::near;
    };

    fact any_fact(fact_family family) {
        fact out{.family = family};
        auto const sizes = ranges(family);
        for (std::size_t part = 0; part < 3; ++part) out.parts[part] = random_.below(sizes[part]);
        out.value = random_.below(60);
        return out;
    }
    /// The same but for one part.
    fact other_part(fact given, std::size_t part) {
        auto const size = ranges(given.family)[part];
        given.parts[part] = (given.parts[part] + 1 + random_.below(size - 1)) % size;
        return given;
    }
    /// Few share parts with what is asked for.
    fact some_fact(fact_family family) {
        auto out = any_fact(family);
        if (family != target_.family) return out;
        auto const chosen = random_.below(100);
        auto const part = random_.below(3);
        for (std::size_t index = 0; index < 3; ++index)
            if (out.parts[index] == target_.parts[index]) out = other_part(out, index);
        if (chosen < near_) {
            auto const value = random_.chance(30) ? target_.value : out.value;
            out = other_part(target_, part);
            out.value = value;
        } else if (chosen < 2 * near_) {
            out.parts[part] = target_.parts[part];
        }
        return out;
    }

    std::string const& any_of(words::list all) { return all[random_.below(all.size())]; }
    style any_style(artifact_kind kind, fact_family family) {
        style out;
        out.kind = kind;
        out.family = family;
        out.format = random_.below(8);
        out.shape = random_.below(12);
        out.camel = kind != artifact_kind::log && random_.chance(30);
        out.wrapped = random_.chance(35);
        out.host = any_of(words::of("hosts"));
        return out;
    }
    fact_family any_family() {
        if (random_.chance(40)) return target_.family;
        return static_cast<fact_family>(random_.below(4));
    }
    std::size_t any_size() {
        static constexpr std::size_t sizes[] = {1'000, 1'400, 2'000,  2'800,  4'000,
                                                5'500, 7'500, 10'000, 14'000, 19'000};
        auto const size = sizes[random_.below(std::size(sizes))];
        return size + random_.below(500);
    }
    std::string any_source(artifact_kind kind, std::size_t format) {
        static constexpr std::string_view names[] = {"log_sources", "json_sources", "prose_sources", "code_sources"};
        auto const& pattern = any_of(words::of(names[static_cast<std::size_t>(kind)]));
        auto out = pattern_writer{target_, {}, random_}(pattern);
        if (kind == artifact_kind::code) out += format % 2 == 0 ? ".cpp" : ".py";
        return out;
    }

    /// `terms` as terms_of has them.
    static bool holds(std::string_view terms, std::string_view key) {
        bool all = true;
        each_term(key, [&](std::string_view term) {
            all = all && terms.find(' ' + std::string{term} + ' ') != std::string_view::npos;
        });
        return all;
    }
    /// True if these and `before` together hold all keys.
    bool is_answer(std::string_view terms, std::string_view before = {}) const {
        return std::all_of(key_terms_.begin(), key_terms_.end(), [&](std::string const& term) {
            return terms.find(term) != std::string_view::npos || before.find(term) != std::string_view::npos;
        });
    }
    /// No second answer, neither alone nor with the units before it.
    bool admissible(sheet const& page, std::string const& unit) const {
        return !is_answer(terms_of(unit)) && !is_answer(terms_of(page.body(unit)), page.recent());
    }
    bool is_target(fact const& given) const { return given.family == target_.family && given.parts == target_.parts; }

    /// Writes units until the size is reached and all that has to stand here does.
    void write(planted_artifact& out, sheet& page, std::size_t size, std::vector<placed> all) {
        std::sort(all.begin(), all.end(), [](placed const& left, placed const& right) {
            return std::tuple{left.after, left.seed, left.is} < std::tuple{right.after, right.seed, right.is};
        });
        auto next = all.begin();
        while (page.size() < size || next != all.end()) {
            if (next != all.end() && page.size() >= next->after) {
                if (next->is == placed::role::planted) {
                    plant(page, *next);
                    ++next;
                    continue;
                }
                if (next->is == placed::role::twin) page.clock(time_);
                if (next->is == placed::role::near && is_answer(terms_of(page.unit(next->what, next->seed)))) {
                    next->what = other_part(target_, random_.below(2));
                    next->seed = random_.next();
                    continue;
                }
                auto const unit = page.unit(next->what, next->seed);
                if (admissible(page, unit)) {
                    page.append(unit);
                    ++next;
                    continue;
                }
            }
            bool const plain = page.look().kind != artifact_kind::json && random_.chance(40);
            auto const family =
                page.look().kind == artifact_kind::json || random_.chance(60) ? page.look().family : any_family();
            auto const given = some_fact(family);
            auto const unit_seed = random_.next();
            auto const unit = plain ? page.plain_unit() : page.unit(given, unit_seed);
            if ((!plain && is_target(given)) || !admissible(page, unit)) continue;
            page.append(unit);
        }
        out.kind = page.look().kind;
        out.source = any_source(out.kind, page.look().format);
        out.text = page.take();
    }

    void plant(sheet& page, placed const& what) {
        time_ = page.clock();
        auto const unit = page.unit(what.what, what.seed);
        out_.offset = page.append(unit);
        answer_size_ = page.size() - out_.offset - (page.look().kind == artifact_kind::log ? 1 : 0);
        page.forget();
    }

    /// How the passage spells what the question names.
    void spell(sheet const& page) {
        auto const pattern = page.pattern(target_.family, unit_seed_);
        auto const has = [&](std::string_view name) { return pattern.find(name) != std::string_view::npos; };
        pattern_writer const write{target_, page.how(), random_};
        by_key_ = has("<a>") || has("<c>");
        out_.keys = {write.part(has("<a>") ? 'a' : 'A'), write.part('B'), write.part(has("<c>") ? 'c' : 'C')};
        if (!has("<c>") && has_attribute(target_.family)) out_.keys[2] = attribute_of(target_).core;
        out_.value = value_of(target_);
        key_terms_.clear();
        for (auto const& key : out_.keys)
            each_term(key, [&](std::string_view term) { key_terms_.push_back(' ' + std::string{term} + ' '); });
    }

    /// Decides how the passage is put, and on two like it, of another subject and of another place. Together they have
    /// all its terms.
    void choose_passage(sheet const& page) {
        do {
            unit_seed_ = random_.next();
            spell(page);
            twin_ = other_part(target_, 0);
            mate_ = other_part(target_, 1);
        } while (holds(terms_of(page.unit(twin_, unit_seed_)), out_.keys[0]) ||
                 holds(terms_of(page.unit(mate_, unit_seed_)), out_.keys[1]));
    }

    void write_planted(planted_artifact& out) {
        auto const day = target_.family == fact_family::run ? target_.parts[2] : 20 + random_.below(300);
        sheet page{planted_, std::uint64_t{day} * 86'400'000 + random_.below(18'000'000), random_};
        choose_passage(page);
        auto const size = (std::max)(any_size(), std::size_t{2'000});
        std::vector<placed> all{{random_.below(size), target_, unit_seed_, placed::role::planted},
                                {random_.below(size), mate_, unit_seed_, placed::role::mate}};
        for (std::size_t part = 0; part < 3; part += 2) all.push_back(any_near(part, size));
        write(out, page, size, std::move(all));
    }

    void write_twin(planted_artifact& out) {
        sheet page{planted_, time_ - (std::min)(time_, std::uint64_t{8 * 3'600'000}), random_};
        auto const size = any_size();
        std::vector<placed> all{{random_.below(size), twin_, unit_seed_, placed::role::twin}};
        for (std::size_t part = 0; part < 3; ++part) all.push_back(any_near(part, size));
        write(out, page, size, std::move(all));
    }

    placed any_near(std::size_t part, std::size_t size) {
        auto near = other_part(target_, part);
        if (random_.chance(60)) near.value = random_.below(60);
        auto const after = random_.below(size);
        return {after, near, random_.next()};
    }

    void write_other(planted_artifact& out) {
        auto const kind = static_cast<artifact_kind>(random_.below(4));
        auto const family = any_family();
        auto const look = any_style(kind, family);
        auto const day = 20 + random_.below(300);
        sheet page{look, std::uint64_t{day} * 86'400'000 + random_.below(80'000'000), random_};
        auto const size = any_size();
        std::vector<placed> all;
        if (family == target_.family && random_.chance(60)) all.push_back(any_near(random_.below(3), size));
        write(out, page, size, std::move(all));
    }

    void ask() {
        bool const attribute = has_attribute(target_.family);
        // Mostly as the passage spells it; else it takes a reader of identifiers to find it.
        bool const named = random_.chance(by_key_ ? 85 : 6);
        spelling how{.camel = planted_.camel, .prose = planted_.kind == artifact_kind::prose};
        how.apart = random_.chance(15) && named && by_key_;  // then the rest stands as it is
        static constexpr std::string_view names[] = {"ask_settings", "ask_limits", "ask_runs", "ask_incidents"};
        std::string name{names[static_cast<std::size_t>(target_.family)]};
        if (attribute && named) name += "_by_key";
        auto pattern = any_of(words::of(name));
        if (!attribute && named) {  // the names as they stand there
            for (std::size_t index = 0; index + 2 < pattern.size(); ++index) {
                if (pattern.substr(index, 3) == "<A>" && target_.family == fact_family::run) pattern[index + 1] = 'a';
                if (pattern.substr(index, 3) == "<C>" && target_.family == fact_family::incident)
                    pattern[index + 1] = 'c';
            }
        }
        auto const& first = any_of(words::of("ask_first"));
        auto const& last = any_of(words::of("ask_last"));
        out_.question.append(first).append(pattern_writer{target_, how, random_}(pattern)).append(last);
    }

    laws::random_source random_;
    planted_question out_;
    fact target_, twin_, mate_;
    style planted_;
    std::uint64_t unit_seed_ = 0;
    std::uint64_t time_ = 0;  ///< at the planted line
    std::size_t near_ = 0;  ///< per cent of facts that share two parts with the target
    std::size_t answer_size_ = 0;
    bool by_key_ = false;
    std::vector<std::string> key_terms_;  ///< each between spaces
};

}  // namespace planting

/// The question of a seed. The kind of the artifact with the answer goes round with the seed.
inline planted_question planted(std::uint64_t seed) { return planting::question_maker{seed}.make(); }

}  // namespace plan_tests
