/** What a browser gets: nothing of Node's, nothing of the server's. */
import { fileURLToPath } from "node:url";
import { createContext, Script } from "node:vm";
import { build, type Rollup } from "vite";
import { beforeAll, describe, expect, it } from "vitest";
import { UpstreamServer } from "../fakes/upstream-server.js";
import { answerFrom } from "./gateway-replies.js";

const ENTRY = fileURLToPath(new URL("../../src/client/index.ts", import.meta.url));

let chunk: Rollup.OutputChunk;
beforeAll(async () => {
  const [output] = (await build({
    configFile: false,
    logLevel: "silent",
    build: { write: false, lib: { entry: ENTRY, formats: ["iife"], name: "sextant" }, minify: true },
  })) as Rollup.RollupOutput[];
  const [first] = output?.output ?? [];
  if (first === undefined) throw new Error("nothing was built");
  chunk = first;
}, 60_000);

describe("The browser build of the client", () => {
  it("contains the client and the openai package, and nothing else", () => {
    const foreign = Object.keys(chunk.modules).filter(
      (path) =>
        !path.includes("/src/client/") && !path.includes("/node_modules/openai/") && !path.startsWith("\0"),
    );
    expect([foreign, chunk.imports, chunk.dynamicImports]).toEqual([[], [], []]);
  });

  it("calls a gateway where `process` is undefined", async () => {
    const gateway = await UpstreamServer.start();
    gateway.answer(answerFrom("gpt-4o-mini"));
    const abilities = [URL, URLSearchParams, FormData, Blob, File, AbortController, AbortSignal, Headers];
    const streams = [Request, Response, ReadableStream, TextEncoder, TextDecoder];
    const page = createContext({
      ...Object.fromEntries([...abilities, ...streams].map((ability) => [ability.name, ability])),
      fetch,
      crypto,
      performance,
      console,
      setTimeout,
      clearTimeout,
    });
    new Script(`${chunk.code}; globalThis.sextant = sextant`).runInContext(page);
    const { Sextant } = page.sextant as typeof import("../../src/client/index.js");
    const client = new Sextant({ apiKey: "pk_live_test", baseURL: `${gateway.origin}/v1` });
    const messages = [{ role: "user" as const, content: "hi" }];
    const { choices } = await client.chat.completions.create({ model: "gpt-4o-mini", messages });
    expect(choices[0]?.message.content).toBe("Hello!");
    await gateway.close();
  });
});
