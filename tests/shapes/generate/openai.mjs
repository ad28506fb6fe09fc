// SPDX-License-Identifier: BSL-1.0
import OpenAI from "openai";
import { Wire, play } from "./wire.mjs";

/** Chat completions. The eleventh and twelfth use `function_call`, which knows one call at a time; the fifth a custom tool. */
export async function openai(scenario) {
  const wire = new Wire();
  const client = new OpenAI({ apiKey: "none", fetch: wire.fetch, maxRetries: 0 });
  const legacy = scenario.number > 10;
  const role = scenario.number % 2 ? "system" : "developer";
  const messages = [{ role, content: scenario.system }];
  const tools = legacy
    ? { functions: scenario.tools }
    : { tools: scenario.tools.map((tool) => ({ type: "function", function: tool })) };
  if (scenario.number === 5)
    tools.tools.push({ type: "custom", custom: { name: "note", description: "Keeps a line of text." } });
  const send = async (message) => {
    wire.answers.push({ id: "chatcmpl-1", object: "chat.completion", created: 1, model: "gpt-5.1",
      choices: [{ index: 0, finish_reason: "stop", logprobs: null, message }] });
    return (await client.chat.completions.create({ model: "gpt-5.1", messages, ...tools, stream: false })).choices[0].message;
  };
  const message = (text) => ({ role: "assistant", content: text ?? null, refusal: null });
  const result = (call) => call.result.error ? JSON.stringify({ error: call.result.text }) : call.result.text;
  return play(scenario, wire, {
    ask: (user) => messages.push({ role: "user", content: user.image
      ? [{ type: "text", text: user.text },
         { type: "image_url", image_url: { url: `data:image/png;base64,${user.image}`, detail: "low" } }]
      : user.text }),
    async answer(round, turn, step) {
      if (legacy) {
        for (const call of round.calls) {
          messages.push(await send({ ...message(round.text), function_call: { name: call.name, arguments: JSON.stringify(call.args) } }));
          messages.push({ role: "function", name: call.name, content: result(call) });
        }
        return;
      }
      const calls = round.calls.map((call) => ({ id: `call_${call.id}`, type: "function",
        function: { name: call.name, arguments: JSON.stringify(call.args) } }));
      if (scenario.number === 5 && step === 1)
        calls.push({ id: `call_note${turn}`, type: "custom", custom: { name: "note", input: `Seen: ${round.thinking}` } });
      messages.push(await send({ ...message(round.text), tool_calls: calls }));
    },
    results(round, turn, step) {
      if (legacy) return;
      for (const call of round.calls)
        messages.push({ role: "tool", tool_call_id: `call_${call.id}`, content: call.result.image
          ? [{ type: "text", text: call.result.text }, { type: "text", text: "Its file is chart.png." }] : result(call) });
      if (scenario.number === 5 && step === 1)
        messages.push({ role: "tool", tool_call_id: `call_note${turn}`, content: "kept" });
    },
    async finish(final, turn) {
      messages.push(await send(turn === 1 && scenario.number === 4
        ? { ...message(), refusal: "I cannot do that, as the office has no such right." } : message(final.text)));
    },
    close: () => send(message(".")),
  });
}
