# SPDX-License-Identifier: BSL-1.0
"""The rules a reduction must keep: one function a rule, each yielding findings."""

from dataclasses import dataclass
from functools import cached_property

from conversation import MARK, UNITS, BadConversation, Conversation, Estimator, ceil_div
from edits import Comparer, Finding, align_messages, compare_messages

QUIET_BELOW = 60  # per cent of the window below which nothing may be touched
FITS, BAD_INPUT, EXHAUSTED = 0, 2, 3
OUTCOME_OF_EXIT = {FITS: "fits", EXHAUSTED: "exhausted"}

REPORT_MEMBERS = {"outcome": str, "window": int, "tokens_before": int, "tokens_after": int,
                  "messages_before": int, "messages_after": int, "layers": list}
LAYER_MEMBERS = {"name": str, "outcome": str, "tokens_before": int, "tokens_after": int,
                 "groups_dropped": int, "parts_shortened": int, "artifacts": int}


@dataclass
class Reduction:
    """One run of the program: what went in, what came out, what it claimed."""
    window: int
    exit: int
    input: object
    output: object
    report: dict
    family: str = "other"

    @cached_property
    def estimator(self):
        return Estimator(self.family)

    @cached_property
    def comparer(self):
        return Comparer(self.estimator)

    @cached_property
    def before(self):
        return Conversation(self.input, self.estimator)

    @cached_property
    def after(self):
        return Conversation(self.output, self.estimator)

    @cached_property
    def source(self):
        """For each output message the index of its input message, or None."""
        return align_messages(self.before, self.after, self.comparer)

    @cached_property
    def place(self):
        """Output index by input index, for what is left."""
        return {i: j for j, i in enumerate(self.source) if i is not None}

    @cached_property
    def edits(self):
        """Edit by input index, for messages that are left but not as they were."""
        found = {}
        for i, j in self.place.items():
            old, new = self.before.messages[i], self.after.messages[j]
            if self.comparer.message_key(old) != self.comparer.message_key(new):
                found[i] = compare_messages(old, new, self.comparer)
        return found

    def untouched(self, i):
        return i in self.place and i not in self.edits

    @cached_property
    def unchanged(self):
        """True when the messages are the same, marks included."""
        return self.comparer.same(self.before.messages, self.after.messages)


def near(a, b):
    """Within 0.5 % and three tokens."""
    return 200 * abs(a - b) <= 600 + max(a, b)


# ---------------------------------------------------------------- the document
def container(r):
    """Same container shape, other top-level members equal."""
    if isinstance(r.input, list) or isinstance(r.output, list):
        if type(r.input) is not type(r.output):
            yield Finding("container", "list and object are exchanged")
        return
    others = [{k: (None if k == "messages" else v) for k, v in d.items()} for d in (r.input, r.output)]
    if not r.comparer.same(*others):
        yield Finding("container", "members beside the messages differ from the input's")


def text_is_unicode(r):
    """Every string of the output can be encoded as UTF-8."""
    if any("\ud800" <= c <= "\udfff" for c in r.comparer.key(r.output)):
        yield Finding("T1 utf8", "a lone surrogate stands in the output")


def marks(r):
    """The program's mark is a string, and a message of the input does not become a summary by it."""
    for j, message in enumerate(r.after.messages):
        if MARK in message and not isinstance(message[MARK], str):
            yield Finding("marks", f"output message {j} has a mark that is not a string")
        i = r.source[j]
        if i is None:
            if "summary" in r.after.readings[j].mark and not r.after.readings[j].is_summary:
                yield Finding("marks", f"output message {j} is marked as a summary but is not a user message")
        elif r.after.readings[j].is_summary and not r.before.readings[i].is_summary:
            yield Finding("marks", f"output message {j} is message {i} of the input, marked as a summary")


# ---------------------------------------------------------------- messages
def no_foreign_messages(r):
    """What is not a summary comes from the input, once, in the input's order."""
    at = {}
    for i, message in enumerate(r.before.messages):
        at.setdefault(r.comparer.message_key(message), []).append(i)
    for j, i in enumerate(r.source):
        if i is not None or r.after.readings[j].is_summary:
            continue
        twins = at.get(r.comparer.message_key(r.after.messages[j]), [])
        what = f"output message {j} ({r.after.messages[j].get('role')})"
        if not twins:
            yield Finding("invented", f"{what} has no counterpart in the input")
        elif all(t in r.place for t in twins):
            yield Finding("duplicate", f"{what} repeats message {twins[0]} of the input")
        else:
            yield Finding("L2 order", f"{what} is message {twins[0]} of the input, moved")


def allowed_edits(r):
    """Edited messages keep everything but shortened texts."""
    for i, edit in r.edits.items():
        for finding in edit.findings:
            yield Finding(finding.rule, f"message {i} of the input: {finding.text}")


def one_summary(r):
    """At most one summary, and only where something gave way to it."""
    summaries = [j for j, s in enumerate(r.after.readings) if s.is_summary]
    if len(summaries) > max(1, sum(s.is_summary for s in r.before.readings)):
        yield Finding("L4 one summary", f"{len(summaries)} summaries in the output")
    if any(r.source[j] is None for j in summaries) and len(r.place) == len(r.before):
        yield Finding("L4 one summary", "a summary, but nothing was left out")


def pairs(r):
    """No result without its call, no call without its result, unless the input had it so."""
    for j, i in enumerate(r.source):
        after = r.after.readings[j]
        before = r.before.readings[i] if i is not None else None
        originals = before.links if before and len(before.links) == len(after.links) else None
        for k, link in enumerate(after.links):
            original = originals[k] if originals else None
            yield from _pair(r, j, link, original)


def _pair(r, j, link, original):
    if link.kind == "call":
        if not link.results and not (original and not original.results):
            yield Finding("L1 pairs", f"call '{link.id}' of output message {j} lost its result")
    elif link.partner is None:
        if not (original and original.partner is None):
            yield Finding("L1 pairs", f"result '{link.id}' of output message {j} has no call before it")
    elif original and original.partner and r.source[link.partner.message] not in (None, original.partner.message):
        yield Finding("L1 pairs", f"result '{link.id}' of output message {j} now answers another call")


def whole_groups(r):
    """A group goes whole or stays whole, and nothing new is put between its members."""
    for members in r.before.groups.values():
        kept = [r.place[i] for i in members if i in r.place]
        if kept and len(kept) < len(members):
            gone = [i for i in members if i not in r.place]
            yield Finding("L1 pairs", f"messages {gone} of the group {members} are gone, the others are not")
        together = members[-1] - members[0] + 1 == len(members)
        inside = range(kept[0] + 1, kept[-1]) if kept else ()
        if together and any(r.source[j] is None and r.after.readings[j].is_summary for j in inside):
            yield Finding("L1 pairs", f"a summary stands inside the group {members}")


def stay(r, places, rule, what):
    for i in places:
        if i not in r.place:
            yield Finding(rule, f"{what} {i} is gone or moved")
        elif not r.untouched(i):
            yield Finding(rule, f"{what} {i} is changed")


def systems(r):
    """System messages are all there, unchanged; none is added."""
    yield from stay(r, r.before.systems(), "L2 system", "system message")


def latest_user(r):
    """The latest plain user message is there as it was."""
    yield from stay(r, r.before.plain_users()[-1:], "L2 latest user", "message")


def task(r):
    """The first plain user message may be dropped, never shortened."""
    for i in r.before.plain_users()[:1]:
        if i in r.place and not r.untouched(i):
            yield Finding("L2 task", f"the first plain user message ({i}) is changed")


def first_message(r):
    """After the system messages a plain user message or a summary comes first."""
    if r.before.heads_well() and not r.after.heads_well():
        yield Finding("L2 first message", f"output message {r.after.head()} follows the system messages and is "
                                          f"'{r.after.messages[r.after.head()].get('role')}'")


def open_groups(r):
    """Open groups are there; their parts may be shortened, not taken out."""
    for group in r.before.open_groups():
        for i in r.before.groups[group]:
            if i not in r.place:
                yield Finding("L3 open", f"message {i} of an open group is gone or moved")
            elif i in r.edits and r.edits[i].removed:
                yield Finding("L3 open", f"message {i} of an open group lost a part")


# ---------------------------------------------------------------- sizes and outcome
def smaller(r):
    """A reduction is larger in nothing and smaller in tokens or messages."""
    before, after = r.before.usage(), r.after.usage()
    if after > before:
        yield Finding("L4 smaller", f"{before} tokens became {after}")
    if len(r.after) > len(r.before):
        yield Finding("L4 smaller", f"{len(r.before)} messages became {len(r.after)}")
    same_size = after == before and len(r.after) == len(r.before)
    if same_size and sum(r.after.costs) >= sum(r.before.costs) and not r.unchanged:
        yield Finding("L4 smaller", "something is changed and nothing is smaller")


def floor(r, cost_of_open=None, with_task=False):
    """Tokens no pressure may remove, the latest plain user message and open groups at their size in the output.

    Where these would begin with anything but a user message, the message that heads the output counts too. With
    cost_of_open(i) the messages of open groups count as much as that, but for the latest and the first plain user's.
    """
    users = r.before.plain_users()
    # A last resort leaves the task where it would go in vain.
    members = sorted(r.before.floor_members() | {i for i in users[:1] if with_task and i in r.place})
    system = set(r.before.systems())
    whole = system | set(users[:1]) | set(users[-1:])
    units = sum(r.before.costs[i] for i in members if i in system)
    for i in members:
        if i in r.place and i not in system:
            units += cost_of_open(i) if cost_of_open and i not in whole else r.after.costs[r.place[i]]
    others = [i for i in members if i not in system]
    head = r.after.head()
    if others and head is not None and r.before.heads_well() and not r.before.can_head(others[0]):
        if r.source[head] not in members:
            units += r.after.costs[head]
    return r.before.overhead + ceil_div(units, UNITS)


def lawful_floor(r):
    """The same, but of open groups only what no layer may shorten: frames, and blocks that nobody understands."""
    estimator = r.before.estimator
    return floor(r, lambda i: estimator.frame + sum(
        estimator.part(part) for part in r.before.readings[i].parts if part.kind == "other"))


def outcome(r):
    """Exit 0 exactly when it fits; exhausted only where the floor is above the window."""
    after = r.after.usage()
    if r.exit == FITS and after > r.window and not near(after, r.window):
        yield Finding("L8 fits", f"exit 0 with {after} tokens in a window of {r.window}")
    if r.exit == EXHAUSTED:
        if after <= r.window and not near(after, r.window):
            yield Finding("L8 fits", f"exit 3 with {after} tokens in a window of {r.window}")
        least = floor(r)
        if least <= r.window and not near(least, r.window):
            yield Finding("L8 floor", f"exhausted, but the floor of {least} tokens fits {r.window}")
        claimed = r.report.get("floor") if isinstance(r.report, dict) else None
        lawful = lawful_floor(r)
        least = floor(r, with_task=True)
        if not is_int(claimed) or not (lawful <= claimed <= least or near(claimed, least) or near(claimed, lawful)):
            yield Finding("L8 floor", f"the report names a floor of {claimed}, counted {lawful} to {least}")


def untouched_below_limits(r):
    """Well below every threshold the messages are the same."""
    if 100 * r.before.usage() < QUIET_BELOW * r.window and not r.unchanged:
        yield Finding("L10 untouched", f"{r.before.usage()} tokens are under {QUIET_BELOW} % of {r.window}, "
                                       f"yet something is changed")


# ---------------------------------------------------------------- the report
def is_int(value):
    return isinstance(value, int) and not isinstance(value, bool)


def _members(value, expected, where):
    if not isinstance(value, dict):
        yield Finding("report", f"{where} is not an object")
        return
    for name, kind in expected.items():
        if not isinstance(value.get(name), kind) or isinstance(value.get(name), bool):
            yield Finding("report", f"{where} has no {kind.__name__} '{name}'")


def report_form(report):
    """Every member is there with its type; the rules on figures rely on this one."""
    yield from _members(report, REPORT_MEMBERS, "the report")
    for layer in report.get("layers") or [] if isinstance(report, dict) else []:
        name = layer.get("name") if isinstance(layer, dict) else None
        yield from _members(layer, LAYER_MEMBERS, f"layer {name}")


def report_figures(r):
    """The report says what the messages say."""
    expected = {"outcome": OUTCOME_OF_EXIT.get(r.exit), "window": r.window,
                "messages_before": len(r.before), "messages_after": len(r.after)}
    for name, value in expected.items():
        if r.report[name] != value:
            yield Finding("report", f"'{name}' is {r.report[name]}, expected {value}")
    for name, value in (("tokens_before", r.before.usage()), ("tokens_after", r.after.usage())):
        if not near(r.report[name], value):
            yield Finding("report", f"'{name}' is {r.report[name]}, counted {value}")
    claims_fit = r.report["tokens_after"] <= r.window
    if (r.exit == FITS) != claims_fit:
        yield Finding("L8 fits", f"exit {r.exit} with reported {r.report['tokens_after']} of {r.window} tokens")


def first_changed(r):
    """The first position where the output differs from the input; none when nothing does."""
    keys = [[r.comparer.message_key(m) for m in c.messages] for c in (r.before, r.after)]
    shared = min(map(len, keys))
    actual = next((i for i in range(shared) if keys[0][i] != keys[1][i]), shared)
    if actual == max(map(len, keys)):
        actual = -1
    claimed = r.report.get("first_changed")
    claimed = -1 if claimed is None else claimed
    if claimed != actual:
        yield Finding("report", f"'first_changed' is {claimed}, the first difference is at {actual}")


def layer_sums(r):
    """Savings are never negative and add up to the total."""
    savings = [layer["tokens_before"] - layer["tokens_after"] for layer in r.report["layers"]]
    for layer, saving in zip(r.report["layers"], savings):
        if saving < 0:
            yield Finding("L14 sums", f"layer {layer['name']} has a saving of {saving}")
    total = r.report["tokens_before"] - r.report["tokens_after"]
    if sum(savings) != total:
        yield Finding("L14 sums", f"the layers saved {sum(savings)}, the report says {total}")


# ---------------------------------------------------------------- all of them
DOCUMENT_RULES = (container, text_is_unicode, marks)
MESSAGE_RULES = (no_foreign_messages, allowed_edits, one_summary, pairs, whole_groups, systems, latest_user,
                 task, first_message, open_groups, smaller, untouched_below_limits, outcome)
REPORT_RULES = (report_figures, first_changed, layer_sums)


def check(reduction):
    """All findings on one reduction; empty when every rule holds."""
    r = reduction
    if r.exit not in OUTCOME_OF_EXIT:
        return [Finding("L8 fits", f"exit {r.exit} is none of 0, 3")]
    try:
        r.after
    except BadConversation as bad:
        return [Finding("container", f"the output is {bad}")]
    findings = list(report_form(r.report))
    rules = DOCUMENT_RULES + MESSAGE_RULES + (() if findings else REPORT_RULES)
    for rule in rules:
        findings += rule(r)
    return findings


def check_again(first, second):
    """A second run on the output changes nothing and comes to the same."""
    if second.exit != first.exit:
        yield Finding("L5 again", f"the second run exits {second.exit} after {first.exit}")
    if not second.comparer.same(first.output, second.output):
        yield Finding("L5 again", "the second run changes the messages")
    elif isinstance(second.report, dict):
        if second.report.get("tokens_before") != second.report.get("tokens_after"):
            yield Finding("L5 again", "the second run reports a saving")
        if second.report.get("first_changed") not in (None, -1):
            yield Finding("L5 again", f"the second run reports a change at {second.report['first_changed']}")
