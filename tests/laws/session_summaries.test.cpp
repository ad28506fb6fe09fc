// SPDX-License-Identifier: BSL-1.0
#include <functional>

#include <condense/layer/fallback.hpp>

#include "laws/harness.hpp"
#include "support/messages.hpp"

// Whatever is done to a session, in any order, no two summaries are in its request, but for those that the README of
// sessions excepts.

namespace {

using condense::chat_message;
using condense::used;
using namespace condense::literals;

/// A model with moods: it answers at any length, fails, finds its prompt too large, and pushes a message.
struct moody_model {
    laws::random_source* random;
    std::function<void()> const* push;

    std::string operator()(std::string_view prompt) const {
        switch (random->below(12)) {
            case 0: throw std::runtime_error{"429"};
            case 1: return {};
            case 2: throw std::runtime_error{"prompt is too long: 900 tokens > 300 maximum"};
            case 3: (*push)(); return "They said little.";
            case 4: return std::string{prompt.substr(0, prompt.size() / 2)};
            default: return "They went on, " + std::string(random->below(400), 'x');
        }
    }
};

struct values {
    condense::percent low, high;
    condense::tokens reads;
    condense::earlier_summary earlier;

    explicit values(laws::random_source& random)
        : low{laws::share(random, 1'500, 5'000)}, high{laws::share(random, 5'001, 9'000)},
          reads{random.chance(50) ? 0 : 50 + random.below(400)},
          earlier{random.chance(50) ? condense::earlier_summary::reread : condense::earlier_summary::update} {}
};

/// A program's own layer, which summarises groups at random, and drops what was written.
struct careless_layer {
    static constexpr auto effects = condense::drops | condense::summarizes;
    laws::random_source* random;
    condense::trigger when;

    void reduce(auto& draft, auto& pass) const {
        for (auto const which : draft.groups())
            if (which.is_summary() && random->chance(30)) return pass.note(draft.drop(which));
        std::vector<condense::group> some;
        for (auto const which : draft.groups())
            if (random->chance(which.is_summary() || some.empty() ? 50 : 25)) some.push_back(which);
        pass.note(draft.summarize(some, "<summary>\nThey were careless."));
    }
};

/// One model; a model and a rule in its place, between layers that drop; two layers that summarise one after the other,
/// behind a careless one; the careless layer before a model that is seldom asked.
template <int Which>
auto mix_of(values const& value, moody_model const& model, condense::memory_journal const& journal) {
    auto const tail = condense::last(3_messages);
    auto const asking = condense::summarize{.when = used >= value.high,
                                            .protect = condense::task | tail,
                                            .reads = value.reads,
                                            .with = model,
                                            .earlier = value.earlier};
    if constexpr (Which == 0)
        return condense::pipeline{condense::compress{.when = used >= value.low, .over = 300_chars}, asking,
                                  condense::sliding_window{.when = used >= value.high},
                                  condense::escalate{.when = used >= value.high}};
    else if constexpr (Which == 1)
        return condense::pipeline{condense::record{.to = journal}, condense::repair{},
                                  condense::fallback{asking, condense::summarize{.when = used >= value.high}},
                                  condense::sliding_window{.when = used > 9_messages, .until = used <= 4_messages}};
    else if constexpr (Which == 2)
        return condense::pipeline{careless_layer{model.random, used >= value.low},
                                  condense::sliding_window{.when = used >= value.high, .protect = condense::task},
                                  asking, condense::summarize{.when = used >= value.low, .protect = tail},
                                  condense::escalate{.when = used >= value.high}};
    else
        return condense::pipeline{careless_layer{model.random, used >= value.low},
                                  condense::summarize{.when = used >= 100_pct, .with = model}};
}

/// Looks for two summaries in a request. They are known by their lack of a name, which all other messages here have.
/// Two may be there if one has a mark and is pinned, or begins history and request and others are between; from then
/// on until only one is sent.
class judge {
public:
    template <class Session>
    std::string operator()(Session& session) {
        auto const& facts = session.outline();
        bool is_pinned = false;
        bool begins_history = false;
        bool user_before = false;
        for (std::uint32_t index = 0; index < facts.size(); ++index) {
            auto const& m = facts.message_at(index);
            user_before = user_before || m.plain_user;
            is_pinned = is_pinned || (m.summary && m.pinned);
            begins_history = begins_history || (m.summary && !user_before);
        }
        std::vector<std::string> found;
        std::string broken;
        std::size_t previous = 0;
        std::size_t index = 0;
        std::size_t head = 0;
        for (auto const& m : notation::sent(session)) {
            ++index;
            if (head == 0 && m.role != condense::role::system) head = index;
            if (!m.name.empty() || notation::words(m).find("<summary>\n") == std::string::npos) continue;
            found.push_back(m.mark.empty() ? notation::words(m) : "marked");
            if (found.size() > 1) {
                std::pair const both{found[found.size() - 2], found.back()};
                bool const first_marked = both.first == "marked", second_marked = both.second == "marked";
                bool const begins = begins_history && previous == head && previous + 1 != index;
                excepted_ = excepted_ || (is_pinned && second_marked) || (first_marked && (is_pinned || begins)) ||
                            seen_.contains(both);
                if (excepted_) seen_.insert(both);
                if (!excepted_ || first_marked == second_marked)
                    broken = previous + 1 == index ? "side by side" : "two";
            }
            previous = index;
        }
        count_ = found.size();
        excepted_ = excepted_ && count_ > 1;
        return broken;
    }
    std::size_t count() const { return count_; }

private:
    bool excepted_ = false;
    std::set<std::pair<std::string, std::string>> seen_;  ///< that were excepted, to which an undo may go back
    std::size_t count_ = 0;  ///< in the latest request
};

template <int Which, bool Borrowed>
class talk {
    using container = std::vector<chat_message>;
    using held = std::conditional_t<Borrowed, std::reference_wrapper<container>, container>;
    using mix_type = decltype(mix_of<Which>(std::declval<values>(), std::declval<moody_model>(),
                                            std::declval<condense::memory_journal>()));
    using options_type = condense::run_options<>;
    using session_type = condense::session<held, mix_type, laws::byte_estimator, options_type>;

public:
    talk(std::uint64_t seed, laws::counts& counted)
        : random_{seed ^ 0x5A55u}, all_{laws::conversation_generator{seed}.make()}, counted_{counted},
          limits_{laws::random_budget(all_, random_)}, value_{random_}, model_{&random_, &push_} {
        push_ = [this] {
            if (session_ && next_ < all_.size()) session_->push(all_[next_++]);
        };
        if (random_.chance(Which == 3 ? 75 : 25)) begin_reduced();
        make();
    }

    laws::broken run() {
        laws::broken found;
        while (next_ < all_.size() && found.empty()) {
            push_();
            for (auto acts = 1 + random_.below(4); acts-- > 0 && found.empty();) {
                auto const* const what = act();
                auto const wrong = judge_(*session_);
                auto const count = judge_.count();
                if (!wrong.empty()) found.insert(wrong + " after " + what);
                if (auto const why = refused(); !why.empty()) found.insert("refused after " + (what + (": " + why)));
                counted_["summaries"] += count;
                counted_["renewed"] +=
                    count == 1 && before_ == 1 && session_->edits().steps().size() > steps_ ? 1u : 0u;
                before_ = count, steps_ = session_->edits().steps().size();
            }
        }
        if (laws::one_asked())
            UNSCOPED_INFO(log_ + laws::listing({session_->request().begin(), session_->request().end()}));
        return found;
    }

private:
    /// The first messages are what a `reduce` with marks has left, a summary among them.
    void begin_reduced() {
        next_ = random_.below(all_.size() + 1);
        container first{all_.begin(), all_.begin() + static_cast<std::ptrdiff_t>(next_)};
        options_type marking;
        marking.marks = true;
        auto const narrow = condense::budget{.window = {1 + limits_.window.count / 2}};
        static_cast<void>(condense::reduce(first, condense::pipeline{condense::summarize{.when = used >= value_.low}},
                                           narrow, laws::byte_estimator{}, marking));
        if (random_.chance(Which == 3 ? 75 : 50)) {  // then nothing but a summary can begin the request
            std::erase_if(first, [](auto const& m) { return m.role == condense::role::user && m.mark.empty(); });
            for (auto count = 1 + random_.below(3); count-- > 0;)
                first.insert(first.begin(), notation::named(chat_message::assistant(std::string(300, 'a')), count));
        }
        mine_ = std::move(first);
    }
    held first() {
        if constexpr (Borrowed) return std::ref(mine_);
        else return std::exchange(mine_, container{});
    }
    void make() {
        session_ = std::make_unique<session_type>(first(), mix_of<Which>(value_, model_, journal_), limits_,
                                                  laws::byte_estimator{}, options_);
    }
    /// Any message, more often than others the summary of an earlier `reduce`.
    condense::sequence some_message() {
        auto const& facts = session_->outline();
        if (random_.chance(Which == 3 ? 50 : 20))
            for (std::uint32_t index = 0; index < facts.size(); ++index)
                if (facts.message_at(index).summary) return {index};
        return {random_.below(facts.size() + 1)};
    }

    char const* act() {
        auto const* const what = act_once();
        if (laws::one_asked()) log_ += std::string{what} + "\n";
        return what;
    }
    char const* act_once() {
        switch (random_.below(14)) {
            case 0:
            case 1: return static_cast<void>(session_->prepare()), "prepare";
            case 2: return static_cast<void>(session_->run()), "run";
            case 3:
                return static_cast<void>(session_->run(
                           condense::force{.target = condense::tokens{random_.below(limits_.window.count + 1)}})),
                       "force";
            case 4: return counted_["undone"] += session_->undo() ? 1u : 0u, "undo";
            case 5: return counted_["restored"] += session_->restore(some_message()) ? 0u : 1u, "restore";
            case 6: return static_cast<void>(session_->pin(some_message())), "pin";
            case 7: return static_cast<void>(session_->unpin(some_message())), "unpin";
            case 8:
                if (auto const job = session_->begin_summary()) jobs_.push_back(job);
                return "begin";
            case 9: {
                if (jobs_.empty()) return "nothing";
                auto const place = jobs_.begin() + static_cast<std::ptrdiff_t>(random_.below(jobs_.size()));
                auto const job = *place;
                jobs_.erase(place);
                if (random_.chance(20)) {
                    auto const again =
                        session_->retry(job, {.status = 400, .text = "prompt is too long: 900 tokens > 600 maximum"});
                    if (again) jobs_.push_back(again);
                    return "retry";
                }
                counted_["committed"] +=
                    session_->commit(job, "They talked.") == condense::commit_outcome::committed ? 1u : 0u;
                return "commit";
            }
            case 10: {
                auto const limit = std::to_string(1 + random_.below(limits_.window.count + 1));
                static_cast<void>(
                    session_->recover({.status = 400, .text = "maximum context length is " + limit + " tokens"}));
                return "recover";
            }
            case 11: {
                auto limits = limits_;
                limits.window = {limits_.window.count / 2 + random_.below(limits_.window.count + 1)};
                return session_->set_limits(limits), "set_limits";
            }
            case 12:
                if constexpr (Borrowed) {
                    if (mine_.empty()) return "nothing";
                    auto const first = random_.below(mine_.size());
                    if (random_.chance(30)) mine_.resize(static_cast<std::size_t>(first) + 1);
                    mine_[static_cast<std::size_t>(first)] = notation::named(chat_message::user("changed"), first);
                    session_->sync({first});
                    ++counted_["synced"];
                    return "sync";
                } else if constexpr (condense::recoverable<mix_type>)
                    return counted_["released"] += session_->release(some_message()), "release";
                else return "nothing";
            default:
                if constexpr (Borrowed) return "nothing";
                else return restart();
        }
    }
    std::unique_ptr<session_type> empty_session() {
        return std::make_unique<session_type>(container{}, mix_of<Which>(value_, model_, journal_), limits_,
                                              laws::byte_estimator{}, options_);
    }
    char const* restart() {
        auto next = empty_session();
        auto taken = session_->state();
        if (!taken || next->adopt(std::move(taken.state))) return "nothing";
        session_ = std::move(next);
        jobs_.clear();
        ++counted_["restarts"];
        return "restart";
    }
    /// Why the session's state would not be adopted, if it is one that can be saved.
    std::string refused() {
        if constexpr (!Borrowed)
            if (auto taken = session_->state())
                if (auto const problem = empty_session()->adopt(std::move(taken.state)))
                    return std::string{std::string_view{problem.reason}};
        return {};
    }

    laws::random_source random_;
    container all_;
    laws::counts& counted_;
    condense::budget limits_;
    values value_;
    std::function<void()> push_;
    moody_model model_;
    options_type options_;
    condense::memory_journal journal_;
    container mine_;
    std::size_t next_ = 0;
    std::unique_ptr<session_type> session_;
    std::vector<condense::summary_job> jobs_;
    judge judge_;
    std::size_t before_ = 0;
    std::size_t steps_ = 0;
    std::string log_;
};

template <int Which, bool Borrowed>
void check() {
    auto const seeds = (laws::rounds_asked() + 11) / 12;
    laws::counts counted;
    laws::run_seeds(seeds, [&](std::uint64_t seed) { return talk<Which, Borrowed>{seed, counted}.run(); });
    laws::check_least(counted, {{"summaries", 1}});
    if (seeds < 300) return;
    laws::check_least(counted, {{"summaries", seeds + 1},
                                {"renewed", seeds / 20 + 1},
                                {"undone", seeds / 4 + 1},
                                {"restored", seeds / 20 + 1},
                                {"committed", seeds / 50 + 1},
                                {Borrowed ? "synced" : "restarts", seeds / 4 + 1},
                                {"released", Which == 1 && !Borrowed ? seeds / 20 + 1 : 0}});
}

}  // namespace

TEST_CASE("a session never sends two summaries: a model", "[laws][law-2]") { check<0, false>(); }
TEST_CASE("a session never sends two summaries: a model or a rule", "[laws][law-2]") { check<1, false>(); }
TEST_CASE("a session never sends two summaries: a model and a rule", "[laws][law-2]") { check<2, false>(); }
TEST_CASE("a session never sends two summaries: a careless layer", "[laws][law-2]") { check<3, false>(); }
TEST_CASE("a session never sends two summaries: over the program's container", "[laws][law-2]") { check<2, true>(); }
