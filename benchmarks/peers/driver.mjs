// SPDX-License-Identifier: BSL-1.0
// Shared by the drivers in JavaScript: the loop and the model that writes the summaries, as in driver.py.

import { createInterface } from "node:readline";

const word = /[A-Za-z0-9_][A-Za-z0-9_.\-/:@#]{2,}[A-Za-z0-9_]/g;
const name = /[/_@0-9]|[a-z][A-Z]|[a-z]\.[a-z]/;
const most = 1200;

export const clock = { seconds: 0, apart: 0, calls: 0 };

const now = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};

export async function timed(work) {
  const begin = now();
  try {
    return await work();
  } finally {
    clock.seconds += now() - begin;
  }
}

export function summarize(text) {
  const begin = now();
  clock.calls += 1;
  const found = new Set();
  let size = 0;
  for (const each of (text.match(word) ?? []).reverse()) {
    if (name.test(each) && !found.has(each) && size + each.length + 2 <= most) {
      found.add(each);
      size += each.length + 2;
    }
  }
  clock.apart += now() - begin;
  return "The conversation so far, in short; what it named: " + [...found].join(", ");
}

export async function drive(rows) {
  for await (const line of createInterface({ input: process.stdin })) {
    const { row, window, messages } = JSON.parse(line);
    Object.assign(clock, { seconds: 0, apart: 0, calls: 0 });
    let answer;
    try {
      answer = { messages: await rows[row](messages, window) };
    } catch (error) {
      answer = { failed: `${error.name}: ${error.message}`.slice(0, 300) };
    }
    const seconds = Math.max(0, clock.seconds - clock.apart);
    process.stdout.write(JSON.stringify({ ...answer, seconds, calls: clock.calls }) + "\n");
  }
}
