// SPDX-License-Identifier: BSL-1.0
// A provider of this process: it answers each request of a client with the next answer in line, and keeps the body.

export class Wire {
  constructor() {
    this.answers = [];
    this.body = "";
    this.fetch = async (url, request) => {
      const body = request?.body ?? (url instanceof Request ? await url.text() : "");
      this.body = typeof body === "string" ? body : new TextDecoder().decode(body);
      return new Response(JSON.stringify(this.answers.shift()),
        { status: 200, headers: { "content-type": "application/json" } });
    };
  }
}

/**
 * Plays a scenario: `ask(turn.user)` adds what the user says, `answer(round)` sends a request and adds what came back,
 * `results(round)` adds the results, `finish(final)` sends and adds the last answer of a turn. `close()` sends what
 * there is: the body that the wire then keeps.
 */
export async function play(scenario, wire, steps) {
  for (const [place, turn] of scenario.turns.entries()) {
    await steps.ask(turn.user, place);
    for (const [step, round] of turn.rounds.entries()) {
      await steps.answer(round, place, step);
      await steps.results(round, place, step);
    }
    if (turn.final) await steps.finish(turn.final, place);
  }
  await steps.close();
  return wire.body;
}
