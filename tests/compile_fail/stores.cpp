// SPDX-License-Identifier: BSL-1.0
// Members of stores, journals and memories.

#include "compile_fail/common.hpp"

#include <condense/llm/extract_facts.hpp>
#include <condense/store/prune.hpp>

// store_not_copied: `const&) = default` -> `const&) = delete`
//   condense: store: it must be copyable, a handle whose copies share what is kept (see artifact_store)
// store_with_name_of_string: `reference name` -> `std::string name`
//   condense: store: it must have a const name(std::string_view content) that returns a reference (see artifact_store)
// store_without_get: `get(` -> `gets(`
//   condense: store: it must have a const get(reference const&) that returns a std::optional<std::string> (see
//   artifact_store)
// store_with_put_not_const: `const&, std::string_view) const` -> `const&, std::string_view)`
// offload_into_non_store: `store_error put` -> `bool put`
//   condense: store: it must have a const put(reference const&, std::string_view content) that returns a store_error
//   (see artifact_store)
// offload_without_into: `, .into = kept{}` -> ``
//   condense: offload: `into` must name a store, such as condense::memory_store{} (see artifact_store)
struct kept {
    kept() = default;
    kept(kept const&) = default;
    reference name(std::string_view) const { return {}; }
    std::optional<std::string> get(reference const&) const { return std::nullopt; }
    store_error put(reference const&, std::string_view) const { return {}; }
};
auto const offloaded = offload{.over = 10'000_chars, .into = kept{}};

// preview_not_smaller: `4'999_chars` -> `5'000_chars`
//   condense: offload: the preview must be smaller than `over` (see offload)
constexpr pipeline previewed{
    offload{.over = 10'000_chars, .preview = head_tail{4'999_chars, 5'000_chars}, .into = some_store{}}};

// prune_of_unlisted: `each(` -> `list(`
//   condense: prune: the store must have a const each(f) that calls f(reference, bytes) and returns a store_error (see
//   listable_store)
// prune_without_erase: `erase(` -> `remove(`
//   condense: prune: the store must have a const erase(reference const&) that returns a store_error (see
//   erasable_store)
struct pruned : some_store {
    store_error each(auto&& f) const {
        f(reference{}, bytes{});
        return {};
    }
    store_error erase(reference const&) const { return {}; }
};
auto const problem = prune(pruned{}, [](reference const&) { return true; });

// record_to_non_journal: `store_error read` -> `bool read`
//   condense: record: what `to` is given must be a journal (see journal)
// record_without_to: `.to = written{}` -> ``
//   condense: record: `to` must name a journal, such as condense::memory_journal{} (see journal)
struct written {
    reference name(std::string_view) const { return {}; }
    store_error append(std::string_view, journal_entry const&, std::string_view) const { return {}; }
    store_error flush(std::string_view) const { return {}; }
    store_error read(std::string_view, auto&&) const { return {}; }
};
auto const recorded = record{.to = written{}};

// extract_facts_without_to: `.to = learnt{}` -> ``
//   condense: extract_facts: `to` must be a memory, such as condense::markdown_memory (see fact_memory)
struct learnt {
    store_error add(std::vector<std::string> const&) const { return {}; }
};
auto const extracted = extract_facts{.to = learnt{}};
