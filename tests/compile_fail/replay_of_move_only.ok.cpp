// SPDX-License-Identifier: BSL-1.0
#include <condense/condense.hpp>
#include <condense/replay.hpp>
#include <memory>
#include <string>
#include <vector>

struct note {
    condense::role role = condense::role::user;
    std::string text = {};
    std::shared_ptr<int> extra = {};
};
template <>
struct condense::message_traits<note> : condense::role_and_text<&note::role, &note::text> {};

int main() {
    std::vector<note> const told(2);
    static_cast<void>(condense::replay_one(told, "notes", {.window = {1'000}}, condense::prices{},
                                           condense::named{"none", condense::pipeline{}}));
}
