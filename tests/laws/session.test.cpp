// SPDX-License-Identifier: BSL-1.0
#include "laws/harness.hpp"
#include "support/messages.hpp"

// The laws for a session: random pushes, runs, undos and releases, its request judged after each.

namespace {

using condense::chat_message;

/// The request against all that was pushed, and the figures against the request.
template <class Session>
void judge(Session const& session, std::vector<chat_message> const& pushed, condense::budget limits,
           laws::broken& found, std::size_t released_at) {
    auto const request = forms::request_of(session);
    laws::checker const judged{pushed, request, released_at};
    if (found.empty() && !judged.violations().empty() && laws::one_asked())
        UNSCOPED_INFO(laws::listing(pushed) + session.statistics().text() + laws::listing(request));
    found.merge(laws::broken{judged.violations()});
    if (session.used().tokens !=
        (laws::recount(request, laws::byte_estimator{}) + condense::cost::of(limits.overhead)).tokens())
        found.insert("the usage is not that of the request");
    if (session.used().messages.count != request.size()) found.insert("the count is not that of the request");
    laws::model const read{request};
    std::uint64_t turns = 0;
    for (std::size_t index = 0; index < request.size(); ++index)
        turns += read.plain_user[index] && !request[index].name.empty() ? 1u : 0u;
    if (session.used().turns.count != turns) found.insert("the turns are not those of the request");
}

/// The report says what the layers have done since.
template <class Statistics, class Report>
bool adds_up(Statistics const& before, Statistics const& now, Report const& report) {
    bool same = now.changed - before.changed == (report.changed() ? 1u : 0u) && now.changed <= now.runs;
    for (std::size_t at = 0; at < report.layers.size(); ++at) {
        auto const &was = before.layers[at], &is = now.layers[at];
        auto const& told = report.layers[at];
        same = same && is.saved - was.saved == told.saved && is.artifacts - was.artifacts == told.artifacts &&
               is.groups_dropped - was.groups_dropped == told.groups_dropped &&
               is.parts_shortened - was.parts_shortened == told.parts_shortened &&
               is.failures - was.failures == told.failures;
    }
    return same;
}

template <class Message>
laws::broken run_session(std::uint64_t seed, laws::counts& counted) {
    auto const original = forms::projected<Message>(laws::conversation_generator{seed}.make());
    laws::random_source random{seed ^ 0x5E55u};
    auto const limits = laws::random_budget(original, random);
    bool const starts_late = random.chance(30);
    laws::broken found;
    condense::memory_journal const journal;
    laws::with_recording_mix<Message>(random, journal, [&](auto const& mix) {
        std::vector<chat_message> pushed;
        std::vector<Message> first;
        if (starts_late)
            for (auto const count = random.below(original.size() + 1); pushed.size() < count;) {
                first.push_back(forms::from_chat<Message>(original[pushed.size()]));
                pushed.push_back(original[pushed.size()]);
            }
        condense::session session{std::move(first), mix, limits, laws::byte_estimator{}};
        auto released_at = ~std::size_t{0};  // how many had come when messages were first released
        auto const released = [&] { return released_at <= pushed.size(); };
        while (pushed.size() < original.size()) {
            pushed.push_back(original[pushed.size()]);
            auto const earlier = session.statistics();
            auto const used_before = session.used().tokens;
            bool const due = session.push(forms::from_chat<Message>(pushed.back()));
            if (due != session.due()) found.insert("push and due do not agree");
            judge(session, pushed, limits, found, released_at);
            // On arrival: what the message costs and repair has written, less what was saved; each is rounded.
            auto const arrival = session.statistics();
            auto const cost = laws::recount({pushed.back()}, laws::byte_estimator{}).tokens();
            auto const saved = arrival.saved() - earlier.saved();
            condense::tokens written;
            for (std::size_t at = 0; at < arrival.layers.size(); ++at)
                written = written + (arrival.layers[at].restored - earlier.layers[at].restored);
            auto const before_it = used_before + written, now = session.used().tokens + saved;
            bool const plain = saved != condense::tokens{} || session.edits().steps().empty();
            if (plain && (now > before_it + cost + condense::tokens{2} || before_it + cost > now + condense::tokens{2}))
                found.insert("V6 the statistics are not what was done on arrival");
            if (arrival.runs != earlier.runs) found.insert("V6 an arrival counts as a run");
            auto const before = forms::request_of(session);
            if (random.chance(50)) {
                bool const by_hand = random.chance(50);  // then its models may be asked, whenever they were last
                auto const report = by_hand ? session.run() : session.prepare();
                ++counted["runs"];
                counted["after a release"] += released() && report.changed() ? 1u : 0u;
                if (!adds_up(arrival, session.statistics(), report))
                    found.insert("V6 the statistics are not the sum of the reports");
                laws::check_report(report, found);
                judge(session, pushed, limits, found, released_at);
                if (report.changed() != (forms::request_of(session) != before))
                    found.insert("changed, or not, unlike the report");
                if (report.changed() && random.chance(60)) {
                    auto const after = forms::request_of(session);
                    if (!session.undo()) found.insert("X4 nothing to undo");
                    if (forms::request_of(session) != before) found.insert("X4 undone, but not the request before");
                    judge(session, pushed, limits, found, released_at);
                    ++counted["undone"];
                    if (by_hand && (static_cast<void>(session.run()), forms::request_of(session) != after))
                        found.insert("L11 not the same after undoing");
                }
            }
            if (random.chance(8)) {
                auto const asked = forms::request_of(session);
                auto const size = session.history().size();
                auto const gone = session.release({random.below(pushed.size() + 1)});
                if (session.history().size() + gone != size) found.insert("released other than it says");
                if (forms::request_of(session) != asked) found.insert("X4 releasing changed the request");
                if (gone != 0 && session.undo()) found.insert("X4 undone past a release");
                if (gone != 0 && !released()) released_at = pushed.size();
                counted["released"] += gone;
            }
            if (random.chance(10) && session.undo()) judge(session, pushed, limits, found, released_at);
        }
        counted["saved"] += session.statistics().saved().count;
        std::size_t next = 0;  // what is left stands in order
        for (auto const& held : session.history()) {
            auto const m = forms::to_chat(held);
            auto const at = static_cast<std::size_t>(std::stoul(m.name.substr(1)));
            if (at < next || m != pushed[at]) found.insert("X4 a release changed the history");
            next = at + 1;
        }
        std::size_t lines = 0;
        static_cast<void>(journal.read(
            "", [&](condense::journal_entry const& line, std::string_view) { lines += line.is_derived ? 0u : 1u; }));
        if (lines != pushed.size()) found.insert("L6 the journal has not all");
        while (session.undo()) {}
        judge(session, pushed, limits, found, released_at);
        if (released()) return;
        ++counted["fully_undone"];
        // Without edits the request is what came; what a release fixed stays.
        if (session.edits().steps().empty() && forms::request_of(session) != pushed)
            found.insert("X4 all undone, but not the originals");
    });
    return found;
}

template <class Message>
void check_type() {
    auto const rounds = (laws::rounds_asked() + 7) / 8;
    laws::counts counted;
    laws::run_seeds(rounds, [&](std::uint64_t seed) { return run_session<Message>(seed, counted); });
    laws::check_least(counted, {{"runs", 1}});
    if (rounds < 50) return;
    laws::check_least(counted, {{"runs", rounds},
                                {"undone", rounds / 4},
                                {"released", rounds / 4},
                                {"after a release", rounds / 8},
                                {"saved", rounds * 500},
                                {"fully_undone", rounds / 10}});
}

}  // namespace

TEST_CASE("a session obeys the laws: chat_message", "[laws][law-7]") { check_type<chat_message>(); }
TEST_CASE("a session obeys the laws: handles", "[laws][law-7]") { check_type<forms::handle>(); }
