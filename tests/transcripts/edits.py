# SPDX-License-Identifier: BSL-1.0
"""What became of each message: alignment of output to input, and the edits between a pair."""

from collections import Counter
from dataclasses import dataclass, field

from conversation import CALL_ARGUMENTS, MARK, dump, is_server_result, parse_json, read_message

ALIKE = 8  # code points a rewritten text must share with its original at one end


@dataclass(frozen=True)
class Finding:
    rule: str
    text: str

    def __str__(self):
        return f"{self.rule}: {self.text}"


class Comparer:
    """Compares JSON values and messages; the order of keys counts."""

    def __init__(self, estimator):
        self.estimator = estimator

    def key(self, value):
        return dump(value)

    def message_key(self, message):
        """Identity of a message: everything but the program's own mark."""
        return self.key({k: v for k, v in message.items() if k != MARK})

    def same(self, a, b):
        return self.key(a) == self.key(b)


# ---------------------------------------------------------------- alignment
def align(rows, columns, weight):
    """Heaviest order-keeping match; for each column its row or None, the latest row on a tie."""
    best = [[0] * (columns + 1)]
    weights = []
    for i in range(rows):
        line, above, row = [0], best[-1], []
        for j in range(columns):
            w = weight(i, j)
            row.append(w)
            value = above[j + 1] if above[j + 1] >= line[j] else line[j]
            if w and above[j] + w > value:
                value = above[j] + w
            line.append(value)
        best.append(line)
        weights.append(row)
    found = [None] * columns
    i, j = rows, columns
    while i and j:
        w = weights[i - 1][j - 1]
        if w and best[i][j] == best[i - 1][j - 1] + w:
            i, j = i - 1, j - 1
            found[j] = i
        elif best[i][j] == best[i][j - 1]:
            j -= 1
        else:
            i -= 1
    return found


def align_messages(before, after, comparer):
    """For each output message the index of its input message, or None (a summary, or invented)."""
    keys_in = [comparer.message_key(m) for m in before.messages]
    keys_out = [comparer.message_key(m) for m in after.messages]
    n, m = len(keys_in), len(keys_out)
    tail = 0
    while tail < min(n, m) and keys_in[n - 1 - tail] == keys_out[m - 1 - tail]:
        tail += 1
    uses, head = Counter(keys_in), 0
    while head < min(n, m) - tail and keys_in[head] == keys_out[head] and uses[keys_in[head]] == 1:
        head += 1

    likeness = _Likeness(before, after, comparer, set(keys_in))

    def weight(i, j):
        i, j = i + head, j + head
        return 8 if keys_in[i] == keys_out[j] else likeness(i, j)

    middle = align(n - head - tail, m - head - tail, weight)
    return (list(range(head)) + [None if i is None else i + head for i in middle]
            + list(range(n - tail, n)))


class _Likeness:
    """How strongly a changed output message looks like an input message: 0 not at all."""

    def __init__(self, before, after, comparer, known):
        self.before, self.after = before, after
        self.skeleton_in = [skeleton(m, comparer) for m in before.messages]
        self.skeleton_out = [skeleton(m, comparer) for m in after.messages]
        self.untouched = [comparer.message_key(m) in known for m in after.messages]

    def __call__(self, i, j):
        a, b = self.before.readings[i], self.after.readings[j]
        if self.untouched[j] or a.role != b.role or ("summary" in b.mark and "summary" not in a.mark):
            return 0
        if self.skeleton_in[i] == self.skeleton_out[j]:
            return 6 if b.links or b.mark or resembles(a, b) else 0
        ids_a, ids_b = {l.id for l in a.links} - {""}, {l.id for l in b.links} - {""}
        if ids_a or ids_b:
            return 4 if ids_a & ids_b else 0
        return 4 if resembles(a, b) else 0


def skeleton(message, comparer):
    """The message without anything an edit may change: what remains must be equal."""
    bare = {k: v for k, v in message.items() if k not in EDITABLE and k != MARK}
    links = [(l.kind, l.id, l.name) for l in read_message(message).links]
    return comparer.key([bare, links])


def resembles(before, after):
    """Some text of the output message begins or ends as a text of the input message does."""
    def alike(a, b):
        size = min(ALIKE, len(a), len(b))
        return size > 0 and (a[:size] == b[:size] or a[-size:] == b[-size:])
    return any(alike(a.text, b.text) for a in before.parts for b in after.parts)


# ---------------------------------------------------------------- edits of one message
EDITABLE = ("content", "tool_calls", "reasoning_content", "refusal")


@dataclass
class Edit:
    """Differences between an input message and what became of it."""
    changed: int = 0
    removed: int = 0
    findings: list = field(default_factory=list)

    def wrong(self, rule, text):
        self.findings.append(Finding(rule, text))


def compare_messages(before, after, comparer):
    """An Edit whose findings name everything an edit is not allowed to do."""
    edit = Edit()
    if comparer.message_key(before) == comparer.message_key(after):
        return edit
    _compare_fields(before, after, comparer, edit)
    role = read_message(before).role
    _compare_content(before.get("content"), after.get("content"), role, comparer, edit)
    for name in ("reasoning_content", "refusal"):
        _compare_optional_text(before.get(name), after.get(name), name, comparer, edit)
    _compare_tool_calls(before.get("tool_calls"), after.get("tool_calls"), comparer, edit)
    if not (edit.changed or edit.removed or edit.findings):
        edit.wrong("fields", "differs in a way no edit explains")
    return edit


def _compare_fields(before, after, comparer, edit):
    """Members the library does not know survive unchanged and in place."""
    for name, value in before.items():
        if name == MARK or (name in EDITABLE and isinstance(value, str)):
            continue
        if name not in after:
            edit.wrong("fields", f"member '{name}' is lost")
        elif name not in EDITABLE and not comparer.same(value, after[name]):
            edit.wrong("fields", f"member '{name}' is changed")
    for name in after:
        if name != MARK and name not in before:
            edit.wrong("fields", f"member '{name}' is added")
    order = [n for n in before if n in after and n != MARK]
    if order != [n for n in after if n in before and n != MARK]:
        edit.wrong("fields", "the order of members is changed")


def _compare_text(before, after, what, comparer, edit):
    """A replaced text costs less, and no code point was cut through."""
    if before == after:
        return
    edit.changed += 1
    cost_before, cost_after = comparer.estimator.text(before), comparer.estimator.text(after)
    if cost_after >= cost_before:
        edit.wrong("L4 smaller", f"{what} is replaced by something not shorter "
                                 f"({len(before)} -> {len(after)} code points)")
    if "\ufffd" in after and "\ufffd" not in before:
        edit.wrong("T1 utf8", f"{what} has a replacement character the original lacks")


def _compare_optional_text(before, after, what, comparer, edit):
    """A text that is a part of its own: kept, shortened or removed."""
    if comparer.same(before, after):
        return
    if isinstance(before, str) and isinstance(after, str):
        _compare_text(before, after, what, comparer, edit)
    elif isinstance(before, str) and after is None:
        edit.removed += 1
    else:
        edit.wrong("fields", f"'{what}' changes its type")


def _compare_arguments(before, after, what, comparer, edit):
    """Arguments in a string: JSON stays JSON, and what does not parse is left alone."""
    if before == after:
        return
    if not (isinstance(before, str) and isinstance(after, str)):
        edit.wrong("T2 json", f"{what} change their type")
        return
    old, new = _json_kind(before), _json_kind(after)
    if old is None:
        edit.wrong("T2 json", f"{what} did not parse and are not left alone")
    elif new != old:
        edit.wrong("T2 json", f"{what} were {old} and are {new or 'not JSON'}")
    _compare_text(before, after, what, comparer, edit)


def _json_kind(text):
    try:
        return type(parse_json(text)).__name__
    except (ValueError, RecursionError):
        return None


def _compare_tool_calls(before, after, comparer, edit):
    if comparer.same(before, after):
        return
    if not (isinstance(before, list) and isinstance(after, list) and len(before) == len(after)):
        edit.wrong("L1 pairs", "the number of calls is changed")
        return
    for old, new in zip(before, after):
        if comparer.same(old, new):
            continue
        if not comparer.same(_without_arguments(old), _without_arguments(new)):
            edit.wrong("fields", f"more than the arguments of call {dump(old)[:60]} is changed")
        else:
            what = f"arguments of call '{old.get('id', '')}'"
            _compare_arguments(old["function"]["arguments"], new["function"]["arguments"], what, comparer, edit)


def _without_arguments(call):
    """The call with its arguments hidden, if it has any."""
    function = call.get("function") if isinstance(call, dict) else None
    if not isinstance(function, dict) or "arguments" not in function:
        return call
    return {**call, "function": {**function, "arguments": None}}


def _compare_content(before, after, role, comparer, edit):
    if comparer.same(before, after):
        return
    if isinstance(before, str) and isinstance(after, str):
        _compare_text(before, after, "content", comparer, edit)
    elif isinstance(before, str) and after is None and role == "assistant":
        edit.removed += 1
    elif isinstance(before, list) and isinstance(after, list):
        _compare_blocks(before, after, comparer, edit)
    else:
        edit.wrong("fields", "content changes its shape")


def _compare_blocks(before, after, comparer, edit):
    """Blocks keep their order; any but a call or a result may go, none may come."""
    hidden_in, hidden_out = ([_hide(b, comparer) for b in blocks] for blocks in (before, after))

    def weight(i, j):
        if comparer.same(before[i], after[j]):
            return 3
        return 2 if hidden_in[i] == hidden_out[j] else 0

    found = align(len(before), len(after), weight)
    for j, i in enumerate(found):
        if i is None:
            edit.wrong("fields", f"block {j} of the content is neither kept nor edited")
        else:
            _compare_block(before[i], after[j], comparer, edit)
    for i in set(range(len(before))) - set(found):
        edit.removed += 1
        if _is_link(before[i]):
            edit.wrong("L1 pairs", f"a {before[i]['type']} block is removed or its id or name changed")


def _type(block):
    kind = block.get("type") if isinstance(block, dict) else None
    return kind if isinstance(kind, str) else ""


def _is_link(block):
    kind = _type(block)
    return kind in CALL_ARGUMENTS or kind == "tool_result" or is_server_result(kind)


def _editable_member(block):
    """The one member of a block an edit may change; none for signed and opaque blocks."""
    kind = _type(block)
    if kind == "text":
        return "text"
    if kind == "thinking" and not (block.get("signature") or block.get("thinkingSignature")):
        return "thinking"
    if kind == "tool_result":
        return "content"
    if is_server_result(kind) and isinstance(block.get("content"), str):
        return "content"
    return CALL_ARGUMENTS.get(kind)


def _hide(block, comparer):
    """Identity of a block under editing."""
    member = _editable_member(block)
    if member is None:
        return comparer.key(block)
    return comparer.key({k: (None if k == member else v) for k, v in block.items()})


def _compare_block(before, after, comparer, edit):
    """Two blocks already known to differ in their editable member at most."""
    member = _editable_member(before)
    if comparer.same(before, after):
        return
    old, new = before.get(member), after.get(member)
    what = f"{member} of a {_type(before)} block"
    if _type(before) in CALL_ARGUMENTS:
        if type(old) is not type(new):
            edit.wrong("T2 json", f"{what} was {type(old).__name__} and is {type(new).__name__}")
        _compare_text(dump(old), dump(new), what, comparer, edit)
    elif member == "content":
        _compare_content(old, new, "tool", comparer, edit)
    elif isinstance(old, str) and isinstance(new, str):
        _compare_text(old, new, what, comparer, edit)
    else:
        edit.wrong("fields", f"{what} changes its type")
