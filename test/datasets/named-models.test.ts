import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { missingModels, modelsOfSdk } from "../../datasets/catalog/named-models.js";

const AT = new Date("2026-11-28");
const named = (provider: string, name: string) => ({ provider, name, source: "a package" });

it.each([
  ["a model of the catalog", named("openai", "gpt-6.2-sol"), false],
  ["a dated name of one", named("anthropic", "claude-haiku-4-5-20251001"), false],
  ["one that has only a price", named("openai", "gpt-4-32k"), false],
  ["one that is retired", named("openai", "gpt-4-0125-preview"), false],
  ["no chat", named("google", "gemini-3.8-flash-tts"), false],
  ["one of next year", named("google", "gemini-9-zebra"), true],
])("The check of the catalog misses %s: %s %s", (_, model, missing) => {
  expect(missingModels([model], AT)).toEqual(missing ? [model] : []);
});

it("The names of an SDK are those of its type, and a package without it is an error", () => {
  const folder = mkdtempSync(join(tmpdir(), "sdk-"));
  try {
    const sdk = { provider: "openai", package: "openai", file: "types.d.ts", type: /ChatModel = ([^;]+);/ };
    const write = (text: string) => writeFileSync(join(folder, sdk.file), text);
    write("type Other = 'gpt-1-other';\nexport type ChatModel = 'gpt-9-sol' | 'o9-mini';\n");
    expect(modelsOfSdk(sdk, folder).map(({ name }) => name)).toEqual(["gpt-9-sol", "o9-mini"]);
    write("type Other = 'gpt-1-other';\n");
    expect(() => modelsOfSdk(sdk, folder)).toThrow("openai: types.d.ts names no models where they were");
  } finally {
    rmSync(folder, { recursive: true });
  }
});
