// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <condense/detail/environment.hpp>
#include <condense/estimate/model.hpp>

// Which model plans and which one summarises, beside the one that answers: model_roles::from_environment("gpt-5.1").

namespace condense {
inline namespace v1 {

/// The model of side tasks unless an operator chooses another.
inline constexpr std::string_view default_side_model = "gpt-4o-mini";

/// The model of one kind of side task.
struct model_role {
    std::string name{default_side_model};
    bool chosen = false;  ///< by an operator

    friend bool operator==(model_role const&, model_role const&) = default;
};

/// Names of models, for a program to call.
struct model_roles {
    std::string primary = {};  ///< answers
    model_role planner = {};
    model_role summariser = {};

    /// From `CONTEXT_PLANNER_MODEL` and `SUMMARIZER_MODEL`, without the blanks around them; one that is unset or blank
    /// is the default. `look`: a callable from a variable's name to an optional text.
    template <class Lookup = detail::process_environment>
    static model_roles from_environment(std::string primary, Lookup look = {}) {
        static_assert(detail::environment<Lookup>,
                      "condense: model_roles: look must give a std::optional<std::string> for a std::string (see "
                      "model_roles)");
        constexpr std::string_view blanks = " \t\r\n\v\f";
        model_roles roles{.primary = std::move(primary)};
        for (auto const& [variable, role] :
             {std::pair{"CONTEXT_PLANNER_MODEL", &roles.planner}, std::pair{"SUMMARIZER_MODEL", &roles.summariser}}) {
            std::optional<std::string> const text{look(std::string{variable})};
            auto const first = text ? text->find_first_not_of(blanks) : std::string::npos;
            if (first == std::string::npos) continue;
            *role = {text->substr(first, text->find_last_not_of(blanks) + 1 - first), true};
        }
        return roles;
    }

    /// Which model does the task of a role: the one that an operator has chosen; else the default if the primary is
    /// expensive, which `is_expensive` decides by its price; else the primary itself, which needs no second provider.
    /// `facts` are those of the primary; without a price it is not expensive.
    std::string_view model_for(model_role const& role, model const& facts) const noexcept {
        return role.chosen || primary.empty() || is_expensive(facts) ? role.name : primary;
    }

    friend bool operator==(model_roles const&, model_roles const&) = default;
};

}  // namespace v1
}  // namespace condense
