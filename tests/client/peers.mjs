// SPDX-License-Identifier: BSL-1.0
// node peers.mjs TASKS.json   conversations by the providers' own packages, as peers.cpp has them by this library.

import { readFileSync } from "node:fs";
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";

const told = (text, messages, stop, usage) => ({ text, messages, stop, usage, error: null });
const user = (text) => ({ role: "user", content: text });

const openai = {
  list: "messages",
  client: (task) => new OpenAI({ apiKey: task.key, baseURL: `${task.url}/v1`, maxRetries: 0 }),
  prompt: (body, [instructions, data]) => ({ ...body, messages: [{ role: "system", content: instructions }, user(data)] }),
  limit: (body, most) => ({ ...body, max_completion_tokens: most }),
  async ask(client, body, stream) {
    let text = "";
    let whole;
    if (stream) {
      const events = client.chat.completions.stream({ ...body, stream: true, stream_options: { include_usage: true } });
      for await (const { choices: [choice] } of events) text += (choice?.delta.content ?? "") + (choice?.delta.refusal ?? "");
      whole = await events.finalChatCompletion();
    } else whole = await client.chat.completions.create({ ...body, stream: false });
    const [{ message, finish_reason }] = whole.choices;
    return told(stream ? text : (message.content ?? "") + (message.refusal ?? ""), [message], finish_reason,
      [whole.usage.prompt_tokens, whole.usage.prompt_tokens_details.cached_tokens, whole.usage.completion_tokens]);
  },
};

const responses = {
  list: "input",
  client: openai.client,
  prompt: (body, [instructions, data]) => ({ ...body, instructions, input: [user(data)] }),
  limit: (body, most) => ({ ...body, max_output_tokens: most }),
  async ask(client, body, stream) {
    let text = "";
    let whole;
    if (stream) {
      const events = client.responses.stream({ ...body, stream: true });
      for await (const event of events)
        if (event.type === "response.output_text.delta" || event.type === "response.refusal.delta") text += event.delta;
      whole = await events.finalResponse();
    } else whole = await client.responses.create({ ...body, stream: false });
    for (const item of whole.output) {
      if (!stream) for (const block of item.content ?? []) text += (block.text ?? "") + (block.refusal ?? "");
    }
    return told(text, whole.output, whole.incomplete_details?.reason ?? whole.status,
      [whole.usage.input_tokens, whole.usage.input_tokens_details.cached_tokens, whole.usage.output_tokens]);
  },
};

const anthropic = {
  list: "messages",
  client: (task) => new Anthropic({ apiKey: task.key, baseURL: task.url, maxRetries: 0,
    defaultHeaders: { "anthropic-version": "2023-06-01" } }),  // of itself it asks for 2026-10-21, which takes no temperature
  prompt: (body, [instructions, data]) => ({ ...body, system: instructions, messages: [user(data)] }),
  limit: (body, most) => ({ ...body, max_tokens: most }),
  async ask(client, body, stream) {
    let text = "";
    let whole;
    if (stream) {
      const events = client.messages.stream(body);
      events.on("text", (piece) => { text += piece; });
      whole = await events.finalMessage();
    } else {
      whole = await client.messages.create({ ...body, stream: false });
      for (const block of whole.content) text += block.type === "text" ? block.text : "";
    }
    const { role, content, stop_reason, usage } = whole;
    return told(text, [{ role, content }], stop_reason,
      [usage.input_tokens + usage.cache_read_input_tokens, usage.cache_read_input_tokens, usage.output_tokens]);
  },
};

const gemini = {
  list: "contents",
  client: (task) => new GoogleGenAI({ apiKey: task.key, httpOptions: { baseUrl: task.url, apiVersion: "v1beta" } }),  // of itself it asks for v1
  prompt: (body, [instructions, data]) => ({ ...body, systemInstruction: instructions, contents: [{ role: "user", parts: [{ text: data }] }] }),
  limit: (body, most) => ({ ...body, generationConfig: { ...body.generationConfig, maxOutputTokens: most } }),
  async ask(client, { contents, model, generationConfig, ...config }, stream) {
    const request = { model, contents, config: { ...config, ...generationConfig } };
    const chunks = [];
    if (stream) for await (const chunk of await client.models.generateContentStream(request)) chunks.push(chunk);
    else chunks.push(await client.models.generateContent(request));
    const parts = chunks.flatMap((chunk) => chunk.candidates?.[0].content?.parts ?? []);
    const usage = chunks.at(-1).usageMetadata;
    return told(chunks.map((chunk) => chunk.text ?? "").join(""), [{ role: "model", parts }], chunks.at(-1).candidates[0].finishReason,
      [usage.promptTokenCount, usage.cachedContentTokenCount, usage.candidatesTokenCount + (usage.thoughtsTokenCount ?? 0)]);
  },
};

const PEERS = { openai, responses, anthropic, gemini };

for (const task of JSON.parse(readFileSync(process.argv[2]))) {
  const peer = PEERS[task.shape];
  const client = peer.client(task);
  let body = { ...task.body, model: task.model };
  if (task.prompt) body = peer.limit(peer.prompt({ ...body, tools: undefined, functions: undefined }, task.prompt), task.prompt[2]);
  else if (task.answer) body = peer.limit(body, task.answer);
  const answers = [];
  for (let more = true; more && answers.length < 2;) {
    let answer;
    try {
      answer = await peer.ask(client, body, task.stream);
    } catch (problem) {
      answer = { ...told("", [], "", [0, 0, 0]), error: [problem.status ?? 0, problem.message] };
    }
    more = !task.prompt && JSON.stringify(answer.messages).includes("peer_");
    answers.push(answer);
    if (more) body = { ...body, [peer.list]: [...body[peer.list], ...answer.messages, ...task.results] };
  }
  console.log(JSON.stringify(answers));
}
