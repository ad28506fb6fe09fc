// SPDX-License-Identifier: BSL-1.0
#include "laws/harness.hpp"
#include "laws/provider.hpp"
#include "support/messages.hpp"

// A session that speaks with a provider for hundreds of turns: the provider counts otherwise, refuses what is
// too large in the words of all the providers there are, and fails now and then.

namespace {

using condense::call_outcome;
using condense::chat_message;
using laws::behaviour;

/// Several conversations, one after the other, of which only the first has system messages.
std::vector<chat_message> long_conversation(std::uint64_t seed, std::size_t size) {
    std::vector<chat_message> all;
    for (std::uint64_t chunk = 0; all.size() < size; ++chunk)
        for (auto& m : laws::conversation_generator{seed * 1'000 + chunk}.make()) {
            if (chunk != 0 && m.role == condense::role::system) continue;
            if (laws::words(m).size() > 200) m.pinned = false;
            all.push_back(std::move(m));
        }
    return forms::numbered(std::move(all));
}

/// What a session is held to, written from its promises alone.
template <class Message, class Session>
class talk {
public:
    talk(Session& session, laws::provider& other, condense::budget limits, bool last_resort, laws::counts& counted)
        : session_{session}, other_{other}, limits_{limits}, last_resort_{last_resort}, counted_{counted} {}

    laws::broken const& violations() const { return found_; }

    void push(chat_message const& m) {
        overflowed_ = false;
        pushed_.push_back(m);
        session_.push(forms::from_chat<Message>(m));
        check_usage("after a push");
    }

    /// True when the answer is in.
    bool call(chat_message const& answer) {
        ++counted_["calls"];
        other_.begin(answer);
        shown_.clear();
        bool const before = overflowed_;
        allowed_ = session_.limits().input();
        size_told_ = other_.has_named_a_size;
        auto const size = session_.history().size();
        auto const exchange = [&] {
            auto const show = [&](std::string_view piece) { shown_ += piece; };
            if (other_.streams) return session_.call(laws::streaming_client<Message>{&other_}, show);
            return session_.call(laws::plain_client<Message>{&other_});
        };
        bool answered = false;
        try {
            auto const made = exchange();
            ++counted_[name(made.outcome)];
            answered = check_result(made, answer, size);
        } catch (laws::odd_failure const&) {
            check_thrown(behaviour::throws_odd, size);
        } catch (std::runtime_error const& problem) {
            check_thrown(behaviour::fails, size);
            if (problem.what() != other_.told.text) complain("another exception than the model's");
        }
        if (before && other_.did.size() > 1) complain("recovered twice in one turn");
        check_requests();
        check_shown(answered);
        if (!answered && !other_.did.empty() && other_.did.front() == behaviour::refuses) overflowed_ = true;
        return answered;
    }

private:
    condense::cost cost_of(std::vector<chat_message> const& all) const {
        return laws::recount(all, laws::byte_estimator{}) + condense::cost::of(session_.limits().overhead);
    }
    void complain(std::string what) { found_.insert(std::move(what)); }

    bool check_result(condense::call_result<Message> const& made, chat_message const& answer, std::size_t size) {
        auto const& did = other_.did;
        if (made.attempts != did.size()) complain("the attempts are not those that were made");
        switch (made.outcome) {
            case call_outcome::answered: {
                if (did.empty() || did.back() != behaviour::answers) complain("answered, but not by the model");
                if (made.answer == nullptr || forms::to_chat(*made.answer) != answer)
                    complain("another answer than the model's");
                if (session_.history().size() != size + 1) complain("L13 the answer is not in once");
                pushed_.push_back(answer);
                overflowed_ = false;
                if (did.size() == 2) ++counted_["recovered"];
                note_report();
                check_usage("after an answer");
                return true;
            }
            case call_outcome::too_large: check_too_large(); break;
            case call_outcome::overflow: check_overflow(made.error); break;
            case call_outcome::failed:
                if (did.empty() || (did.back() != behaviour::fails && did.back() != behaviour::silent))
                    complain("failed, but not by another error");
                else if (did.back() == behaviour::fails && made.error != other_.told)
                    complain("another error than the provider's");
                if (other_.thrown) complain("an exception was swallowed");
                if (!made.error) complain("failed without a word");
                break;
        }
        if (made.answer != nullptr || session_.history().size() != size) complain("no answer, and yet something came");
        return false;
    }

    void check_thrown(behaviour which, std::size_t size) {
        ++counted_["thrown"];
        // An overflow that can not be helped is thrown to whoever can.
        bool const overflow = which == behaviour::fails && other_.refused_last();
        if (!overflow && (other_.did.empty() || other_.did.back() != which)) complain("thrown, but not by the model");
        if (overflow && other_.did.size() == 1 && other_.did.back() == behaviour::refuses && !overflowed_)
            complain("an overflow was not helped");
        if (session_.history().size() != size) complain("L7 an exception changed the history");
    }

    void check_too_large() {
        if (!other_.did.empty()) complain("too large, and yet sent");
        if (session_.used().fits()) complain("too large, and yet fits");
        auto const made = session_.run();
        if (made.outcome == condense::outcome::fits) complain("L8 too large, but it could be reduced");
        if (last_resort_ && made.outcome != condense::outcome::exhausted) complain("L8 too large, but not exhausted");
        if (made.outcome == condense::outcome::exhausted && (made.fits() || made.floor > made.after.tokens))
            complain("L8 exhausted, but it fits");
    }

    void check_overflow(condense::provider_error const& error) {
        auto const& did = other_.did;
        if (!other_.refused_last()) return complain("overflow, but not refused");
        if (error.text != other_.told.text) complain("another error than the provider's");
        if (other_.thrown && did.size() == 2) complain("an exception was swallowed");
        if (did.back() == behaviour::refuses_after_a_piece) {
            ++counted_["delivered"];
            return;
        }
        bool const tried = overflowed_ || did.size() == 2;
        if (!overflowed_ && did.size() == 1 &&
            other_.named != 0) {  // the same request, and nothing could be taken out of it
            anchored_ = true;
            reported_for_ = other_.requests.back();
            reported_ = clamped({other_.named});
        }
        if (tried || !last_resort_) return;
        if (!laws::checker{pushed_, forms::request_of(session_)}.only_floor())
            complain("an overflow was given up, though something could go");
    }

    void check_requests() {
        auto const& all = other_.requests;
        counted_["requests"] += all.size();
        if (all.size() > 2) complain("more than two requests for one call");
        for (std::size_t at = 0; at + 1 < all.size(); ++at) {
            if (other_.did[at] != behaviour::refuses) complain("sent again after something else than a refusal");
            if (!(cost_of(all[at + 1]) < cost_of(all[at]))) complain("the second request is not smaller");
            if (other_.count(all[at + 1]) >= other_.count(all[at]))
                complain("the second request is not smaller for the provider");
        }
        // Where a provider has told a size, the estimate may be over: up to twice, when in proportion to that size.
        bool const in_proportion = !reported_for_.empty() || size_told_;
        auto const most = in_proportion ? condense::tokens{2 * allowed_.count + 2} : allowed_;
        if (!all.empty() && !anchored_ && cost_of(all[0]).tokens() > most) complain("L8 sent over the window");
        // The answer is judged with the next request.
        auto known = pushed_;
        if (!other_.did.empty() && other_.did.back() == behaviour::answers) known.pop_back();
        for (auto const& request : all) {
            laws::checker const judged{known, request};
            if (!judged.violations().empty() && laws::one_asked())
                UNSCOPED_INFO(laws::listing(known) + laws::listing(request));
            found_.merge(laws::broken{judged.violations()});
        }
    }

    void check_shown(bool answered) {
        if (!other_.streams) return;
        std::string expected;
        for (auto const one : other_.did) {
            if (one == behaviour::refuses_after_a_piece) expected += other_.piece(0);
            if (one == behaviour::answers) expected += other_.pieces();
        }
        if (shown_ != expected) complain("shown other than delivered");
        if (answered && shown_ != other_.pieces()) complain("something was shown twice");
    }

    /// The provider's figure stands for what was sent, until that changes.
    void note_report() {
        if (!other_.reported.reported()) return;
        anchored_ = true;
        reported_for_ = other_.requests.back();
        reported_ = clamped(other_.reported.request());
    }
    condense::tokens clamped(condense::tokens figure) const {
        auto const estimate = cost_of(reported_for_).tokens().count;
        return {std::clamp(figure.count, estimate / 4, estimate * 4)};
    }
    void check_usage(std::string_view when) {
        auto const now = forms::request_of(session_);
        bool const same = anchored_ && reported_for_.size() <= now.size() &&
                          std::equal(reported_for_.begin(), reported_for_.end(), now.begin());
        anchored_ = same;
        auto const used = session_.used().tokens;
        if (!same) {
            // In proportion to the latest figure, of a report or a refusal, which is at most four times the estimate
            // and at least half of it.
            auto const estimate = cost_of(now).tokens().count;
            bool const near = used.count <= 4 * estimate + 4 && 2 * used.count + 2 >= estimate;
            if (reported_for_.empty() && !other_.has_named_a_size ? used.count != estimate : !near)
                complain("the usage is far from the estimate " + std::string{when});
            return;
        }
        ++counted_["anchored"];
        if (used != reported_ + (cost_of(now) - cost_of(reported_for_)).tokens())
            complain("the usage is not the provider's figure plus what came since " + std::string{when});
    }

    Session& session_;
    laws::provider& other_;
    condense::budget limits_;
    bool last_resort_;
    laws::counts& counted_;
    laws::broken found_;
    std::vector<chat_message> pushed_;
    std::string shown_;
    condense::tokens allowed_ = {};
    bool overflowed_ = false;
    bool anchored_ = false;
    bool size_told_ = false;  ///< by a refusal before this call
    condense::tokens reported_;
    std::vector<chat_message> reported_for_;
};

template <class Function>
void with_session_mix(laws::random_source& random, Function&& f) {
    using namespace condense::literals;
    using condense::used;
    laws::mix_values const value{random};
    auto const& [low, high, line, over, keep, passes, window] = value;
    condense::memory_store const store;
    condense::memory_journal const journal;
    switch (random.below(3)) {
        case 0: return f(condense::pipeline{condense::sliding_window{.when = used >= high}});
        case 1:
            return f(condense::pipeline{
                condense::record{.to = journal},
                condense::offload{.over = over, .preview = condense::head_tail{keep, keep}, .into = store},
                condense::compress{.when = condense::relaxed(used >= low, 10_pct), .over = over},
                condense::summarize{.when = used >= high, .with = laws::reversing_model{}},
                condense::sliding_window{.when = used >= high, .protect = condense::task | condense::last(4_messages)},
                condense::escalate{.when = used >= high, .ceiling = {10'000}}});
        default:
            return f(condense::pipeline{
                condense::offload{.over = over, .preview = condense::head{keep}, .into = store},
                condense::compress{.when = used >= low, .over = over}, condense::summarize{.when = used >= high},
                condense::sliding_window{.when = used >= high}, condense::escalate{.when = used >= high}});
    }
}

template <class Message>
laws::broken run_talk(std::uint64_t seed, laws::counts& counted) {
    laws::random_source random{seed ^ 0x7A1Cu};
    auto const all = forms::projected<Message>(long_conversation(seed, 60 + random.below(300)));
    laws::provider other{.count = {60 + random.below(161), 60 + random.below(161)},
                         .random = laws::random_source{seed}};
    other.reports = random.chance(60);
    other.names = random.chance(50);
    other.streams = random.chance(40);
    other.failing = random.chance(50) ? 8 : 0;
    auto const whole = other.count(all);
    other.window = 200 + whole * (4 + random.below(40)) / 100;
    condense::budget limits{.window = {other.window}};
    if (random.chance(50)) limits.window = {other.window * (50 + random.below(200)) / 100};  // as the program has it
    if (random.chance(30)) limits.output = {limits.window.count / 10};
    if (random.chance(20)) limits.overhead = {random.below(100)};
    other.overhead = limits.overhead.count * other.count.plain / 100;
    laws::broken found;
    with_session_mix(random, [&](auto const& mix) {
        condense::session session{std::vector<Message>{}, mix, limits, laws::byte_estimator{}};
        talk<Message, decltype(session)> held{session, other, limits, condense::has_last_resort<decltype(mix)>,
                                              counted};
        for (auto const& m : all) {
            bool answered = false;
            if (m.role == condense::role::assistant && random.chance(90))
                for (auto tries = 1 + random.below(3); tries > 0 && !answered; --tries) answered = held.call(m);
            if (!answered) held.push(m);
        }
        found = held.violations();
        counted["reductions"] += session.statistics().changed;
    });
    return found;
}

template <class Message>
void check_type() {
    auto const rounds = (laws::rounds_asked() + 199) / 200;
    laws::counts counted;
    laws::run_seeds(rounds, [&](std::uint64_t seed) { return run_talk<Message>(seed, counted); });
    laws::check_least(counted, {{"calls", rounds * 30}});
    if (rounds < 20) return;
    laws::check_least(counted, {{"recovered", rounds / 4},
                                {"delivered", rounds / 50},
                                {"thrown", rounds / 4},
                                {"anchored", rounds * 5},
                                {"too large", rounds / 10},
                                {"overflow", rounds / 10},
                                {"failed", rounds / 10}});
}

}  // namespace

TEST_CASE("a session keeps its promises to a provider: chat_message", "[laws][law-8]") { check_type<chat_message>(); }
TEST_CASE("a session keeps its promises to a provider: JSON", "[laws][law-8]") { check_type<nlohmann::json>(); }
TEST_CASE("a session keeps its promises to a provider: handles", "[laws][law-8]") { check_type<forms::handle>(); }
