// SPDX-License-Identifier: BSL-1.0
// What the conversations say, in no provider's shape: a system prompt, tools, and turns of rounds of calls. All of it
// comes from a seed, so that a second run writes the same files.

import { createHash } from "node:crypto";
import { deflateSync, crc32 } from "node:zlib";

/** Numbers of [0, 1) from a seed: the same on every machine. */
export function numbers(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
    return ((mixed ^ (mixed >>> 16)) >>> 0) / 4294967296;
  };
}

const NOUNS = ("harbour ledger valve orchard timetable parser cache turbine invoice pallet ferry sensor queue index " +
  "batch lantern bridge crate meadow tariff glacier kiln schema worker replica shelf canal beacon").split(" ");
const VERBS = ("checks moves counts rejects delays repeats joins splits reads drops sorts renames measures retries " +
  "stores compares").split(" ");
const QUALITIES = ("late narrow empty broken second cold unused northern large stale nightly doubled quiet " +
  "missing").split(" ");
const PLACES = "Aldmoor Brenford Castra Dunwyke Elmstow Farrow Glimsby Hexley Ivelstead Korvale".split(" ");

export class Writer {
  constructor(seed) {
    this.next = numbers(seed);
    this.seed = seed;
  }
  below(limit) {
    return Math.floor(this.next() * limit);
  }
  of(list) {
    return list[this.below(list.length)];
  }
  phrase() {
    return `the ${this.of(QUALITIES)} ${this.of(NOUNS)} ${this.of(VERBS)} the ${this.of(NOUNS)} at ${this.of(PLACES)}`;
  }
  sentence() {
    const text = this.phrase() + (this.next() < 0.4 ? `, and ${this.phrase()}` : "");
    return text[0].toUpperCase() + text.slice(1) + ".";
  }
  paragraph(sentences) {
    return Array.from({ length: sentences }, () => this.sentence()).join(" ");
  }
  /** Base64 of bytes that look like nothing: signatures, encrypted reasoning. */
  secret(bytes) {
    const parts = [];
    for (let size = 0; size < bytes; size += 32)
      parts.push(createHash("sha256").update(`${this.seed}/${this.next()}`).digest());
    return Buffer.concat(parts).subarray(0, bytes).toString("base64");
  }
  id(prefix, length = 20) {
    const signs = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789";
    return prefix + Array.from({ length }, () => signs[this.below(signs.length)]).join("");
  }
  /** A log with levels, clocks and some repeated lines. */
  log(bytes) {
    const lines = [];
    let size = 0;
    for (let second = 0; size < bytes; ++second) {
      const level = this.next() < 0.06 ? "ERROR" : this.next() < 0.15 ? "WARN " : "INFO ";
      const clock = new Date(Date.UTC(2026, 2, 14, 6, 0, second)).toISOString();
      const line = this.next() < 0.3 && lines.length ? lines.at(-1)
        : `${clock} ${level} [${this.of(NOUNS)}-${this.below(8)}] ${this.phrase()} in ${this.below(900)} ms`;
      lines.push(line);
      size += line.length + 1;
    }
    return lines.join("\n");
  }
  /** Rows as a database or a service returns them. */
  rows(bytes) {
    const rows = [];
    for (let size = 0, row = 0; size < bytes; ++row) {
      rows.push({ id: 1000 + row, place: this.of(PLACES), item: this.of(NOUNS), weight: this.below(9000) / 10,
        open: this.next() < 0.5, note: this.next() < 0.3 ? this.sentence() : null });
      size += JSON.stringify(rows.at(-1)).length + 1;
    }
    return rows;
  }
  /** Source text with line breaks, quotes, tabs and letters that are not ASCII. */
  code(bytes) {
    const lines = ["# -*- coding: utf-8 -*-", `"""${this.sentence()} – ‘Größe’, 数量."""`, ""];
    for (let size = 0; size < bytes; size = lines.join("\n").length) {
      const [a, b] = [this.of(NOUNS), this.of(NOUNS)];
      lines.push(`def ${a}_${b}(${b}):`, `\tif "${this.of(QUALITIES)}" in ${b}:  # ${this.phrase()}`,
        `\t\traise ValueError("${a}: \\"%s\\"" % ${b})`, "");
    }
    return lines.join("\n");
  }
}

/** A PNG of one colour with a diagonal, a few dozen to a few hundred bytes, as base64. */
export function png(size, colour) {
  const chunk = (name, data) => {
    const body = Buffer.concat([Buffer.from(name), data]);
    const out = Buffer.alloc(body.length + 8);
    out.writeUInt32BE(data.length, 0);
    body.copy(out, 4);
    out.writeUInt32BE(crc32(body), body.length + 4);
    return out;
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const rows = [];
  for (let y = 0; y < size; ++y) {
    const row = Buffer.alloc(1 + size * 3);
    for (let x = 0; x < size; ++x) row.set(x === y ? [0, 0, 0] : colour, 1 + x * 3);
    rows.push(row);
  }
  return Buffer.concat([Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]), chunk("IHDR", header),
    chunk("IDAT", deflateSync(Buffer.concat(rows), { level: 9 })), chunk("IEND", Buffer.alloc(0))]).toString("base64");
}

const text = (description) => ({ type: "string", description });
export const TOOLS = [
  { name: "read_file", description: "Returns the text of a file.", parameters: { type: "object",
    properties: { path: text("The file"), first_line: { type: "integer" } }, required: ["path"] } },
  { name: "run_query", description: "Runs a query on the freight tables.", parameters: { type: "object",
    properties: { query: text("The query"), limit: { type: "integer" } }, required: ["query"] } },
  { name: "fetch_log", description: "Returns the newest lines of a log.", parameters: { type: "object",
    properties: { service: text("The service"), lines: { type: "integer" } }, required: ["service"] } },
  { name: "write_file", description: "Writes a file.", parameters: { type: "object",
    properties: { path: text("The file"), content: text("What it will hold") }, required: ["path", "content"] } },
  { name: "draw_chart", description: "Draws a chart of two columns.", parameters: { type: "object",
    properties: { title: text("Above the chart"), columns: { type: "array", items: { type: "string" } } },
    required: ["title"] } },
];

/** How the twelve conversations differ: turns, sizes of large results in bytes, how they end. */
export const PROFILES = [
  { turns: 4, rounds: 2, large: [], open: true },
  { turns: 5, rounds: 1, large: [], open: false },
  { turns: 4, rounds: 2, large: [11000], open: true },
  { turns: 4, rounds: 2, large: [6000], open: false },
  { turns: 3, rounds: 3, large: [], open: true },
  { turns: 5, rounds: 2, large: [], open: false },
  { turns: 2, rounds: 6, large: [5200], open: true },
  { turns: 6, rounds: 1, large: [], open: true },
  { turns: 4, rounds: 2, large: [2500], open: true },
  { turns: 9, rounds: 1, large: [], open: false },
  { turns: 1, rounds: 9, large: [1500], open: true },
  { turns: 4, rounds: 2, large: [], open: true },
];

/**
 * One conversation. Each turn: what the user says, rounds of calls with their results, and an answer, which the last
 * turn lacks. Thinking, signatures and ids are written here, so that all shapes tell the same.
 */
export function scenario(number) {
  const profile = PROFILES[number - 1];
  const w = new Writer(7919 * number);
  const large = [...profile.large];
  const turns = [];
  const largeAt = Math.floor((profile.turns * profile.rounds) / 3);
  let round = 0;
  const call = (name, failed, bytes) => {
    const args = {
      read_file: () => ({ path: `src/${w.of(NOUNS)}/${w.of(NOUNS)}.py`, first_line: 1 + w.below(80) }),
      run_query: () => ({ query: `select place, item from ${w.of(NOUNS)} where weight > ${w.below(90)}.5`, limit: 20 }),
      fetch_log: () => ({ service: `${w.of(NOUNS)}-${w.below(9)}`, lines: 40 }),
      write_file: () => ({ path: `notes/${w.of(NOUNS)}.md`, content: `# ${w.of(PLACES)}\n\n${w.sentence()}\n` }),
      draw_chart: () => ({ title: `Weight at ${w.of(PLACES)}`, columns: ["place", "weight"] }),
    }[name]();
    const result = failed ? { text: `${w.of(["not found", "timed out", "no permission"])}: ${w.phrase()}`, error: true }
      : name === "read_file" ? { text: w.code(bytes) }
      : name === "run_query" ? { json: { rows: w.rows(bytes), total: 3 + w.below(90) } }
      : name === "fetch_log" ? { text: w.log(bytes) }
      : name === "draw_chart" ? { text: "The chart is drawn.", image: png(8 + w.below(12), [w.below(256), 90, 200]) }
      : { text: "written" };
    if (result.json) result.text = JSON.stringify(result.json);
    return { id: w.id("", 16), name, args, result };
  };
  for (let turn = 0; turn < profile.turns; ++turn) {
    const last = turn === profile.turns - 1;
    const user = { text: `${w.of(["Please look at this", "Next", "One more thing", "I wonder"])}: ${w.paragraph(1 + w.below(2))}` };
    if (turn % 3 === 0) user.image = png(8 + w.below(10), [200, w.below(256), 40]);
    const rounds = [];
    for (let step = 0; step < (last && !profile.open ? 0 : profile.rounds); ++step, ++round) {
      const calls = [];
      const parallel = round % 3 === 0 ? 3 : round % 3 === 1 ? 2 : 1;
      for (let place = 0; place < parallel; ++place) {
        const bytes = place === 0 && large.length && round >= largeAt ? large.shift() : 60 + w.below(120);
        // A large result is a log, rows or code in turn; the others are what comes.
        const name = bytes > 1000 ? ["fetch_log", "run_query", "read_file"][number % 3]
          : TOOLS[(round + place + number) % TOOLS.length].name;
        calls.push(call(name, bytes < 1000 && (round + place) % 5 === 3, bytes));
      }
      rounds.push({ thinking: w.sentence(), signature: w.secret(72), item: w.id("", 16),
        redacted: round % 4 === 2 ? w.secret(64) : undefined, text: round % 2 ? w.sentence() : undefined, calls });
    }
    turns.push({ user, rounds, final: last ? undefined
      : { thinking: w.paragraph(1), signature: w.secret(72), text: w.paragraph(1 + w.below(2)), item: w.id("", 16) } });
  }
  return { number, system: `You help a freight office. ${w.paragraph(2)}`, tools: TOOLS, turns, writer: w };
}
