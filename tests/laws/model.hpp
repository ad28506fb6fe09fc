// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <condense/adapt/chat_message.hpp>

// A second, slow reading of a conversation, written from the laws and not from the library: which
// messages belong together, which rounds are open. Quadratic, and plain on purpose.

namespace laws {

using condense::chat_message;
using condense::part_kind;
using condense::part_status;
using condense::role;

struct model {
    std::vector<std::size_t> group;  ///< for each message, the smallest index joined with it
    std::vector<bool> open;          ///< for each message, whether its group is open
    std::vector<bool> plain_user;
    std::size_t latest_user = none;
    std::size_t latest_answer = none;  ///< the newest message of the assistant, where it is behind the latest user
    std::size_t task = none;

    struct unanswered {
        std::size_t message;
        std::string id;
        std::string tool;
    };
    std::vector<unanswered> dead_calls;  ///< cancelled, or left behind by a later turn, and without any result
    std::vector<std::size_t> waiting_nameless;  ///< messages with a call without an id that may still be answered
    std::vector<std::pair<std::size_t, std::size_t>> orphan_parts;  ///< by message and place in it
    std::vector<std::size_t> orphans;    ///< messages with a result whose call is nowhere
    std::vector<std::pair<std::size_t, std::size_t>>
        repeated_parts;  ///< further results by id of a call, in another message
    std::vector<bool> repeats;  ///< for each message, whether it holds nothing else

    static constexpr std::size_t none = ~std::size_t{0};

    explicit model(std::vector<chat_message> const& all)
        : group(all.size()), open(all.size()), plain_user(all.size()), repeats(all.size()) {
        for (std::size_t index = 0; index < all.size(); ++index) group[index] = index;
        read_users(all);
        pair(all);
        find_open(all);
    }

private:
    struct call {
        std::size_t message;
        std::string id;
        std::string tool;
        bool answered;
        bool waits;
        bool cancelled = false;
        bool has_result = false;
        std::size_t first_result = none;  ///< the message with it, by id and not pending
    };

    void read_users(std::vector<chat_message> const& all) {
        for (std::size_t index = 0; index < all.size(); ++index) {
            bool words = false;
            for (auto const& part : all[index].parts)
                words = words || (part.kind != part_kind::tool_result && part.call.empty());
            if (all[index].role == role::assistant && latest_user != none) latest_answer = index;
            plain_user[index] = words && all[index].role == role::user && all[index].mark != "summary";
            if (!plain_user[index]) continue;
            if (task == none) task = index;
            latest_user = index;
            latest_answer = none;
        }
    }

    void join(std::size_t left, std::size_t right) {
        auto const low = std::min(group[left], group[right]);
        auto const high = std::max(group[left], group[right]);
        for (auto& one : group)
            if (one == high) one = low;
    }

    static bool assistant_after(std::vector<chat_message> const& all, std::size_t index, std::size_t until) {
        for (auto at = index + 1; at < until; ++at)
            if (all[at].role == role::assistant) return true;
        return false;
    }

    std::size_t last_of(std::size_t which, std::size_t until) const {
        std::size_t last = which;
        for (std::size_t at = 0; at < until; ++at)
            if (group[at] == which) last = at;
        return last;
    }

    std::size_t by_id(std::string const& id) const {
        for (auto at = calls_.size(); at-- > 0;)
            if (calls_[at].id == id && !calls_[at].answered) return at;
        for (auto at = calls_.size(); at-- > 0;)
            if (calls_[at].id == id) return at;
        return none;
    }

    std::size_t by_order(std::vector<chat_message> const& all, std::string const& tool, std::size_t here) const {
        if (calls_.empty()) return none;
        auto const newest = group[calls_.back().message];
        std::size_t first = none;
        std::size_t first_without_id = none;
        std::size_t any = none;
        for (auto at = calls_.size(); at-- > 0;) {
            if (group[calls_[at].message] != newest) continue;
            if (!tool.empty() && calls_[at].tool != tool) continue;
            if (any == none) any = at;
            if (calls_[at].answered) continue;
            first = at;
            if (calls_[at].id.empty()) first_without_id = at;
        }
        if (first_without_id != none) return first_without_id;
        if (first != none) return first;
        return assistant_after(all, last_of(newest, here), here) ? none : any;
    }

    void pair(std::vector<chat_message> const& all) {
        for (std::size_t index = 0; index < all.size(); ++index) {
            std::map<std::string, std::size_t>
                seen;  // several blocks with one id are one result, and what came with it
            std::size_t again = 0;
            for (auto const& part : all[index].parts) {
                if (part.kind == part_kind::tool_call) {
                    calls_.push_back({index, part.call, part.tool, part.status == part_status::cancelled,
                                      part.status == part_status::pending, part.status == part_status::cancelled});
                    continue;
                }
                auto const is_result = part.kind == part_kind::tool_result;
                if (!is_result && part.call.empty()) continue;
                auto found = part.call.empty() ? by_order(all, part.tool, index) : by_id(part.call);
                if (is_result && !part.call.empty()) found = seen.try_emplace(part.call, found).first->second;
                else if (seen.count(part.call) != 0) found = seen.at(part.call);
                if (found == none) {
                    if (is_result) orphans_.push_back(index);
                    if (is_result)
                        orphan_parts.push_back({index, static_cast<std::size_t>(&part - all[index].parts.data())});
                    continue;
                }
                join(calls_[found].message, index);
                if (!is_result) continue;
                auto& first = calls_[found].first_result;
                if (first == none && part.status != part_status::pending && !part.call.empty()) first = index;
                if (first != none && first != index && !part.call.empty()) {
                    ++again;
                    repeated_parts.push_back({index, static_cast<std::size_t>(&part - all[index].parts.data())});
                }
                calls_[found].answered = part.status != part_status::pending;
                calls_[found].has_result = true;
                calls_[found].waits = calls_[found].waits || part.status == part_status::pending;
            }
            repeats[index] = again != 0 && again == all[index].parts.size();
        }
    }

    /// Answered in a later turn: a plain user message after the call, and an assistant message after that.
    bool dead(std::vector<chat_message> const& all, call const& one) const {
        for (auto user = one.message + 1; user < all.size(); ++user)
            if (plain_user[user] && assistant_after(all, user, all.size())) return true;
        return false;
    }

    void find_open(std::vector<chat_message> const& all) {
        std::vector<std::size_t> found;
        for (auto const& one : calls_)
            if (!one.has_result && (one.cancelled || (!one.waits && dead(all, one))))
                dead_calls.push_back({one.message, one.id, one.tool});
        for (auto const& one : calls_)
            if (one.waits && !one.answered && one.id.empty()) waiting_nameless.push_back(one.message);
        orphans = orphans_;
        for (auto const& one : calls_)
            if (!one.answered && (one.waits || !dead(all, one))) found.push_back(group[one.message]);
        auto const still_on = [&](std::size_t which) {
            return !assistant_after(all, last_of(which, all.size()), all.size());
        };
        if (!calls_.empty() && still_on(group[calls_.back().message])) found.push_back(group[calls_.back().message]);
        for (auto const index : orphans_) {
            auto const behind = last_of(group[index], all.size()) + 1;
            bool const asked = std::find(plain_user.begin() + static_cast<std::ptrdiff_t>(behind), plain_user.end(),
                                         true) != plain_user.end();
            if (still_on(group[index]) && !asked) found.push_back(group[index]);
        }
        for (std::size_t index = 0; index < all.size(); ++index)
            for (auto const one : found)
                if (group[index] == one) open[index] = true;
    }

    std::vector<call> calls_;
    std::vector<std::size_t> orphans_;
};

}  // namespace laws
