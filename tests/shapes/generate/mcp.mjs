// SPDX-License-Identifier: BSL-1.0
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { CallToolRequestSchema, CreateMessageRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { play } from "./wire.mjs";

/** A result as a tool of a server returns it: text, image, a resource with its text, a link to one, or an error. */
function tool_result(call, number) {
  const { result, args } = call;
  if (result.error) return { content: [{ type: "text", text: result.text }], isError: true };
  if (result.json) return { content: [{ type: "text", text: result.text }], structuredContent: result.json };
  if (result.image) return { content: [{ type: "text", text: result.text, annotations: { audience: ["user"] } }, { type: "image", mimeType: "image/png", data: result.image }] };
  if (call.name === "read_file" && result.text.length < 2000)
    return { content: [{ type: "resource", resource: { uri: `file:///${args.path}`, mimeType: "text/x-python", text: result.text } }] };
  if (call.name === "write_file")
    return { content: [{ type: "text", text: result.text }, { type: "resource_link", name: args.path, uri: `file:///${args.path}`, description: `Note ${number}` }] };
  return { content: [{ type: "text", text: result.text }] };
}

/** The parameters of sampling/createMessage, whose messages have calls and results since the protocol of 2025-11-25. */
export async function mcp(scenario) {
  const named = new Map(scenario.turns.flatMap((turn) => turn.rounds.flatMap((round) => round.calls.map((call) => [call.id, call]))));
  const answers = [];
  const server = new Server({ name: "freight", version: "1.0.0" }, { capabilities: { tools: {} } });
  server.setRequestHandler(CallToolRequestSchema, (request) => tool_result(named.get(request.params._meta.call), scenario.number));
  const client = new Client({ name: "office", version: "1.0.0" }, { capabilities: { sampling: { tools: {} } } });
  client.setRequestHandler(CreateMessageRequestSchema, () => ({ model: "model-1", role: "assistant", content: answers.shift() }));
  const [near, far] = InMemoryTransport.createLinkedPair();
  const wire = {};
  const send_on = far.send.bind(far);
  far.send = (message, options) => {
    if (message.method === "sampling/createMessage") wire.body = JSON.stringify(message.params);
    return send_on(message, options);
  };
  await Promise.all([server.connect(far), client.connect(near)]);
  const messages = [];
  const send = async (content) => {
    answers.push(content);
    const { role, content: blocks } = await server.createMessage({ messages, systemPrompt: scenario.system, maxTokens: 4000,
      tools: scenario.tools.map((tool) => ({ name: tool.name, description: tool.description, inputSchema: tool.parameters })) });
    return { role, content: blocks };
  };
  const body = await play(scenario, wire, {
    ask(user) {
      const text = { type: "text", text: user.text };
      messages.push({ role: "user", content: user.image ? [text, { type: "image", mimeType: "image/png", data: user.image }] : text });
    },
    async answer(round) {
      const calls = round.calls.map((call) => ({ type: "tool_use", id: `call_${call.id}`, name: call.name, input: call.args }));
      messages.push(await send(round.text ? [{ type: "text", text: round.text }, ...calls] : calls.length > 1 ? calls : calls[0]));
    },
    async results(round) {
      const content = [];
      for (const call of round.calls) {
        const result = await client.callTool({ name: call.name, arguments: call.args, _meta: { call: call.id } });
        content.push({ type: "tool_result", toolUseId: `call_${call.id}`, ...result });
      }
      messages.push({ role: "user", content });
    },
    finish: async (final) => messages.push(await send({ type: "text", text: final.text })),
    close: () => send({ type: "text", text: "." }),
  });
  await client.close();
  return body;
}
