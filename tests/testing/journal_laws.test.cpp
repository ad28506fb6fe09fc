// SPDX-License-Identifier: BSL-1.0
#include <condense/testing/journal_laws.hpp>

#include <cctype>
#include <memory>
#include <mutex>
#include <set>

#include <condense/store/memory_journal.hpp>

#include "testing/faults.hpp"

namespace {

using condense::journal_conversation;
using condense::journal_entry;
using condense::journal_hit;
using condense::reference;
using condense::store_error;
using condense::testing::check_journal_laws;

constexpr fault_row rows[]{
    {"none", "", ""},
    {"cuts", "gives_back", "conversation \"c\" gives back something else as line 25"},
    {"forgets_on_copy", "gives_back threads", "conversation \"c\" has 0 lines, not 27"},
    {"swaps", "gives_back", "conversation \"c\" gives back something else as line 3"},
    {"leaks", "gives_back", "conversation \".\" gives back something else as line 0"},
    {"ends_ids_at_nul", "gives_back lists", "conversation \"\" has "},
    {"fails_to_read", "gives_back notes refuses grows threads times", "read fails: cannot read"},
    {"fails_to_flush", "gives_back notes threads lists times searches", "flush fails: cannot flush"},
    {"fails_to_flush_nothing", "gives_back refuses", "flush of nothing fails: nothing to flush"},
    {"fails_to_append", "gives_back", "append of content 25 (256 bytes) fails: too large"},
    {"waits_for_flush", "gives_back grows threads", "conversation \"c\" has 0 lines, not 27"},
    {"forgets_at_flush", "gives_back", "lines, not "},
    {"drops_notes", "notes", "conversation \"c\" has 3 lines, not 5"},
    {"accepts_other_names", "refuses", "append under the name of another content is no error"},
    {"accepts_no_names", "refuses", "append without a name is no error"},
    {"accepts_notes_with_content", "refuses", "append of a note with content is no error"},
    {"keeps_what_it_refuses", "refuses", "conversation \"c\" has 3 lines, not 0"},
    {"reads_what_is_appended", "grows", "read gives 6 lines of 3 that were there when it began"},
    {"loses_what_is_appended", "grows", "lines that are appended during a read are lost"},
    {"fails_in_threads", "threads", "100 calls in threads fail"},
    {"loses_every_50th", "threads", "lines of thread "},
    {"mixes_threads", "threads", "line 7 of thread 7 is not the one it wrote"},
    {"lists_nothing_as_something", "lists", "each_conversation gives something of an empty journal"},
    {"lists_twice", "lists", "12 conversations are listed, not 11"},
    {"lists_the_oldest_first", "lists", "conversation 0 of the list is not the next latest"},
    {"lists_other_counts", "lists", "conversation 0 of the list has another number of entries"},
    {"lists_other_times", "lists", "conversation 0 of the list has a time that is none"},
    {"lists_with_error", "lists", "each_conversation fails: cannot list"},
    {"sets_no_time", "times", "the time of an entry is not set where it is 0"},
    {"keeps_no_time", "times", "the time that an entry was given is not kept"},
    {"loses_old_entries", "times", "1 of 2 lines are read"},
    {"finds_without_entries", "searches", "search finds something in an empty journal"},
    {"finds_by_case", "searches", "not the one entry that holds a rare word is found in its conversation"},
    {"finds_in_others", "searches", "a word of another conversation is found"},
    {"finds_other_numbers", "searches", "that holds a rare word is found in all conversations"},
    {"finds_more_than_the_most", "searches", "search gives more than the most that was asked for"},
    {"finds_one_at_most", "searches", "not the most entries that hold a word are found"},
    {"finds_the_worst_first", "searches", "the entry that holds all words is not found first"},
    {"fails_at_quotes", "searches", "search for \"\"quoted\" fails: syntax error"},
    {"fails_in_all", "searches", "search for \"zyzzyva\" fails: not in all"},
};
using fault = fault_of<rows>;

/// A journal in memory that lists and searches, and is wrong in one respect.
class wrong_journal {
public:
    explicit wrong_journal(fault what) : fault_{what} {}
    wrong_journal(wrong_journal const& other)
        : fault_{other.fault_}, shared_{is("forgets_on_copy") ? std::make_shared<state>() : other.shared_} {}
    wrong_journal& operator=(wrong_journal const&) = delete;
    ~wrong_journal() = default;

    reference name(std::string_view content) const { return condense::testing::law_hash{}(content, 0); }

    store_error append(std::string_view conversation, journal_entry entry, std::string_view content) const {
        std::lock_guard const lock{shared_->guard};
        bool const refuses_name = entry.name ? !is("accepts_other_names") : !is("accepts_no_names");
        bool const wrong = entry.is_derived ? !content.empty() && !is("accepts_notes_with_content")
                                            : entry.name != name(content) && refuses_name;
        if (wrong && !is("keeps_what_it_refuses")) return {"refused"};
        if (is("drops_notes") && entry.is_derived) return {};
        if (is("fails_to_append") && content.size() == 256) return {"too large"};
        if (is("loses_what_is_appended") && content == "b") return {};
        if (is("fails_in_threads") && conversation == "7") return {"not this"};
        if (is("mixes_threads") && conversation == "shared" && entry.number == 7'007) entry.number = 7'006;
        if (is("loses_every_50th") && conversation == "shared" && ++shared_->appends % 50 == 0) return {};
        if (is("loses_old_entries") && entry.time != 0 && entry.time < 1'700'000'000) return {};
        if (is("ends_ids_at_nul")) conversation = conversation.substr(0, conversation.find('\0'));
        if (is("keeps_no_time") || (entry.time == 0 && !is("sets_no_time")))
            entry.time = condense::detail::calendar_seconds();
        shared_->all.push_back({std::string{conversation}, entry, std::string{content}});
        return wrong ? store_error{"refused"} : store_error{};
    }

    store_error flush(std::string_view conversation) const {
        std::lock_guard const lock{shared_->guard};
        if (is("fails_to_flush") && !shared_->all.empty()) return {"cannot flush"};
        if (is("fails_to_flush_nothing") && shared_->all.empty()) return {"nothing to flush"};
        if (is("forgets_at_flush") && conversation == "." && shared_->all.size() > 20) shared_->all.pop_back();
        shared_->flushed = shared_->all.size();
        return {};
    }

    template <class Function>
    store_error read(std::string_view conversation, Function&& f) const {
        auto lines = lines_of(conversation);
        if (is("swaps") && lines.size() == 27) std::swap(lines[3], lines[4]);
        for (auto const& line : lines) f(line.entry, std::string_view{line.content});
        if (is("reads_what_is_appended"))
            for (auto const& line : lines_of(conversation, lines.size())) f(line.entry, std::string_view{line.content});
        return is("fails_to_read") ? store_error{"cannot read"} : store_error{};
    }

    template <class Function>
    store_error each_conversation(Function&& f) const {
        std::vector<journal_conversation> conversations;
        for (auto line = shared_->all.rbegin(); line != shared_->all.rend(); ++line) {
            auto const place = std::find_if(conversations.begin(), conversations.end(),
                                            [&](auto const& each) { return each.id == line->conversation; });
            if (place == conversations.end()) conversations.push_back({line->conversation, 1, line->entry.time});
            else ++place->entries;
        }
        if (is("lists_nothing_as_something") && conversations.empty()) f(journal_conversation{});
        if (is("lists_the_oldest_first")) std::reverse(conversations.begin(), conversations.end());
        for (auto& each : conversations) {
            if (is("lists_other_counts")) each.entries = 1;
            if (is("lists_other_times")) each.time = 1;
            f(each);
            if (is("lists_twice") && each.id == "c") f(each);
        }
        return is("lists_with_error") ? store_error{"cannot list"} : store_error{};
    }

    /// Entries that hold any of the words, those with the most of them first.
    template <class Function>
    store_error search(std::string_view words, std::optional<std::string_view> conversation, std::size_t most,
                       Function&& f) const {
        if (is("fails_at_quotes") && words.find('"') != std::string_view::npos) return {"syntax error"};
        if (is("fails_in_all") && !conversation) return {"not in all"};
        auto const query = words_of(words.substr(0, 1'000));
        std::vector<std::pair<std::size_t, journal_hit>> hits;
        for (auto const& line : shared_->all) {
            if (conversation && line.conversation != *conversation && !is("finds_in_others")) continue;
            std::size_t count = 0;
            for (auto const& word : words_of(line.content)) count += query.contains(word);
            if (count != 0) hits.emplace_back(count, line);
        }
        std::stable_sort(hits.begin(), hits.end(), [&](auto const& left, auto const& right) {
            return is("finds_the_worst_first") ? left.first < right.first : left.first > right.first;
        });
        if (is("finds_without_entries") && shared_->all.empty()) hits.emplace_back();
        if (is("finds_more_than_the_most")) ++most;
        if (is("finds_one_at_most")) most = std::min<std::size_t>(most, 1);
        if (hits.size() > most) hits.resize(most);
        for (auto& [count, hit] : hits) {
            if (is("finds_other_numbers")) ++hit.entry.number;
            f(hit);
        }
        return {};
    }

private:
    struct state {
        std::mutex guard;
        std::vector<journal_hit> all;
        std::size_t flushed = 0;
        std::size_t appends = 0;
    };

    bool is(fault what) const { return fault_ == what; }

    std::vector<journal_hit> lines_of(std::string_view conversation, std::size_t from = 0) const {
        std::lock_guard const lock{shared_->guard};
        if (is("ends_ids_at_nul")) conversation = conversation.substr(0, conversation.find('\0'));
        std::vector<journal_hit> lines;
        for (std::size_t place = 0; place < shared_->all.size(); ++place) {
            auto const& line = shared_->all[place];
            if (is("waits_for_flush") && place >= shared_->flushed) break;
            if (line.conversation != conversation && !(is("leaks") && conversation == ".")) continue;
            lines.push_back(line);
            if (is("cuts") && line.content.size() == 256) lines.back().content.pop_back();
        }
        lines.erase(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(std::min(from, lines.size())));
        return lines;
    }

    std::set<std::string> words_of(std::string_view text) const {
        std::set<std::string> words;
        std::string word;
        for (char const byte : std::string{text} + ' ') {
            auto const value = static_cast<unsigned char>(byte);
            if (std::isalnum(value) != 0) {
                word += is("finds_by_case") ? byte : static_cast<char>(std::tolower(value));
                continue;
            }
            if (!word.empty()) words.insert(word);
            word.clear();
        }
        return words;
    }

    fault fault_;
    std::shared_ptr<state> shared_ = std::make_shared<state>();
};

static_assert(condense::listable_journal<wrong_journal> && condense::searchable_journal<wrong_journal>);

/// Searches one conversation at a time.
struct narrow_journal : wrong_journal {
    using wrong_journal::wrong_journal;

    template <class Function>
    store_error search(std::string_view words, std::string_view conversation, std::size_t most, Function&& f) const {
        return wrong_journal::search(words, conversation, most, f);
    }
};

}  // namespace

TEST_CASE("journal laws: a journal that is wrong in one respect breaks the laws of that") {
    check_faults<rows>([](fault what) {
        return check_journal_laws([&] { return wrong_journal{what}; }, {.largest = 1'000, .most = 1'000});
    });
}

TEST_CASE("journal laws: what was flushed is read by a handle that is opened later") {
    std::optional<condense::memory_journal> latest;
    auto const make = [&] { return latest.emplace(); };
    CHECK(text_of(check_journal_laws(make, [&] { return *latest; })) == "");
    auto const all = check_journal_laws(make, [] { return condense::memory_journal{}; }, {.largest = 0});
    REQUIRE(all.size() == 1);
    CHECK(all[0].text() == "reopens: conversation \"\" has 0 lines, not 1");
}

TEST_CASE("journal laws: a journal that does not search all conversations is asked about one") {
    CHECK(text_of(check_journal_laws([] { return narrow_journal{"none"}; })) == "");
    CHECK(laws_of(check_journal_laws([] { return narrow_journal{"finds_by_case"}; })) == "searches");
}

TEST_CASE("journal laws: no more violations than were asked for") {
    CHECK(check_journal_laws([] { return wrong_journal{"fails_to_read"}; }, {.most = 2}).size() == 2);
}

TEST_CASE("journal laws: ids are distinct, and no longer than was asked for") {
    auto const all = condense::testing::hostile_conversations();
    CHECK(std::set<std::string>(all.begin(), all.end()).size() == 12);
    CHECK(condense::testing::hostile_conversations(1).size() == 3);
}
