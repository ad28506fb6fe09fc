// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <iterator>
#include <tuple>

#include "plan/planted_facts.hpp"

// Questions about a passage that is planted among the artifacts of an agent's work: logs, JSON, prose and code. What is
// asked for is determined by terms that no other passage holds together, while many hold all but one of them, and no
// term of the passage is without use elsewhere. The same for the same seed on every machine.

namespace plan_tests {

enum class artifact_kind : std::uint8_t { log, json, prose, code };

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

// Artifacts of an agent's work, written unit by unit: the lines of a log, the elements of a JSON array, sentences,
// statements.

/// How what is written looks: the same for all of an artifact.
struct style {
    artifact_kind kind = artifact_kind::log;
    fact_family family = fact_family::setting;  ///< of most facts
    std::size_t format = 0;  ///< of times, of JSON, the language of code
    std::size_t shape = 0;  ///< of JSON elements
    bool camel = false;
    bool wrapped = false;  ///< lines of prose end at 80 bytes
    std::string host;

    /// As the names of lists of words begin.
    std::string tongue() const {
        switch (kind) {
            case artifact_kind::log: return "log_";
            case artifact_kind::json: return "json_";
            case artifact_kind::prose: return "prose_";
            default: return format % 2 == 1 ? "python_" : "cpp_";
        }
    }
};

inline words::list patterns_of(fact_family family, style const& look) {
    static constexpr std::string_view families[] = {"settings", "limits", "runs", "incidents"};
    return words::of(look.tongue().append(families[static_cast<std::size_t>(family)]));
}

/// JSON without space, laid out: with spaces, or over lines that are indented by so much a level.
inline std::string laid_out(std::string_view compact, std::size_t indent, std::size_t level) {
    std::string out;
    bool quoted = false;
    auto const line = [&] {
        if (indent != 0) out.append("\n").append(indent * level, ' ');
    };
    for (char const byte : compact) {
        if (byte == '"') quoted = !quoted;
        if (!quoted && byte == '}') {
            --level;
            line();
        }
        out.push_back(byte);
        if (quoted) continue;
        if (byte == ':' || (byte == ',' && indent == 0)) out.push_back(' ');
        if (byte == '{') ++level;
        if (byte == '{' || byte == ',') line();
    }
    return out;
}

/// An artifact that is being written.
class sheet {
public:
    sheet(style look, std::uint64_t clock, laws::random_source& random)
        : look_{std::move(look)}, clock_{clock}, random_{random} {
        if (look_.kind == artifact_kind::json) text_ = nested() ? opening() : "[";
        if (look_.kind == artifact_kind::code && look_.format % 2 == 0)
            text_ = "#include <string>\n#include <vector>\n";
        if (look_.kind == artifact_kind::code && look_.format % 2 == 1) text_ = "import logging\nimport time\n";
    }

    style const& look() const { return look_; }
    std::size_t size() const { return text_.size(); }
    std::uint64_t clock() const { return clock_; }
    void clock(std::uint64_t milliseconds) { clock_ = (std::max)(clock_, milliseconds); }
    /// The terms of the latest units, of about a passage.
    std::string const& recent() const { return recent_; }
    void forget() { recent_.clear(); }
    /// A unit without its time.
    std::string_view body(std::string_view unit) const {
        return unit.substr(look_.kind == artifact_kind::log ? time().size() : 0);
    }

    /// A fact as a unit of this artifact. `seed` decides on all that is not the fact.
    std::string unit(fact const& given, std::uint64_t seed) const {
        laws::random_source random{seed};
        return laid(pattern_writer{given, how(), random}(pattern(given.family, seed)), random);
    }
    /// The pattern of such a unit.
    std::string_view pattern(fact_family family, std::uint64_t seed) const {
        auto const patterns = patterns_of(family, look_);
        laws::random_source random{~seed};
        return patterns[look_.kind == artifact_kind::json ? look_.shape % patterns.size()
                                                          : random.below(patterns.size())];
    }
    /// A unit without a fact; JSON has none.
    std::string plain_unit() const { return laid(drawn("lines"), random_); }
    spelling how() const { return {.camel = look_.camel, .prose = look_.kind == artifact_kind::prose}; }

    /// Appends a unit and returns where it begins.
    std::size_t append(std::string_view unit) {
        separate();
        if (look_.kind == artifact_kind::code) {
            auto const begin = unit.find_first_not_of(' ');
            text_.append(unit.substr(0, begin));
            unit.remove_prefix(begin);
        }
        auto const offset = text_.size();
        text_ += unit;
        recent_ += terms_of(body(unit));
        if (recent_.size() > 600) recent_.erase(0, recent_.size() - 600);
        ++units_;
        if (look_.kind == artifact_kind::log) {
            text_.push_back('\n');
            clock_ += 1 + random_.below(random_.chance(70) ? 900 : 60'000);
        }
        return offset;
    }

    std::string take() {
        if (look_.kind == artifact_kind::json) text_ += end_of_json();
        if (look_.kind == artifact_kind::code) text_ += look_.format % 2 == 0 ? "\n}\n" : "\n";
        if (look_.kind == artifact_kind::prose) {
            text_.push_back('\n');
            if (look_.wrapped) wrap();
        }
        return std::move(text_);
    }

private:
    bool nested() const { return look_.format % 2 == 1; }
    std::size_t indent() const { return look_.format / 2 % 4 < 2 ? 0 : look_.format / 2 % 4 == 2 ? 2 : 4; }
    bool compact() const { return look_.format / 2 % 4 == 0; }
    std::string opening() const {
        return compact() ? R"({"page":1,"items":[)" : laid_out(R"({"page":1,"items":[)", indent(), 0);
    }
    std::string end_of_json() const {
        auto const line = [&](std::size_t level) {
            return indent() == 0 ? std::string{} : "\n" + std::string(indent() * level, ' ');
        };
        return nested() ? line(1) + "]" + line(0) + "}" : line(0) + "]";
    }

    std::string laid(std::string unit, laws::random_source& random) const {
        if (look_.kind == artifact_kind::log) {
            static constexpr std::string_view levels[] = {"INFO ", "INFO ", "INFO ", "DEBUG", "WARN ", "ERROR"};
            return time() + " " + std::string{levels[random.below(6)]} + " " + unit;
        }
        if (look_.kind == artifact_kind::json && !compact()) return laid_out(unit, indent(), nested() ? 2 : 1);
        return unit;
    }

    std::string time() const {
        auto const second = clock_ / 1'000;
        calendar_day const day{second / 86'400};
        auto const clock =
            padded(second / 3'600 % 24, 2) + ":" + padded(second / 60 % 60, 2) + ":" + padded(second % 60, 2);
        auto const fraction = padded(clock_ % 1'000, 3);
        switch (look_.format % 4) {
            case 0: return day.digits() + "T" + clock + "." + fraction + "Z";
            case 1: return day.digits() + " " + clock + "," + fraction;
            case 2: return "[" + clock + "." + fraction + "]";
            default:
                return words::of("months")[day.month].substr(0, 3) + " " + padded(day.day + 1, 2) + " " + clock + " " +
                       look_.host;
        }
    }

    /// The text between the latest unit and the next.
    void separate() {
        switch (look_.kind) {
            case artifact_kind::log: break;
            case artifact_kind::json:
                if (units_ != 0) text_.append(compact() || indent() != 0 ? "," : ", ");
                if (indent() != 0) text_.append("\n").append(indent() * (nested() ? 2 : 1), ' ');
                break;
            case artifact_kind::prose:
                if (left_ != 0) {
                    text_.push_back(' ');
                    --left_;
                    break;
                }
                left_ = 2 + random_.below(5);
                if (units_ != 0) text_.append("\n\n");
                if (units_ == 0 || random_.chance(20)) text_.append(drawn("heads")).append("\n\n");
                break;
            default:
                if (left_ != 0) {
                    text_.push_back('\n');
                    --left_;
                    break;
                }
                left_ = 3 + random_.below(9);
                if (units_ != 0) text_ += look_.format % 2 == 0 ? "\n}\n" : "\n";
                text_.append("\n").append(drawn("heads")).append("\n");
        }
    }
    /// A line that holds no fact, or a head.
    std::string drawn(std::string_view which) const {
        fact const none{};
        auto const all = words::of(look_.tongue().append(which));
        auto const& pattern = all[random_.below(all.size())];
        return pattern_writer{none, how(), random_}(pattern);
    }

    /// Ends lines at 80 bytes, as far as they have spaces. Offsets stay.
    void wrap() {
        std::size_t line = 0, space = 0;
        for (std::size_t index = 0; index < text_.size(); ++index) {
            if (text_[index] == '\n') line = index + 1;
            if (text_[index] == ' ') space = index;
            if (index - line < 80 || space <= line || text_[line] == '#') continue;
            text_[space] = '\n';
            line = space + 1;
        }
    }

    style look_;
    std::uint64_t clock_;  ///< milliseconds since the year began
    laws::random_source& random_;
    std::string text_, recent_;
    std::size_t units_ = 0;
    std::size_t left_ = 0;  ///< units of the paragraph or function
};

// Questions

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
