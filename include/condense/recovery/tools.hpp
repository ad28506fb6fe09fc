// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <condense/core/recovery_names.hpp>
#include <condense/core/run_options.hpp>
#include <condense/core/store.hpp>
#include <condense/detail/callable_ref.hpp>
#include <condense/detail/date_text.hpp>
#include <condense/detail/figure.hpp>
#include <condense/detail/json_members.hpp>
#include <condense/detail/netstring.hpp>
#include <condense/detail/text.hpp>
#include <condense/detail/utf8.hpp>
#include <condense/estimate/script_aware.hpp>
#include <condense/plan/ranking.hpp>
#include <condense/recovery/original.hpp>
#include <condense/recovery/passages.hpp>
#include <condense/recovery/text_of.hpp>
#include <condense/recovery/tool_definitions.hpp>

// Tools by which the agent itself gets back what has left its conversation:
// recovery_tools tools{store, journal, {.conversation = "logs"}}; tools.call("search_history", R"({"query":"port"})").

namespace condense {
inline namespace v1 {

/// In place of a store or a journal: the tools that need one are not offered.
struct no_store {};
struct no_journal {};

/// What the tools may show, and how much of it at once.
struct recovery_options {
    std::string conversation = {};  ///< whose past it is: `run_options::conversation`
    /// Which other conversations the agent may see; by default none.
    std::function<bool(std::string_view conversation)> granted = {};
    /// The longest result by `default_estimator`, 180 to 3,600, and never more than `most_recovered` characters.
    tokens most = {450};
    bytes most_read = {std::uint64_t{1} << 30};  ///< that one search reads
    instant most_time = {5'000'000'000};  ///< nanoseconds that one search takes
};

/// The answer of a tool, for the model.
struct recovery_result {
    std::string text = {};  ///< valid UTF-8, at most `recovery_options::most` tokens
    bool is_error = false;
};

namespace detail {

/// The arguments of a call.
struct recovery_arguments {
    std::string reference = {};
    std::string query = {};
    std::optional<std::string> conversation = {};
    std::optional<std::uint64_t> number = {};
    std::uint64_t offset = 0;
    std::optional<std::uint64_t> limit = {};
    std::uint64_t count = 20;
    std::uint64_t before = ~std::uint64_t{0};

    /// Says what is wrong; empty if nothing is. Unknown members are passed over.
    std::string read(std::string_view json) {
        std::string problem;
        auto const text = [&](std::string_view name, std::string_view value, auto& to) {
            if (value.starts_with('"')) to = json::string_value(value);
            else problem = std::string{name} + " must be a string";
        };
        auto const number_of = [&](std::string_view name, std::string_view value, auto& to) {
            std::uint64_t figure = 0;
            // Models spell numbers as strings, and as 3.0, now and then.
            if (value.size() > 1 && value.starts_with('"')) value = value.substr(1, value.size() - 2);
            if (value.ends_with(".0")) value.remove_suffix(2);
            if (read_number(value, figure)) to = figure;
            else problem = std::string{name} + " must be a whole number that is not negative";
        };
        bool const object =
            json::each_member(json.empty() ? "{}" : json, [&](std::string_view name, std::string_view value) {
                if (value == "null") return;
                if (name == "reference") text(name, value, reference);
                else if (name == "query") text(name, value, query);
                else if (name == "conversation") text(name, value, conversation);
                else if (name == "number") number_of(name, value, number);
                else if (name == "offset") number_of(name, value, offset);
                else if (name == "limit") number_of(name, value, limit);
                else if (name == "count") number_of(name, value, count);
                else if (name == "before") number_of(name, value, before);
            });
        return object ? problem : "the arguments must be a JSON object";
    }
};

/// A result that grows up to its limit.
class recovery_page {
public:
    explicit recovery_page(tokens most) noexcept : room_{cost::of(most)} {}

    /// `left`: tokens that are left for what follows, of at most four characters each.
    [[gnu::noinline]] bool fits(std::string_view text, tokens left = {}) const {
        return default_estimator<>{}(text) + cost::of(left) <= room_ &&
               utf8::count(text) + 4 * left.count <= characters_;
    }
    /// Appends all of it or, where it does not fit, nothing.
    bool add(std::string_view text) {
        auto const clean = utf8::scrubbed_copy(text);
        if (!fits(clean)) return false;
        out_ += clean;
        room_ = room_ - default_estimator<>{}(clean);
        characters_ -= utf8::count(clean);
        return true;
    }
    /// Appends as many characters of `text` as fit, at most `most`; returns the bytes that it took.
    std::size_t add_beginning(std::string_view text, std::uint64_t most, tokens left = {}) {
        std::uint64_t fitting = 0;
        for (auto behind = (std::min)(most, characters_) + 1; fitting + 1 < behind;) {
            auto const middle = fitting + (behind - fitting) / 2;
            auto const size = utf8::prefix(text, middle);
            if (fits(utf8::scrubbed_copy(text.substr(0, size)), left)) fitting = middle;
            else behind = middle;
            if (size == text.size() && fitting == middle) break;
        }
        auto const end = utf8::prefix(text, fitting);
        add(text.substr(0, end));
        return end;
    }
    /// Appends a row, if `ending` fits behind it. The first row of a page stands there in any case, as far as it fits.
    bool add_row(std::string_view row, std::string_view ending, bool first) {
        auto both = std::string{row};
        if (fits(both.append(ending))) return add(row);
        if (!first) return false;
        add_beginning(row, u64_limit, default_estimator<>{}(ending).tokens() + tokens{1});
        return add("\n");
    }
    recovery_result take() && { return {std::move(out_)}; }

private:
    std::string out_;
    cost room_;
    std::uint64_t characters_ = most_recovered.count;  // that may follow
};

inline recovery_result recovery_error(std::string_view text) { return {"error: " + printable(text, 300), true}; }

/// One page of a text, below a heading, with how to go on.
inline recovery_result show_page(std::string const& heading, std::string_view text, recovery_arguments const& arguments,
                                 tokens most, std::string_view tool) {
    constexpr tokens ending{50};  // of the last line
    recovery_page page{most};
    auto const begin = utf8::floor(text, std::min<std::uint64_t>(arguments.offset, text.size()));
    if (begin == text.size() && !text.empty())
        return recovery_error("the offset is behind the end: there are " + std::to_string(text.size()) + " bytes");
    page.add_beginning(
        std::string{tool} + ": " + heading + ", " + grouped(text.size()) + " bytes, from " + grouped(begin) + ":\n",
        u64_limit, {most.count / 2});
    auto const limit = arguments.limit.value_or(u64_limit);
    auto const size = page.add_beginning(text.substr(begin), std::max<std::uint64_t>(limit, 1), ending);
    auto const rest = text.size() - begin - size;
    page.add(rest == 0 ? std::string{"\n[the end]"}
                       : "\n[" + grouped(rest) + " more bytes: " + std::string{tool} + " with offset " +
                             std::to_string(begin + size) + "]");
    return std::move(page).take();
}

inline constexpr tokens last_line{10};  // at most, for "[more: offset 12]" and the line break before it

/// A passage below its heading, or up to 180 characters round its focus, so that a page has several. False if nothing
/// fits; the first one of a page stands there in any case, as far as it fits.
inline bool show_passage(recovery_page& page, callable_ref<std::string(std::size_t skipped)> heading,
                         std::string_view passage, std::size_t focus, bool first) {
    constexpr std::uint64_t least = 60;
    constexpr std::uint64_t most = 180;
    std::size_t skipped = 0;
    if (utf8::count(passage) > most)
        skipped = utf8::ceil(passage, focus - (std::min)(focus, condense::detail::as_size(most / 4)));
    passage.remove_prefix(skipped);
    while (passage.ends_with('\n')) passage.remove_suffix(1);
    auto const head = heading(skipped);
    auto const beginning = head + utf8::scrubbed_copy(passage.substr(0, utf8::prefix(passage, least)));
    if (!first && !page.fits(beginning, last_line)) return false;
    page.add_beginning(head, u64_limit, tokens{4 * last_line.count});
    page.add_beginning(passage, most, last_line);
    page.add("\n");
    return true;
}

/// Shows passages from the one that the arguments name on, while `show` does, and says how to go on.
inline void show_passages(recovery_page& page, std::vector<ranked_passage> const& all, recovery_arguments const& wanted,
                          callable_ref<bool(ranked_passage const&, bool first)> show) {
    auto next = as_size((std::min)(wanted.offset, std::uint64_t{all.size()}));
    auto const first = next;
    while (next < all.size() && show(all[next], next == first)) ++next;
    if (all.empty()) page.add("nothing holds any of these words");
    else if (next == first) page.add("there are no more passages");
    else if (next < all.size()) page.add("[more: offset " + std::to_string(next) + "]");
}

}  // namespace detail

/// A value that any thread may call. Store and journal are handles, or no_store and no_journal, as are handles that
/// convert to false; the store must be
/// traceable, because references resolve only if the conversation has put the artifact, or one that is granted. Text: a
/// callable from a journal's content to what is shown and searched: message_text<Message>{} or plain_text{}.
template <class Store, class Journal = no_journal, class Text = plain_text>
class recovery_tools {
    static constexpr bool has_store = !std::is_same_v<Store, no_store>;
    static constexpr bool has_journal = !std::is_same_v<Journal, no_journal>;
    static_assert(!has_store || traceable_store<Store>,
                  "condense: recovery_tools: the store must be a traceable_store, which knows what conversation an "
                  "artifact is of, or no_store (see traceable_store)");
    static_assert(!has_journal || journal<Journal>,
                  "condense: recovery_tools: the second argument must be a journal or no_journal (see journal)");

public:
    explicit recovery_tools(Store store, Journal journal = {}, recovery_options options = {}, Text text = {})
        : store_{std::move(store)}, journal_{std::move(journal)}, options_{std::move(options)}, text_{std::move(text)} {
        options_.most.count = std::clamp(options_.most.count, std::uint64_t{180}, std::uint64_t{3'600});
    }

    /// Those tools for which there is a store, a journal, or a journal that lists its conversations.
    std::vector<tool_definition> definitions() const {
        std::vector<tool_definition> all;
        for (std::size_t index = 0; index < detail::recovery_definitions.size(); ++index)
            if (offers(index)) all.push_back(detail::recovery_definitions[index]);
        return all;
    }
    /// The same as JSON, to be put into a request or an answer of an MCP server.
    std::string definitions(tool_format format) const { return detail::write_definitions(definitions(), format); }

    /// True for the name of one of them.
    bool has(std::string_view tool) const noexcept { return offers(place_of(tool)); }

    /// What the tool answers to these arguments, a JSON object as the model wrote it. Errors are texts for the model. A
    /// search reads all that the conversation has, unless the journal is searchable.
    recovery_result call(std::string_view tool, std::string_view arguments) const {
        auto const place = place_of(tool);
        if (!offers(place)) return detail::recovery_error("there is no such tool");
        detail::recovery_arguments wanted;
        if (auto const problem = wanted.read(arguments); !problem.empty()) return detail::recovery_error(problem);
        if (wanted.conversation && !may_see(*wanted.conversation))
            return detail::recovery_error("there is no such conversation");
        if constexpr (has_store) {
            if (place == 0) return read_artifact(wanted);
            if (place == 1) return list_artifacts(wanted);
            if (place == 2) return search_artifacts(wanted);
        }
        if constexpr (has_journal) {
            if (place == 3) return read_message(wanted);
            if (place == 4) return recent_history(wanted);
            if (place == 5) return search_history(wanted);
        }
        if constexpr (listable_journal<Journal>) return list_sessions(wanted);
        return detail::recovery_error("there is no such tool");
    }

private:
    static std::size_t place_of(std::string_view tool) noexcept {
        return static_cast<std::size_t>(std::find(recovery_tool_names.begin(), recovery_tool_names.end(), tool) -
                                        recovery_tool_names.begin());
    }
    bool offers(std::size_t place) const noexcept {
        if (place < 3) return has_store && is_there(store_);
        return (place < 6 ? has_journal : place == 6 && listable_journal<Journal>) && is_there(journal_);
    }
    template <class Kept>
    static bool is_there(Kept const& kept) noexcept {
        if constexpr (std::is_constructible_v<bool, Kept const&>) return static_cast<bool>(kept);
        else return true;
    }

    /// The first line of a result, by which later searches know it.
    static std::string title_of(std::size_t place) { return std::string{recovery_tool_names[place]} + ":\n"; }

    bool may_see(std::string_view conversation) const {
        return conversation == options_.conversation || (options_.granted && options_.granted(conversation));
    }
    std::string_view conversation_of(detail::recovery_arguments const& wanted) const {
        return wanted.conversation ? std::string_view{*wanted.conversation} : options_.conversation;
    }

    /// Stops a search that has read or waited enough.
    class search_limit {
    public:
        explicit search_limit(recovery_options const& options)
            : options_{&options}, end_{steady_clock{}().count + options.most_time.count} {}
        /// True if `size` more bytes may be read.
        bool take(std::size_t size) {
            read_ += size;
            exceeded_ = exceeded_ || read_ > options_->most_read.count || steady_clock{}().count > end_;
            return !exceeded_;
        }
        bool exceeded() const noexcept { return exceeded_; }

    private:
        recovery_options const* options_;
        std::uint64_t end_;
        std::uint64_t read_ = 0;
        bool exceeded_ = false;
    };

    // Artifacts.

    /// Where the conversation, or one that is granted, has the artifact from.
    std::optional<artifact_source> source_of(reference const& name) const {
        auto source = store_.source(name, options_.conversation);
        if (source || !options_.granted) return source;
        static_cast<void>(store_.each_source([&](reference const& of, bytes, artifact_source const& other) {
            if (!source && of == name && options_.granted(other.conversation)) source = other;
        }));
        return source;
    }

    static std::string heading_of(artifact_source const& source) {
        std::string text;
        if (!source.tool.empty()) text += " of " + detail::printable(source.tool, 60);
        detail::append_date(text.append(", "), source.time);
        return text;
    }

    recovery_result read_artifact(detail::recovery_arguments const& wanted) const {
        auto const name = reference::of(wanted.reference);
        if (!name) return detail::recovery_error("reference must be 24 hexadecimal digits, as a preview names them");
        auto const source = source_of(*name);
        auto const content = source ? store_.get(*name) : std::nullopt;
        if (!content) return detail::recovery_error("there is no such artifact");
        return detail::show_page("artifact " + name->text() + heading_of(*source), *content, wanted, options_.most,
                                 recovery_tool_names[0]);
    }

    struct artifact {
        reference name = {};
        bytes size = {};
        artifact_source source = {};
    };

    /// All that may be seen, the latest first.
    std::vector<artifact> artifacts() const {
        std::vector<artifact> all;
        static_cast<void>(store_.each_source([&](reference const& name, bytes size, artifact_source const& source) {
            if (may_see(source.conversation)) all.push_back({name, size, source});
        }));
        auto const is_later = [&](std::size_t left, std::size_t right) {
            return std::tie(all[right].source.time, all[right].name) < std::tie(all[left].source.time, all[left].name);
        };
        std::vector<artifact> sorted;
        for (auto const index : detail::sorted_indices(all.size(), is_later))
            if (sorted.empty() || sorted.back().name != all[index].name) sorted.push_back(std::move(all[index]));
        return sorted;
    }

    recovery_result list_artifacts(detail::recovery_arguments const& wanted) const {
        auto const all = artifacts();
        detail::recovery_page page{options_.most};
        page.add(detail::grouped(all.size()) + (all.size() == 1 ? " artifact\n" : " artifacts\n"));
        for (std::size_t index = detail::as_size(wanted.offset); index < all.size(); ++index) {
            auto const line = all[index].name.text() + ", " + detail::grouped(all[index].size.count) + " bytes" +
                              heading_of(all[index].source) + "\n";
            auto const more = "[more: list_artifacts with offset " + std::to_string(index) + "]";
            if (page.add_row(line, more, index == wanted.offset)) continue;
            page.add(more);
            break;
        }
        return std::move(page).take();
    }

    recovery_result search_artifacts(detail::recovery_arguments const& wanted) const {
        detail::passage_ranking ranking{wanted.query};
        if (ranking.empty()) return detail::recovery_error("query must hold a word");
        search_limit limit{options_};
        auto const all = artifacts();
        for (std::size_t index = 0; index < all.size(); ++index) {
            if (!limit.take(detail::as_size(all[index].size.count))) break;
            if (auto const content = store_.get(all[index].name)) ranking.see(index, *content);
        }
        detail::recovery_page page{options_.most};
        page.add(title_of(2));
        show_limit(page, limit);
        auto const show = [&](detail::ranked_passage const& hit, bool first) {
            auto const& each = all[hit.text];
            auto const content = store_.get(each.name);
            if (!content || content->size() < hit.offset + hit.size) return true;  // it is gone
            auto const passage = std::string_view{*content}.substr(hit.offset, hit.size);
            auto const heading = [&](std::size_t skipped) {
                return each.name.text() + " offset " + std::to_string(hit.offset + skipped) + heading_of(each.source) +
                       ":\n";
            };
            return detail::show_passage(page, heading, passage, ranking.focus(passage), first);
        };
        detail::show_passages(page, ranking.best(most_hits), wanted, show);
        return std::move(page).take();
    }

    // The journal.

    /// Calls f(entry, text) for each message of the conversation, once, while f returns true.
    store_error each_message(std::string_view conversation,
                             detail::callable_ref<bool(journal_entry const&, std::string_view)> f) const {
        bool stopped = false;
        return each_original(journal_, conversation, [&](journal_entry const& entry, std::string_view content) {
            if (!stopped) stopped = !f(entry, content);
        });
    }

    static std::string heading_of(journal_entry const& entry) {
        auto text = "message " + std::to_string(entry.number);
        if (entry.time != 0) detail::append_date(text.append(", "), entry.time);
        return text;
    }

    /// Without the time of day.
    static std::string day_heading_of(journal_entry const& entry) {
        auto text = heading_of(entry);
        if (entry.time != 0) text.resize(text.rfind(' '));
        return text;
    }

    recovery_result read_message(detail::recovery_arguments const& wanted) const {
        if (!wanted.number) return detail::recovery_error("number is missing");
        std::optional<std::string> text;
        std::string heading;
        auto const problem =
            each_message(conversation_of(wanted), [&](journal_entry const& entry, std::string_view content) {
                if (entry.number != *wanted.number) return true;
                text = text_(content);
                heading = heading_of(entry);
                return false;
            });
        if (problem) return detail::recovery_error(problem.reason);
        if (!text) return detail::recovery_error("there is no message of this number");
        return detail::show_page(heading, *text, wanted, options_.most, recovery_tool_names[3]);
    }

    recovery_result recent_history(detail::recovery_arguments const& wanted) const {
        constexpr std::uint64_t most_count = 100;
        auto const count = std::clamp(wanted.count, std::uint64_t{1}, most_count);
        std::deque<std::pair<std::string, std::string>> latest;
        auto const problem =
            each_message(conversation_of(wanted), [&](journal_entry const& entry, std::string_view content) {
                if (entry.number >= wanted.before) return true;
                auto text = text_(content);
                text.resize(detail::utf8::prefix(text, 400));
                latest.emplace_back(heading_of(entry), std::move(text));
                if (latest.size() > count) latest.pop_front();
                return true;
            });
        if (problem) return detail::recovery_error(problem.reason);
        // The latest ones fit in any case, shorter if there are many.
        auto const share = std::max<std::uint64_t>(4 * options_.most.count / (latest.size() + 1), 80);
        std::deque<std::string> rows;
        auto const title = title_of(4);
        detail::recovery_page counted{options_.most};
        counted.add(title);
        for (auto each = latest.rbegin(); each != latest.rend(); ++each) {
            auto const heading = each->first + ": ";
            auto line = heading +
                        detail::printable(each->second, share - std::min<std::uint64_t>(share, heading.size() + 4)) +
                        "\n";
            if (!counted.add_row(line, "", rows.empty())) break;
            rows.push_front(std::move(line));
        }
        detail::recovery_page page{options_.most};
        if (!rows.empty()) page.add(title);
        for (auto const& line : rows) page.add_row(line, "", rows.size() == 1);
        if (rows.empty()) page.add("there are no messages");
        return std::move(page).take();
    }

    recovery_result search_history(detail::recovery_arguments const& wanted) const {
        detail::passage_ranking ranking{wanted.query};
        if (ranking.empty()) return detail::recovery_error("query must hold a word");
        search_limit limit{options_};
        auto const conversation = conversation_of(wanted);
        struct document {
            std::uint64_t place = 0;  ///< not its number: two sessions of one id may both have given that
            journal_entry entry = {};
            std::string text = {};
        };
        std::vector<document> texts;  // that may be shown
        store_error problem;
        if constexpr (searchable_journal<Journal>)
            problem = journal_.search(wanted.query, conversation, most_entries, [&](journal_hit const& hit) {
                auto text = text_(hit.content);
                if (limit.take(text.size())) texts.push_back({texts.size(), hit.entry, std::move(text)});
            });
        auto const is_earlier = [&](std::size_t left, std::size_t right) {
            auto const [one, other] = std::pair{texts[left].entry.number, texts[right].entry.number};
            return one != other ? one < other : left < right;
        };
        for (std::uint64_t latest = 0; auto const index : detail::sorted_indices(texts.size(), is_earlier)) {
            auto const& each = texts[index];
            ranking.see(each.place, each.text, names_recovery_tool(each.text), each.entry.number == latest + 1);
            latest = each.entry.number;
        }
        auto hits = ranking.best(most_hits);
        if (!problem && hits.empty()) {  // an index knows whole words alone
            std::uint64_t place = 0;
            problem = each_message(conversation, [&](journal_entry const&, std::string_view content) {
                if (!limit.take(content.size())) return false;
                auto const text = text_(content);
                ranking.see(place, text, names_recovery_tool(text), place != 0);
                ++place;
                return true;
            });
            hits = ranking.best(most_hits);
            place = 0;
            auto const is_hit = [&](auto const& hit) { return hit.text == place; };
            if (!problem && !hits.empty())
                problem = each_message(conversation, [&](journal_entry const& entry, std::string_view content) {
                    if (std::any_of(hits.begin(), hits.end(), is_hit)) texts.push_back({place, entry, text_(content)});
                    ++place;
                    return true;
                });
        }
        if (problem) return detail::recovery_error(problem.reason);
        detail::recovery_page page{options_.most};
        page.add(title_of(5));
        show_limit(page, limit);
        auto const show = [&](detail::ranked_passage const& hit, bool first) {
            auto const at =
                std::find_if(texts.begin(), texts.end(), [&](auto const& each) { return each.place == hit.text; });
            if (at == texts.end() || at->text.size() < hit.offset + hit.size) return true;  // it is gone
            auto const passage = std::string_view{at->text}.substr(hit.offset, hit.size);
            auto const heading = [&](std::size_t skipped) {
                auto const offset = hit.offset + skipped;
                return day_heading_of(at->entry) + (offset == 0 ? "" : ", offset " + std::to_string(offset)) + ":\n";
            };
            return detail::show_passage(page, heading, passage, ranking.focus(passage), first);
        };
        detail::show_passages(page, hits, wanted, show);
        return std::move(page).take();
    }

    recovery_result list_sessions(detail::recovery_arguments const& wanted) const {
        std::vector<journal_conversation> all;
        auto const problem = journal_.each_conversation([&](journal_conversation const& each) {
            if (may_see(each.id)) all.push_back(each);
        });
        if (problem) return detail::recovery_error(problem.reason);
        detail::recovery_page page{options_.most};
        for (std::size_t index = detail::as_size(wanted.offset); index < all.size(); ++index) {
            auto line =
                detail::printable(all[index].id, 120) + (all[index].id == options_.conversation ? " (this one)" : "");
            line += ", " + detail::grouped(all[index].entries) + " entries";
            if (all[index].time != 0) detail::append_date(line.append(", "), all[index].time);
            auto const more = "[more: list_sessions with offset " + std::to_string(index) + "]";
            line.push_back('\n');
            if (page.add_row(line, more, index == wanted.offset)) continue;
            page.add(more);
            break;
        }
        if (wanted.offset >= all.size())
            page.add(all.empty() ? "there are no recorded conversations" : "there are no more conversations");
        return std::move(page).take();
    }

    static void show_limit(detail::recovery_page& page, search_limit const& limit) {
        if (limit.exceeded()) page.add("[not everything was searched: it is too much]\n");
    }

    static constexpr std::size_t most_hits = 64;  ///< of a search, on all of its pages
    static constexpr std::size_t most_entries = 64;  ///< that an index gives for a search

    Store store_;
    Journal journal_;
    recovery_options options_;
    Text text_;
};

}  // namespace v1
}  // namespace condense
