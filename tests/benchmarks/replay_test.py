#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""replay_test.py --program REPLAY: runs the program on made-up conversations and checks what it reports."""

import json
import math
import os
import pathlib
import pty
import re
import subprocess
import sys
import time
import urllib.request

from corpus import HOSTILE, MIXES, PATIENCE, ROOT, SESSION, Tree, conversation, hostile_path, report, run, write_lines

from checks import arguments, checks_in, expect, in_folder, names_options, run_all


class Models:
    """A server of models on this machine; the first word of the path says how it behaves."""

    def __enter__(self):
        self.process = subprocess.Popen([sys.executable, ROOT / "tests" / "client" / "model_server.py"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.address = "http://127.0.0.1:" + self.process.stdout.readline().decode().strip()
        return self

    def __exit__(self, *_):
        self.process.communicate()

    def seen(self):
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(self.address + "/seen", timeout=PATIENCE) as answer:
            return json.load(answer)


def per_cent(share):
    """As the table and the page round: halves go up."""
    return f"{math.floor(1000 * share + 0.5) / 10:.1f} %"


def asks_models(program):
    return "without libcurl" not in re.sub(r"\s+", " ", run(program, ["--help"])[0])


def models_of_choice_write_summaries(program, folder):
    if not asks_models(program):
        _, errors = run(program, ["--summariser", "openai:http://127.0.0.1:1", SESSION], 2)
        return expect("libcurl" in errors, "it is not said why there is no model", errors)
    told, prices, page = folder / "told.json", folder / "prices.json", folder / "page.html"
    told.write_text(json.dumps(conversation(12)), encoding="utf-8")
    prices.write_text(json.dumps({"input": 3, "output": 15, "cached": 0.5, "written": 4}), encoding="utf-8")
    arguments = [told, "--mix", "summarize", "--window", "5000", "--jobs", "1", "--prices", prices, "--html", page]
    key = "sk-a-key-that-nobody-may-see"
    environment = {"OPENAI_API_KEY": key, "ANTHROPIC_API_KEY": key, "SUMMARIZER_MODEL": "small </script> model"}

    def asked(address, *more):
        output, errors, found = report(program, folder, [*arguments, "--summariser", address, *more], environment=environment)
        mix, shown = found["windows"][0]["mixes"][0], page.read_text(encoding="utf-8")
        row = cells(output, 5000)["summarize"]
        expect(mix["model_calls"] > 0 and mix["violations"] == 0 and errors == "", "no model was asked, or something went wrong", output + errors)
        expect(row["model calls"] == f"{mix['model_calls']:,}" and row["failed calls"] == f"{mix['model_failures']:,}", "the table has other calls", row)
        expect(f'"model_failures":{mix["model_failures"]}' in shown and "</script> model" not in shown, "not on the page")
        expect(found["summariser"] is None or f"summaries by {found['summariser']}\n" in output, "the model is not named", output)
        expect(key not in output + json.dumps(found) + shown, "the key is in a report")
        return mix, found

    stand_in, found = asked("rule")
    expect(found["summariser"] is None and stand_in["model_failures"] == 0, "a model is named without one", found["summariser"])
    with Models() as models:
        for protocol, money, shape in (("openai", 60 * 3 + 40 * 0.5 + 20 * 15, "/v1/chat/completions"), ("anthropic", 50 * 3 + 40 * 0.5 + 10 * 4 + 20 * 15, "/v1/messages")):
            for more, model in (([], environment["SUMMARIZER_MODEL"]), (["--summariser-model", "other"], "other")):
                mix, found = asked(f"{protocol}:{models.address}/ok/v1", *more)
                calls, seen = mix["model_calls"], models.seen()
                expect(found["summariser"] == model and all(each["body"]["model"] == model and each["path"] == shape for each in seen), "another model was asked", seen[0]["path"])
                expect(len(seen) == calls and "module_0_0.cpp" in json.dumps(seen[0]["body"]), "not these calls", len(seen))
                expect((mix["model_failures"], mix["model_input"], mix["model_output"]) == (0, 100 * calls, 20 * calls), "not what the server reports", mix)
                expect(abs(mix["model_money"] - money * calls) <= 4 and mix["money"] > mix["model_money"], f"{calls} calls cost {mix['model_money']}", money)
        mix, _ = asked(f"openai:{models.address}/error-400/v1")
        expect(mix["model_failures"] == mix["model_calls"] == len(models.seen()) and mix["model_money"] == 0, "calls that failed are not counted", mix)
        expect("nothing" in mix["layers"][0]["failure"] and mix["requests"] == stand_in["requests"], "it is not said why", mix["layers"])
        mix, _ = asked(f"openai:{models.address}/flaky-400-1/v1")
        expect(mix["model_calls"] > 1 and mix["model_failures"] == (mix["model_calls"] + 1) // 2, "not every other call has failed", mix)
        mix, _ = asked(f"anthropic:{models.address}/ok-refuses/v1")
        expect(mix["model_failures"] == mix["model_calls"] and mix["model_input"] == 100 * mix["model_calls"], "refusals are not counted, or not paid", mix)
        models.seen()
        mix = report(program, folder, [told, "--mix", "summarize_on_prefix", "--window", "5000", "--summariser", f"openai:{models.address}/ok/v1"])[2]["windows"][0]["mixes"][0]
        expect(mix["model_calls"] > mix["model_failures"] and models.seen() == [], "a server was asked behind requests that it has not seen", mix)
    mix, _ = asked(f"openai:{models.address}/ok/v1")
    expect(mix["model_failures"] == mix["model_calls"], "a server that is gone has answered", mix)


def asking_behind_the_request_costs_less(program, folder):
    told = folder / "told.json"
    told.write_text(json.dumps(conversation(40)), encoding="utf-8")
    _, _, found = report(program, folder, [told, "--mix", "summarize", "--mix", "summarize_on_prefix", "--window", "20000"])
    apart, behind = found["windows"][0]["mixes"]
    expect(apart["model_calls"] == behind["model_calls"] > 0 == behind["model_failures"], "not the same calls", (apart["model_calls"], behind["model_calls"]))
    expect(behind["model_input"] > apart["model_input"] and behind["model_money"] < apart["model_money"], "more was not read for less", (apart["model_money"], behind["model_money"]))


def wrong_usage_is_refused(program, folder):
    prices = folder / "prices.json"
    for text in ("[]", '{"input": 3}', '{"input": -1, "output": 1}', '{"input": 1, "output": 1, "inptu": 1}', '{"input": "3", "output": 1}', "{"):
        prices.write_text(text, encoding="utf-8")
        output, errors = run(program, ["--prices", prices, SESSION], 2)
        expect(output == "" and "--prices" in errors, f"prices {text} are not refused by name", errors)
    empty = folder / "empty"
    empty.mkdir()
    for arguments in ([], ["--window"], ["--window", "0", SESSION], ["--window", "8k", SESSION], ["--mix", "nothing", SESSION], ["--jobs", "0", SESSION], ["--shape", "cohere", SESSION],
                      ["--frob", SESSION], [folder / "absent.json"], [empty], ["--json", folder / "absent" / "x.json", SESSION],
                      ["--html", folder, SESSION], ["--summariser", "gemini:https://localhost", SESSION], ["--summariser", "", SESSION], ["--summariser-model", "x", SESSION],
                      ["--summariser", "openai:http://model.example/v1", SESSION], ["--summariser", "anthropic:https://localhost", SESSION]):
        output, errors = run(program, arguments, 2, {"SUMMARIZER_MODEL": ""})
        expect(output == "" and errors.startswith("replay: ") and errors.count("\n") == 1, f"{arguments}: no single line says what is wrong", output + errors)
    left = sorted(path.name for path in folder.iterdir())
    expect(left == ["empty", "prices.json"], "files were left", left)


def help_is_there(program, folder):
    output, errors = run(program, ["--help"])
    names_options(output, "--window", "--shape", "--mix", "--prices", "--summariser", "--summariser-model", "--json", "--html", "--jobs", "--keep", "Exit status")
    expect(errors == "", "--help complains", errors)


def cells(output, window):
    """The table of a window: {mix: {column: text}}."""
    block = output[output.index(f"window of {window:,} tokens"):].split("\n\n")[0].split("\n")[1:]
    titles = re.split(r"  +", block[0].strip())
    rows = [re.split(r"  +", line.strip()) for line in block[1:] if line]
    expect(all(len(row) == len(titles) for row in rows), "the table has holes", output)
    return {row[0]: dict(zip(titles, row)) for row in rows}


def table_and_json_agree(program, folder):
    output, errors, found = report(program, folder, [SESSION, "--window", "6000", "--window", "9000"])
    expect(errors == "", "something is said in a pipe", errors)
    expect(found["mixes"] == MIXES and [each["window"] for each in found["windows"]] == [6000, 9000], "not what was asked for", found["mixes"])
    for at, window in enumerate(found["windows"]):
        table = cells(output, window["window"])
        expect(list(table) == MIXES, "the table has other mixes", output)
        for index, mix in enumerate(window["mixes"]):
            row, items = table[mix["mix"]], mix["items"]["all"]
            total = sum(items[place] for place in ("visible", "recoverable", "lost"))
            expect(total > 0, "no item was found", mix)
            expect(items["labelled"] <= items["visible"] >= items["in_line"], "more items with a label or line than are visible", items)
            breaks = sum(layer["prefix_breaks"] for layer in mix["layers"])
            expect(mix["edits_visible"] <= mix["edits"], "more edits are visible than needed", mix)
            wanted = {"tokens sent": f"{mix['sent']:,}", "largest": f"{mix['peak']:,}", "runs": f"{mix['reductions']:,}",
                      "model calls": f"{mix['model_calls']:,}", "failed calls": f"{mix['model_failures']:,}", "for models": f"${mix['model_money'] / 1e6:.4f}", "violations": "0", "cached": per_cent(mix["cached"] / mix["sent"]),
                      **{name.replace("_", " "): per_cent(items[name] / total) for name in items},
                      **{column: per_cent(mix[f"{name}_visible"] / mix[name]) if mix[name] else "-" for column, name in (("edits", "edits"), ("task", "tasks"), ("words", "words"), ("actions", "actions"))},
                      "gap closed": "-" if mix["gap_closed"] is None else per_cent(mix["gap_closed"])}
            expect(breaks == mix["reductions"], "not every run that changed something began with a layer", mix)
            misfits = mix["over"] + mix["exhausted"]
            wanted["fit"] = f"{mix['requests'] - misfits:,}" if misfits else "all"
            for column, text in wanted.items():
                expect(row[column] == text, f"{mix['mix']}: {column} is {row[column]} in the table and {text} in JSON")
            expect(mix["model_money"] <= mix["money"] and (mix["model_money"] > 0) == (mix["model_input"] > 0), "money for models is not of the whole", mix)
            for figure in ("model_input", "model_output"):
                expect(mix[figure] == sum(layer[figure] for layer in mix["layers"]), f"{figure} of the layers does not add up", mix)
            for name in items:
                expect(items[name] == sum(kind[name] for key, kind in mix["items"].items() if key != "all"), "kinds of items do not add up", mix)
            one = found["longest"][0]["windows"][at]["mixes"][index]
            turns = one["turns"]
            expect(len(turns) == one["requests"] == mix["requests"], "not every request is there", one["requests"])
            for figure, value in (("sent", sum(turn["sent"] for turn in turns)), ("cached", sum(turn["cached"] for turn in turns)),
                                  ("peak", max(turn["sent"] for turn in turns))):
                expect(mix[figure] == one[figure] == value, f"{mix['mix']}: {figure} is not that of its requests", value)
            expect(len(mix["along"]["sent"]) == 100 and max(mix["along"]["sent"]) <= mix["peak"], "the course is not of these requests", mix["along"])
    whole = {mix["mix"]: mix for mix in found["windows"][0]["mixes"]}
    expect(whole["none"]["sent"] > max(mix["sent"] for name, mix in whole.items() if name != "none"), "no mix sends less than none", "")
    refused = whole["none"]["over"] + whole["none"]["exhausted"]
    expect((whole["none"]["items"]["all"]["lost"] == 0) == (refused == 0) and whole["none"]["reductions"] == 0, "nothing is done, and something lost that was not refused", whole["none"])
    shown = {name: mix["items"]["all"]["visible"] for name, mix in whole.items()}
    gap = shown["oracle"] - shown["drop_50"]
    expect(all(mix["gap_closed"] == ((shown[name] - shown["drop_50"]) / gap if gap else None) for name, mix in whole.items()), "not these shares of the gap", shown)


def only_some_mixes(program, folder):
    chosen = [MIXES[-1], MIXES[0]]
    output, _, found = report(program, folder, [SESSION, "--mix", chosen[0], "--mix", chosen[1]])
    expect(found["mixes"] == [MIXES[0], MIXES[-1]] and list(cells(output, 8000)) == found["mixes"], "not the mixes asked for", found["mixes"])


def without_times(found):
    return re.sub(r'"nanoseconds": \d+', "", json.dumps(found))


def lines_are_conversations(program, folder):
    corpus = folder / "corpus.jsonl"
    write_lines(corpus, 12, others={3: b'{"messages": [', 5: b"", 7: b'{"role": "user", "content": "alone"}', 9: b"\xff\xfe", 16: b"[]"})
    seen = []
    for jobs in ("1", "3"):
        output, errors, found = report(program, folder, [corpus, "--jobs", jobs, "--window", "3000", "--keep", "5"], 3)
        lines = errors.splitlines()
        named = [line.split(":")[2] for line in lines]
        expect(named == ["3", "7", "9", "16"] and all(line.endswith("; skipped") for line in lines), "lines that cannot be read are not named", errors)
        expect(output.startswith("12 conversations, 4 skipped\n"), "the table does not say how many were read", output)
        expect(found["skipped"] == 4 and len(found["first_skipped"]) == 4, "JSON does not say what was skipped", found["first_skipped"])
        expect(all(mix["conversations"] == 12 and mix["violations"] == 0 for mix in found["windows"][0]["mixes"]), "not all were replayed", output)
        requests = [one["requests"] for one in found["longest"]]
        expect(len(requests) == 5 and requests == sorted(requests, reverse=True), "those kept are not the longest", requests)
        seen.append(without_times(found))
    expect(seen[0] == seen[1], "the report depends on the number of jobs")


def sums_are_of_all(program, folder):
    for seed in range(3):
        (folder / f"{seed}.json").write_text(json.dumps(conversation(3 + seed, seed)), encoding="utf-8")
    inner = folder / "inner"
    inner.mkdir()
    write_lines(inner / "more.ndjson", 2)
    (folder / "notes.txt").write_text("not a conversation", encoding="utf-8")
    _, _, found = report(program, inner, [folder])
    expect(found["conversations"] == 5 == len(found["longest"]), "not all files of the folder and the folder in it were read", found["conversations"])
    for at, window in enumerate(found["windows"]):
        for index, mix in enumerate(window["mixes"]):
            for figure in ("requests", "sent", "cached", "hits", "money", "reductions", "answered"):
                total = sum(one["windows"][at]["mixes"][index][figure] for one in found["longest"])
                expect(mix[figure] == total, f"{mix['mix']}: {figure} is {mix[figure]}, of all conversations {total}")


def prices_weigh(program, folder):
    prices = folder / "prices.json"
    arguments = [SESSION, "--mix", "none", "--window", "8000"]
    spent = []
    for price in (2, 4):
        prices.write_text(json.dumps({"input": price, "output": 10 * price, "cached": price / 10, "currency": "EUR"}), encoding="utf-8")
        output, _, found = report(program, folder, [*arguments, "--prices", prices])
        spent.append(found["windows"][0]["mixes"][0]["money"])
        expect("EUR " in output and found["prices"]["written"] == found["prices"]["input"] == price * 1_000_000, "not these prices", found["prices"])
    expect(abs(spent[1] - 2 * spent[0]) <= 4 and spent[0] > 0, "twice the prices are not twice the money", spent)


def names_and_texts_do_no_harm(program, folder):
    hostile_path(folder).write_text(json.dumps(conversation(4, 1, HOSTILE)), encoding="utf-8")
    with open(os.fsencode(folder) + b"/\xff\x1b[31m" + HOSTILE.replace("/", "_").encode() + b"\n.json", "wb") as file:
        file.write(b"{")
    prices = folder / "prices"
    prices.write_text(json.dumps({"input": 1, "output": 2, "currency": "</script"}), encoding="utf-8")
    page = folder / "report.html"
    _, errors, found = report(program, folder, [folder, "--html", page, "--prices", prices, "--mix", "recommended", "--mix", "none"], 3)
    expect("img src=x" in errors and errors.count("\n") == 1, "the file that cannot be read is not named on one line", errors)
    expect("</script><img src=x" in found["longest"][0]["name"], "the conversation has lost its name", found["longest"][0]["name"])
    nodes = list(Tree(page.read_text(encoding="utf-8")).root.all())
    names, scripts = [node.tag for node in nodes], [node.text for node in nodes if node.tag == "script"]
    expect("img" not in names and names.count("script") == 2, "a name became markup", names)
    expect(not any(key.startswith("on") for node in nodes for key in node.attributes), "an attribute runs script")
    data = json.loads(scripts[0])
    expect(data["conversations"] == 1 and data["longest"][0]["name"] == found["longest"][0]["name"], "the page has other figures", data["conversations"])
    links = re.findall(r"(?:src|href)\s*=|url\(|@import|https?://(?!www\.w3\.org/2000/svg)", page.read_text(encoding="utf-8").split('id="data">')[0] + scripts[1])
    expect(not links, "the page asks for more than itself", links)


def nothing_at_all_is_a_report(program, folder):
    (folder / "bad.json").write_text("{", encoding="utf-8")
    page = folder / "report.html"
    output, _, found = report(program, folder, [folder / "bad.json", "--html", page], 3)
    expect(output == "0 conversations, 1 skipped\n" and found["conversations"] == 0 and page.stat().st_size > 1000, "no report of nothing", output)


def a_bar_is_for_terminals(program, folder):
    corpus = folder / "corpus.jsonl"
    write_lines(corpus, 250, rounds=15, others={2: b"{"})
    arguments = ["--mix", "none", "--window", "8000", "--jobs", "1", str(corpus)]
    child, terminal = pty.fork()
    if child == 0:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os.execv(program, [program, *arguments])
    seen, began = b"", time.monotonic()
    while time.monotonic() - began < PATIENCE:
        try:
            more = os.read(terminal, 4096)
        except OSError:
            break
        if not more:
            break
        seen += more
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    expect(status == 3, f"ended with {status}", seen)
    expect(re.search(rb"\r\[[#.]+\] +\d+ %  \d+ conversations?", seen) is not None, "no bar is drawn", seen)
    expect(re.search(rb"\r\x1b\[Kreplay: [^\r\n]*corpus\.jsonl:2: ", seen) is not None, "what is said stands in the bar", seen)
    expect(seen.count(b"%") >= 2 and seen.endswith(b"\r\x1b[K"), "the bar stays", seen)
    _, errors = run(program, arguments, 3)
    expect(errors.count("\n") == 1 and "%" not in errors and "[" not in errors, "a bar is drawn in a pipe", errors)


def memory_does_not_grow(program, folder):
    """By ten times as many conversations."""
    peaks = []
    for count in (30, 300):
        corpus = folder / f"{count}.jsonl"
        write_lines(corpus, count, rounds=30)
        child = os.spawnvpe(os.P_NOWAIT, "sh", ["sh", "-c", 'exec "$0" --mix none --window 8000 --jobs 1 --keep 3 "$1" >/dev/null', program, str(corpus)],
                            {**os.environ, "ASAN_OPTIONS": "quarantine_size_mb=1"})
        _, status, used = os.wait4(child, 0)
        expect(status == 0, f"ended with {status}")
        peaks.append(used.ru_maxrss // 1024)
    size = (folder / "300.jsonl").stat().st_size >> 20
    expect(size >= 15 and peaks[1] < peaks[0] + size, f"{peaks[0]} MiB, and {peaks[1]} MiB with {size} MiB of conversations")


def colours_differ_and_keep_their_hue(program, folder):
    """Of the page: mixes and layers, on light and dark ground."""
    css = (ROOT / "benchmarks" / "mix" / "page.css").read_text(encoding="utf-8")
    found = re.findall(r"--([cl]\d): #([0-9a-f]{6});", css)
    expect(len(found) == 34, "not seventeen colours on each ground", found)

    def lab(text):
        linear = [each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in (int(text[at:at + 2], 16) / 255 for at in (0, 2, 4))]
        l, m, s = (sum(a * b for a, b in zip(row, linear)) ** (1 / 3) for row in (
            (0.4122214708, 0.5363325363, 0.0514459929), (0.2119034982, 0.6806995451, 0.1073969566), (0.0883024619, 0.2817188376, 0.6299787005)))
        return (0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s, 1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
                0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s)

    light, dark = ({name: lab(text) for name, text in part} for part in (found[:17], found[17:]))
    for ground in (light, dark):
        names = list(ground)
        near = [(a, b) for at, a in enumerate(names) for b in names[:at] if math.dist(ground[a], ground[b]) < 0.07]
        expect(near == [], "colours that are hardly told apart", near)
    for name in light:
        if name == "c0":  # grey
            continue
        turned = math.degrees(math.atan2(light[name][2], light[name][1]) - math.atan2(dark[name][2], dark[name][1]))
        expect(abs((turned + 180) % 360 - 180) < 12, f"{name} has another hue in the dark", turned)


def pages_tell_no_absolute_paths_and_all_terms(program, folder):
    page = folder / "page.html"
    run(program, [SESSION, SESSION.parent, "--html", page])
    text = page.read_text(encoding="utf-8")
    expect(str(ROOT) not in text and str(folder) not in text, "the page says where files are")
    expect('"data/session.json"' in text, "the name of the file is gone")
    terms = " ".join(re.findall(r"<dt>(.*?)</dt>", text))
    titles = re.findall(r"^  \['\w+', '([^']+)',", text, re.M)
    expect(len(titles) > 10 and all(title in terms for title in titles), "figures that are no terms", [title for title in titles if title not in terms])


CHECKS = checks_in(globals(), "program", "folder")


program = arguments().program
sys.exit(run_all("replay_test", CHECKS, lambda check: in_folder(lambda folder: check(program, pathlib.Path(folder)))))
