// SPDX-License-Identifier: BSL-1.0
#include <condense/session/observer.hpp>

struct my_observer {
    void operator()(condense::events::reduced const&) const {}
};

void tell_it(my_observer const& mine) { condense::detail::tell(mine, condense::events::due{}); }
