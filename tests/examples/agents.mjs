// SPDX-License-Identifier: BSL-1.0
// node agents.mjs WAY BASE KEY   a loop of calls by agent libraries of npm; prints the last answer.

import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { Agent } from "@mariozechner/pi-agent-core";
import { stepCountIs, streamText, tool } from "ai";
import { z } from "zod";
import { Type } from "@mariozechner/pi-ai";

const [way, base, key] = process.argv.slice(2);
const question = "Look at all the files, step by step.";
const system = "You look at files.";
const results = {
  read_file: ({ path, line }) => Array.from({ length: 80 }, (_, at) => `${path}:${line + at}: value_${line}_${at} = ${line * at + 7}`).join("\n"),
  search: ({ path, line }) => `${path} has ${line} lines.`,
};
const names = Object.keys(results);

const byAiSdk = async (model) => {
  const given = z.object({ path: z.string(), line: z.number() });
  const tools = Object.fromEntries(names.map((name) => [name, tool({ description: "Does it.", inputSchema: given, execute: async (input) => results[name](input) })]));
  return await streamText({ model, system, prompt: question, tools, stopWhen: stepCountIs(200), maxRetries: 0,
    providerOptions: { openai: { store: false } }, onError: ({ error }) => { throw error; } }).text;
};

const byPi = async (api, baseUrl) => {
  const model = { id: "a-model", name: "a model", api, provider: "tests", baseUrl, reasoning: false, input: ["text"], cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    contextWindow: 200000, maxTokens: 4000 };
  const tools = names.map((name) => ({ name, label: name, description: "Does it.", parameters: Type.Object({ path: Type.String(), line: Type.Number() }),
    execute: async (id, input) => ({ content: [{ type: "text", text: results[name](input) }], details: {} }) }));
  const agent = new Agent({ initialState: { systemPrompt: system, model, tools }, getApiKey: () => key });
  await agent.prompt(question);
  const last = agent.state.messages.at(-1);
  return last.errorMessage ?? last.content.filter((block) => block.type === "text").map((block) => block.text).join("");
};

const openai = createOpenAI({ baseURL: `${base}/v1`, apiKey: key });
const ways = {
  "AI SDK, chat": () => byAiSdk(openai.chat("gpt-4o")),
  "AI SDK, Responses": () => byAiSdk(openai.responses("gpt-4o")),
  "AI SDK, Anthropic": () => byAiSdk(createAnthropic({ baseURL: `${base}/v1`, apiKey: key })("claude-opus-5-5")),
  "pi, chat": () => byPi("openai-completions", `${base}/v1`),
  "pi, Anthropic": () => byPi("anthropic-messages", base),
};
console.log(await ways[way]());
