// expect: condense: shortener: it must have a const operator()(part_view, cut) that returns std::optional<std::string>
// (see shortener) SPDX-License-Identifier: BSL-1.0
#include <condense/condense.hpp>
#include <condense/shorteners.hpp>

struct first_word {
    std::string operator()(condense::part_view const& part, condense::cut) const {
        return std::string{part.text.substr(0, part.text.find(' '))};
    }
};

struct my_store {
    condense::reference name(std::string_view) const { return {}; }
    condense::store_error put(condense::reference const&, std::string_view) const { return {}; }
    std::optional<std::string> get(condense::reference const&) const { return std::nullopt; }
};

auto const layer = condense::offload{.preview = first_word{}, .into = my_store{}};
