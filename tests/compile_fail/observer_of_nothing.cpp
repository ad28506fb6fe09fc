// expect: condense: session: the observer must be callable with an event, such as condense::events::reduced (see
// event_observer) SPDX-License-Identifier: BSL-1.0
#include <condense/session/observer.hpp>

struct my_observer {
    void operator()(condense::usage const&) const {}
};

void tell_it(my_observer const& mine) { condense::detail::tell(mine, condense::events::due{}); }
