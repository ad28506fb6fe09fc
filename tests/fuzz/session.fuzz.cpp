// SPDX-License-Identifier: BSL-1.0

// Sessions of messages that can only be moved, with every operation in any order, held to what was pushed, changed and
// taken away: the program's container stays as the program left it, each request obeys the laws, what is pinned stays,
// and everything is in the journal.

#include <functional>

#include <condense/recovery/original.hpp>

#include "fuzz/fuzz.hpp"
#include "laws/judge.hpp"
#include "support/messages/handle.hpp"

namespace {

using namespace condense::literals;
using condense::chat_message, condense::used;
using forms::handle;
using laws::random_source;

auto mix_of(random_source& random, condense::memory_journal const& journal) {
    auto const low = laws::share(random, 1'000, 6'000);
    auto const high = laws::share(random, 6'001, 9'500);
    condense::chars const over{400 + random.below(6'000)};
    condense::text_limit const keep = condense::chars{1 + random.below(over.count / 2 - 1)};
    return condense::pipeline{
        condense::record{.to = journal},
        condense::compress{.when = used >= low, .over = over, .with = condense::head_tail{keep, keep}},
        condense::summarize{.when = used >= high, .with = laws::faulty_model{}},
        condense::sliding_window{.when = used >= high}};
}
using mix = decltype(mix_of(std::declval<random_source&>(), std::declval<condense::memory_journal const&>()));

/// A session over the program's own container, which may change it, or with one of its own, which can be released.
template <class Messages>
class world {
    static constexpr bool borrowed = !std::is_same_v<Messages, std::vector<handle>>;

public:
    explicit world(byte_source& bytes)
        : bytes_{bytes}, random_{bytes},
          all_{forms::projected<handle>(laws::conversation_generator{1 + bytes.below(65'536)}.make())},
          limits_{laws::random_budget(all_, random_)},
          session_{messages(), mix_of(random_, journal_), limits_, laws::byte_estimator{}} {}

    void run() {
        for (int acts = 0; acts < 120 && !bytes_.empty(); ++acts) {
            act(bytes_.below(24));
            judge();
        }
        check_originals();
        while (undo()) judge();
    }

private:
    Messages messages() {
        if constexpr (borrowed) return std::ref(held_);
        else return {};
    }

    chat_message next() {
        if (all_.empty()) return chat_message::user("nothing");
        auto m = all_[came_++ % all_.size()];
        m.name = "m" + std::to_string(mirror_.size());
        return m;
    }
    /// Also what the program has appended by itself: a session that is const does not look for that.
    std::vector<chat_message> request() { return forms::all_to_chat(session_.request()); }
    std::size_t some_index() { return bytes_.below(mirror_.size() + 1); }

    void act(std::size_t which) {
        switch (which) {
            case 0: static_cast<void>(session_.prepare()); break;
            case 1: static_cast<void>(session_.run()); break;
            case 2: {
                condense::force words;
                if (bytes_.chance(50)) words.target = condense::tokens{bytes_.below(5'000)};
                static_cast<void>(session_.run(words));
                break;
            }
            case 3: {
                auto const before = request();
                static_cast<void>(session_.draft());
                fuzz::require(request() == before, "a dry run changes nothing");
                break;
            }
            case 4: static_cast<void>(undo()); break;
            case 5: pin(); break;
            case 6: {
                auto const index = some_index();
                session_.unpin({index});
                pinned_.erase(index);
                unpinned_.insert(index);  // also where the message says that it is pinned
                break;
            }
            case 7: restore(); break;
            case 8: {
                auto const id = "call_" + std::to_string(bytes_.below(12));
                abandoned_ = session_.abandon(id) != 0 || abandoned_;
                break;
            }
            case 9: {
                static_cast<void>(session_.request());
                session_.observe({.input = {bytes_.below(40'000)},
                                  .output = {bytes_.below(100)},
                                  .cache_read = {bytes_.below(500)}});
                observed_ = true;
                break;
            }
            case 10: recover(); break;
            case 11: begin_job(); break;
            case 12: end_job(); break;
            case 13: {
                auto limits = limits_;
                limits.window = {1 + bytes_.below(65'536)};
                session_.set_limits(limits);
                limits_ = limits;
                break;
            }
            case 14: session_.set_model(bytes_.chance(50) ? "one" : "other", limits_); break;
            case 15: call(); break;
            case 16: change(); break;
            case 17: shorten(); break;
            case 18: release(); break;
            case 19: static_cast<void>(session_.status()); break;
            default: push();
        }
    }

    void push() {
        auto const m = next();
        if (borrowed && bytes_.chance(30)) held_.push_back(forms::from_chat<handle>(m));  // the program's own way
        else fuzz::require(session_.push(forms::from_chat<handle>(m)) == session_.due(), "push and due agree");
        mirror_.push_back(m);
    }

    /// What is pinned may then be as it was before an earlier edit; it is sent all the same.
    bool undo() {
        if (!session_.undo()) return false;
        auto const sent = request();
        for (auto& [index, as_pinned] : pinned_)
            for (auto const& m : sent)
                if (m.name == as_pinned.name) as_pinned = m;
        return true;
    }

    void pin() {
        auto const index = some_index();
        auto const refused = session_.pin({index});
        if (index >= mirror_.size())
            return fuzz::require(refused == condense::refusal::gone, "there is nothing to pin");
        if (refused) return;
        unpinned_.erase(index);
        // As it is sent now, or as it was: an undo may bring that back.
        for (auto const& m : request())
            if (m.name == mirror_[index].name) pinned_[index] = m;
        fuzz::require(pinned_.contains(index), "what is pinned is sent");
    }

    void restore() {
        auto const index = some_index();
        auto const refused = session_.restore({index});
        if (refused) return;
        bool there = false;
        for (auto const& m : request()) there = there || m.name == mirror_[index].name;
        fuzz::require(there, "what is restored is sent");
    }

    void recover() {
        auto const before = session_.used().tokens;
        condense::provider_error const error{
            .status = 400, .text = "maximum context length is " + std::to_string(1 + bytes_.below(20'000)) + " tokens"};
        auto const outcome = session_.recover(error, bytes_.chance(10));
        if (outcome == condense::recover_outcome::retry && !observed_)
            fuzz::require(session_.used().tokens < before, "what is sent again is smaller");
        limits_ = session_.limits();
    }

    void begin_job() {
        if (auto const job = session_.begin_summary()) jobs_.push_back(job);
    }
    void end_job() {
        if (jobs_.empty()) return;
        auto const which = bytes_.below(jobs_.size());
        auto const job = jobs_[which];
        switch (bytes_.below(4)) {
            case 0: static_cast<void>(session_.abandon(job)); break;
            case 1:
                if (auto const smaller =
                        session_.retry(job, {.status = 400, .text = "prompt is too long: 9 tokens > 8 maximum"}))
                    return void(jobs_[which] = smaller);
                break;
            default: {
                auto const before = request();
                auto const text = bytes_.chance(80) ? std::string{bytes_.text(40)} : std::string(5'000, 's');
                auto const outcome = session_.commit(job, text);
                if (outcome != condense::commit_outcome::committed)
                    fuzz::require(request() == before, "what is not committed changes nothing");
            }
        }
        jobs_.erase(jobs_.begin() + static_cast<std::ptrdiff_t>(which));
    }

    void call() {
        auto const answer = chat_message::assistant("answer " + std::to_string(mirror_.size()));
        auto const kind = bytes_.below(4);
        std::size_t calls = 0;
        auto const model = [&](auto const& request, auto&) -> condense::reply<handle> {
            ++calls;
            fuzz::require(!forms::all_to_chat(request).empty() || mirror_.empty(), "something is sent");
            if (kind == 0) return {.error = {.status = 500, .text = "broken"}};
            if (kind == 1) return {.error = {.status = 400, .text = "context_length_exceeded"}};
            auto named = answer;
            named.name = "m" + std::to_string(mirror_.size());
            condense::reply<handle> reply;
            reply.message = forms::from_chat<handle>(named);
            if (kind == 2) reply.usage = {.input = {1 + bytes_.below(20'000)}, .output = {5}};
            return reply;
        };
        auto const result = session_.call(model);
        fuzz::require(calls <= 2 && result.attempts <= 2, "a call is tried twice at most");
        limits_ = session_.limits();
        if (!result) return;
        observed_ = observed_ || kind == 2;
        mirror_.push_back(answer);
        mirror_.back().name = "m" + std::to_string(mirror_.size() - 1);
    }

    /// The program changes a message of its own.
    void change() {
        if constexpr (borrowed) {
            if (mirror_.empty()) return;
            auto const index = bytes_.below(mirror_.size());
            auto m = mirror_[index];
            if (!m.parts.empty()) m.parts[bytes_.below(m.parts.size())].text = std::string{bytes_.text(30)};
            if (bytes_.chance(20)) m.role = condense::role::user;
            held_[index] = forms::from_chat<handle>(m);
            mirror_[index] = m;
            session_.sync({bytes_.below(index + 1)});
            forget(0);
        }
    }
    /// The program takes messages away at the end.
    void shorten() {
        if constexpr (borrowed) {
            auto const size = some_index();
            while (held_.size() > size) held_.pop_back();
            mirror_.resize(size);
            session_.sync({size});
            forget(size);
        }
    }
    /// Of messages that were read again nothing is known.
    void forget(std::size_t from) {
        std::erase_if(pinned_, [&](auto const& each) { return each.first >= from; });
        observed_ = true;
    }

    void release() {
        if constexpr (!borrowed) {
            auto const before = request();
            auto const size = session_.history().size();
            auto const gone = session_.release({some_index()});
            fuzz::require(session_.history().size() + gone == size, "as many are released as it says");
            fuzz::require(request() == before, "releasing changes no request");
            released_ = released_ || gone != 0;
        }
    }

    /// Without the pins that were lifted.
    std::vector<chat_message> without_lifted(std::vector<chat_message> all) const {
        for (auto& m : all)
            for (auto const index : unpinned_)
                if (m.name == "m" + std::to_string(index)) m.pinned = false;
        return all;
    }
    void judge() {
        auto const sent = request();
        if constexpr (borrowed) fuzz::require(forms::all_to_chat(held_) == mirror_, "the program's messages stay");
        auto found = laws::checker{without_lifted(mirror_), without_lifted(sent)}.violations();
        if (abandoned_) found.erase("L3 open group"), found.erase("an answer that no dead call waits for");
        if (session_.used().messages.count != sent.size()) found.insert("the count is not that of the request");
        if (!observed_ &&
            session_.used().tokens !=
                (laws::recount(sent, laws::byte_estimator{}) + condense::cost::of(limits_.overhead)).tokens())
            found.insert("the usage is not that of the request");
        for (auto const& [index, as_pinned] : pinned_) {
            bool kept = false;
            for (auto const& m : sent)
                kept = kept || (m.name == mirror_[index].name &&
                                (laws::same_but_mark(m, as_pinned) || laws::same_but_mark(m, mirror_[index])));
            if (!kept) found.insert("what was pinned has changed");
        }
        if (!found.empty()) fuzz::require_none(found, laws::listing(mirror_) + "--- request\n" + laws::listing(sent));
    }

    /// Each message can be had back, and is in the journal as it is.
    void check_originals() {
        std::vector<chat_message> originals;
        auto const problem =
            condense::restore_original(session_, [&](handle const& m) { originals.push_back(forms::to_chat(m)); });
        fuzz::require(!problem && originals == mirror_, "the conversation can be had back");
        session_.with_journal([&](auto const& journal, std::string_view id, auto const& numbers) {
            std::map<std::uint64_t, std::string> kept;
            auto const failure = journal.read(id, [&](condense::journal_entry const& entry, std::string_view content) {
                if (!entry.is_derived) kept[entry.number] = content;
            });
            fuzz::require(!failure && numbers.size() == mirror_.size(),
                          "the journal is read, and has a number for each");
            for (std::size_t index = 0; index < mirror_.size(); ++index) {
                auto const m = condense::from_bytes<handle>(kept[numbers[index]]);
                fuzz::require(m && forms::to_chat(*m) == mirror_[index], "each message is in the journal");
            }
        });
    }

    byte_source& bytes_;
    random_source random_;
    std::vector<chat_message> all_;
    condense::budget limits_;
    condense::memory_journal journal_;
    std::vector<handle> held_;
    condense::session<Messages, mix, laws::byte_estimator> session_;
    std::vector<chat_message> mirror_;  ///< what the session should know
    std::map<std::size_t, chat_message> pinned_;
    std::set<std::size_t> unpinned_;
    std::vector<condense::summary_job> jobs_;
    std::size_t came_ = 0;
    bool observed_ = false;   ///< its figures are not the estimator's alone
    bool abandoned_ = false;  ///< some open groups need not be
    bool released_ = false;
};

}  // namespace

fuzz::corpus fuzz::make_corpus() { return {.seeds = random_seeds(48, 6), .words = {}, .mutations = 3'000}; }

void fuzz::try_input(byte_source bytes) {
    if (bytes.below(256) % 2 == 0) world<std::reference_wrapper<std::vector<handle>>>{bytes}.run();
    else world<std::vector<handle>>{bytes}.run();
}
