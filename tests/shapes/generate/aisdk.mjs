// SPDX-License-Identifier: BSL-1.0
import { dynamicTool, generateText, isStepCount, jsonSchema, tool } from "ai";
import { MockLanguageModelV4 } from "ai/test";

const usage = { inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 }, outputTokens: { total: 1, text: 1, reasoning: 0 } };

/** What a model says in a round, or in the answer of a turn, as content of the SDK's model interface. */
export function contents(turn) {
  const reasoning = (from) => ({ type: "reasoning", text: from.thinking, providerMetadata: { anthropic: { signature: from.signature } } });
  const out = turn.rounds.map((round) => ({ finish: "tool-calls", content: [reasoning(round),
    ...(round.text ? [{ type: "text", text: round.text }] : []),
    ...round.calls.map((call) => ({ type: "tool-call", toolCallId: `call_${call.id}`, toolName: call.name, input: JSON.stringify(call.args) }))] }));
  if (turn.final) out.push({ finish: "stop", content: [reasoning(turn.final), { type: "text", text: turn.final.text }] });
  return out;
}

/** The tools of a scenario: each call returns what was written for it, and fails where that failed. */
export function toolset(scenario, { dynamic = false, without = "" } = {}) {
  const results = new Map(scenario.turns.flatMap((turn) => turn.rounds.flatMap((round) => round.calls.map((call) => [`call_${call.id}`, call.result]))));
  return Object.fromEntries(scenario.tools.map((one) => [one.name, (dynamic && one.name === "draw_chart" ? dynamicTool : tool)({
    description: one.description,
    inputSchema: jsonSchema(one.parameters),
    ...(one.name === without ? {} : { async execute(input, { toolCallId }) {
      const result = results.get(toolCallId);
      if (result.error) throw new Error(result.text);
      return result.json ?? (result.image ? { text: result.text, image: result.image } : result.text);
    } }),
    ...(one.name === "draw_chart" ? { toModelOutput: ({ output }) => ({ type: "content", value: [{ type: "text", text: output.text },
      { type: "file", mediaType: "image/png", data: { type: "data", data: output.image } }] }) } : {}),
  })]));
}

export const finished = (finish) => ({ finishReason: { unified: finish, raw: finish }, usage });

/** Model messages: even conversations are the array alone, as an application keeps it. */
export async function aisdk(scenario) {
  const messages = [];
  for (const turn of scenario.turns) {
    messages.push({ role: "user", content: turn.user.image
      ? [{ type: "text", text: turn.user.text }, scenario.number % 3 ? { type: "file", mediaType: "image/png", data: { type: "data", data: turn.user.image } }
        : { type: "image", image: turn.user.image, mediaType: "image/png" }]
      : turn.user.text });
    const steps = contents(turn);
    if (!steps.length) continue;
    const model = new MockLanguageModelV4({ doGenerate: steps.map(({ content, finish }) => ({ content, ...finished(finish), warnings: [] })) });
    const { response, responseMessages } = await generateText({ model, instructions: scenario.system, messages, tools: toolset(scenario), stopWhen: isStepCount(steps.length) });
    messages.push(...(responseMessages ?? response.messages));
  }
  const all = [{ role: "system", content: scenario.system }, ...messages];
  return JSON.stringify(scenario.number % 2 ? { messages: all } : all);
}
