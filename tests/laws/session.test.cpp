// SPDX-License-Identifier: BSL-1.0
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <condense/store/memory_journal.hpp>

#include "laws/harness.hpp"
#include "support/messages.hpp"

// The laws for a session: random pushes, runs, undos and releases, its request judged after each.

namespace {

using condense::chat_message;

struct figures {
    std::uint64_t runs = 0;
    std::uint64_t undone = 0;
    std::uint64_t released = 0;
    std::uint64_t fully_undone = 0;
};

/// The request against all that was pushed, and the figures against the request.
template <class Session>
void judge(Session const& session, std::vector<chat_message> const& pushed, condense::budget limits,
           laws::broken& found) {
    auto const request = forms::request_of(session);
    laws::checker const judged{pushed, request};
    if (found.empty() && !judged.violations().empty() && laws::one_asked())
        UNSCOPED_INFO(laws::listing(pushed) + session.statistics().text() + laws::listing(request));
    found.merge(laws::broken{judged.violations()});
    if (session.used().tokens !=
        (laws::recount(request, laws::byte_estimator{}) + condense::cost::of(limits.overhead)).tokens())
        found.insert("the usage is not that of the request");
    if (session.used().messages.count != request.size()) found.insert("the count is not that of the request");
}

template <class Message>
laws::broken run_session(std::uint64_t seed, figures& counted) {
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
        bool released = false;
        std::uint64_t saved = 0;
        while (pushed.size() < original.size()) {
            pushed.push_back(original[pushed.size()]);
            bool const due = session.push(forms::from_chat<Message>(pushed.back()));
            if (due != session.due()) found.insert("push and due do not agree");
            judge(session, pushed, limits, found);
            auto const before = forms::request_of(session);
            if (random.chance(50)) {
                bool const by_hand = random.chance(50);  // then its models may be asked, whenever they were last
                auto const report = by_hand ? session.run() : session.prepare();
                ++counted.runs;
                for (auto const& layer : report.layers) saved += layer.saved.count;
                laws::check_report(report, found);
                judge(session, pushed, limits, found);
                if (report.changed() != (forms::request_of(session) != before))
                    found.insert("changed, or not, unlike the report");
                if (report.changed() && random.chance(60)) {
                    auto const after = forms::request_of(session);
                    if (!session.undo()) found.insert("X4 nothing to undo");
                    if (forms::request_of(session) != before) found.insert("X4 undone, but not the request before");
                    judge(session, pushed, limits, found);
                    ++counted.undone;
                    if (by_hand) {
                        for (auto const& layer : session.run().layers) saved += layer.saved.count;
                        if (forms::request_of(session) != after) found.insert("L11 not the same after undoing");
                    }
                }
            }
            if (random.chance(8)) {
                auto const now = forms::request_of(session);
                auto const size = session.history().size();
                auto const gone = session.release({random.below(pushed.size() + 1)});
                if (session.history().size() + gone != size) found.insert("released other than it says");
                if (forms::request_of(session) != now) found.insert("X4 releasing changed the request");
                if (gone != 0 && session.undo()) found.insert("X4 undone past a release");
                released = released || gone != 0;
                counted.released += gone;
            }
            if (random.chance(10) && session.undo()) judge(session, pushed, limits, found);
        }
        if (session.statistics().saved().count < saved)
            found.insert("V6 the statistics are not the sum of the reports");
        while (session.undo()) {}
        judge(session, pushed, limits, found);
        if (released) return;
        ++counted.fully_undone;
        // Without edits the request is what came; what a release fixed stays.
        if (session.edits().steps().empty() && forms::request_of(session) != pushed)
            found.insert("X4 all undone, but not the originals");
    });
    return found;
}

template <class Message>
void check_type() {
    auto const rounds = (laws::rounds_asked() + 7) / 8;
    figures counted;
    laws::tally unused;
    laws::run_seeds(rounds, unused,
                    [&](std::uint64_t seed, laws::tally&) { return run_session<Message>(seed, counted); });
    CHECK(counted.runs > 0);
    if (rounds < 50) return;
    CHECK(counted.runs >= rounds);
    CHECK(counted.undone >= rounds / 4);
    CHECK(counted.released >= rounds / 4);
    CHECK(counted.fully_undone >= rounds / 10);
}

}  // namespace

TEST_CASE("a session obeys the laws: chat_message", "[laws][law-7]") { check_type<chat_message>(); }
TEST_CASE("a session obeys the laws: handles", "[laws][law-7]") { check_type<forms::handle>(); }
