// SPDX-License-Identifier: BSL-1.0
// node main.mjs FOLDER [SHAPE...]   writes FOLDER/<shape>/<n>.json: bodies as the official clients send them.

import { mkdir, writeFile } from "node:fs/promises";
import { PROFILES, scenario } from "./scenario.mjs";

const SHAPES = ["openai", "responses", "anthropic", "gemini", "bedrock", "aisdk", "aisdk_ui", "mcp", "ollama"];
const [folder, ...named] = process.argv.slice(2);
for (const shape of named.length ? named : SHAPES) {
  const make = (await import(`./${shape}.mjs`))[shape];
  await mkdir(`${folder}/${shape}`, { recursive: true });
  for (let number = 1; number <= PROFILES.length; ++number) {
    const body = await make(scenario(number));
    JSON.parse(body);
    await writeFile(`${folder}/${shape}/${number}.json`, body);
  }
}
