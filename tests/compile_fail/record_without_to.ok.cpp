// SPDX-License-Identifier: BSL-1.0
#include <condense/layer/record.hpp>

struct my_journal {
    condense::reference name(std::string_view) const { return {}; }
    condense::store_error append(std::string_view, condense::journal_entry const&, std::string_view) const {
        return {};
    }
    condense::store_error flush(std::string_view) const { return {}; }
    condense::store_error read(std::string_view, auto&&) const { return {}; }
};

auto const layer = condense::record{.to = my_journal{}};
