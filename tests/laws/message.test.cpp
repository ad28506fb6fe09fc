// SPDX-License-Identifier: BSL-1.0
#include "laws/message_types.hpp"
#include "support/messages.hpp"

// The message types of the tests keep what their traits promise, and lose nothing on the way to a
// chat_message and back.

namespace {

using namespace notation;
using condense::answerable;
using condense::composable;
using condense::shortenable;
using condense::storable;
using condense::detail::markable;
using condense::detail::part_removable;

template <class Message>
constexpr bool rich = shortenable<Message> && composable<Message> && part_removable<Message>;

static_assert(shortenable<forms::line> && composable<forms::line> && storable<forms::line>);
static_assert(!part_removable<forms::line> && !markable<forms::line> && !answerable<forms::line>);
static_assert(rich<forms::handle> && markable<forms::handle> && storable<forms::handle>);
static_assert(!answerable<forms::handle> && !std::copy_constructible<forms::handle>);
static_assert(rich<forms::note> && answerable<forms::note> && storable<forms::note>);
static_assert(!markable<forms::note> && !std::is_copy_assignable_v<forms::note> &&
              !std::is_move_assignable_v<forms::note>);
static_assert(rich<forms::unnumbered> && markable<forms::unnumbered> && answerable<forms::unnumbered> &&
              storable<forms::unnumbered>);
static_assert(rich<forms::post> && markable<forms::post> && answerable<forms::post> && storable<forms::post>);
static_assert(!std::default_initializable<forms::post> && !std::default_initializable<forms::note> &&
              !std::default_initializable<forms::handle>);
static_assert(rich<forms::json> && markable<forms::json>);

}  // namespace

TEMPLATE_TEST_CASE("message: the tiers of each type", "[laws]", forms::line, forms::handle, forms::note,
                   forms::unnumbered, forms::post, forms::json, chat_message) {
    laws::check_tiers<TestType>();
}

TEST_CASE("message: what the types make of a conversation") {
    auto const shape = []<class Message>(conversation const& all) {
        std::string out;
        for (auto const& m : forms::projected<Message>(all)) {
            out.append(name(m.role).substr(0, 1)).append("(");
            for (auto const& part : m.parts)
                out.append(name(part.kind))
                    .append(part.call.empty() ? "" : "#" + part.call)
                    .append(part.tool.empty() ? "" : "=" + part.tool)
                    .append(" ");
            out.append(") ");
        }
        return out;
    };
    conversation const all{U("go"), C("1", "a").and_call("2", "b", "{}"), R("2", "second"), R("1", "first"), U("on")};
    CHECK(shape.operator()<forms::line>(all) == "u(text ) a(text ) t(tool result ) t(tool result ) u(text ) ");
    CHECK(shape.operator()<forms::handle>(all) ==
          "u(text ) a(tool call#1=a tool result#1 tool call#2=b tool result#2 ) u(text ) ");
    CHECK(shape.operator()<forms::note>(all) ==
          "u(text ) a(tool call#1=a tool call#2=b ) t(tool result#2 ) t(tool result#1 ) u(text ) ");
    CHECK(shape.operator()<forms::unnumbered>(all) ==
          "u(text ) a(tool call=a tool call=b ) t(tool result=b ) t(tool result=a ) u(text ) ");
    CHECK(shape.operator()<forms::post>(all) ==
          "u(text ) a(tool call#1=a tool call#2=b ) u(tool result#2 tool result#1 text ) ");
}
