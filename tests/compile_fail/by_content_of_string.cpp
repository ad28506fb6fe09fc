// expect: condense: shortener: it must have a const operator()(part_view, cut) that returns std::optional<std::string>
// (see shortener) SPDX-License-Identifier: BSL-1.0
#include <condense/condense.hpp>
#include <condense/shorteners.hpp>

struct first_word {
    std::string operator()(condense::part_view const& part, condense::cut) const {
        return std::string{part.text.substr(0, part.text.find(' '))};
    }
};

auto const each = condense::by_content{.log = first_word{}};
