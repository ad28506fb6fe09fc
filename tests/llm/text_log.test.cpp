// SPDX-License-Identifier: BSL-1.0
#include <condense/llm/text_log.hpp>

#include "support/catch.hpp"

using condense::detail::text_log;

TEST_CASE("text_log: is loaded as it was saved, or refused; forgets what is rewound or too much") {
    text_log log, loaded;
    log.add({"", "go on", 3});
    log.add({"a.c", "and\nthen", 5});
    for (auto const& one : {text_log::entry{"", "", 5}, {"", "</summary>", 5}, {"a\nb", "x", 5}, {"", "\xFF", 5}})
        log.add(one);
    CHECK(log.entries.size() == 2);
    auto const saved = log.save();
    REQUIRE(loaded.load(saved, 6));
    CHECK(loaded.save() == saved);
    CHECK_FALSE(loaded.load(saved, 4));
    auto forged = saved;
    forged.replace(forged.find("5:go on,"), 8, "10:</summary>,");
    CHECK_FALSE(loaded.load(forged, 6));
    for (std::size_t size = 1; size < saved.size(); ++size)
        if (text_log cut; cut.load(saved.substr(0, size), 6)) CHECK(cut.entries.size() == 1);
    CHECK(loaded.save() == saved);
    loaded.rewind(5);
    CHECK(loaded.entries.size() == 1);
    log.add({"", "go on", 4});  // said again
    CHECK((log.entries.size() == 2 && log.entries[0].message == 4));
    log.add({"", "go on", 3});
    log.add({"", "before", 4});
    CHECK((log.entries.size() == 3 && log.entries[1].text == "before"));
    for (char letter = 'a'; letter < 'z'; ++letter) log.add({"", std::string(50'000, letter), 6});
    CHECK(log.entries.size() <= 4);
    text_log many;
    for (std::uint64_t index = 0; index < 20'000; ++index) many.add({"", std::to_string(index), index});
    CHECK(many.entries.size() < 2'000);
    CHECK(many.entries.back().text == "19999");
}
