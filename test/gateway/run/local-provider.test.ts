import { describe, expect, it } from "vitest";
import { openEmbedder } from "../../../src/engine/embedding/open-embedder.js";
import { SHIPPED_EMBEDDER } from "../../../src/engine/shipped.js";
import { localProvider } from "../../../src/gateway/run/embeddings.js";
import { embeddingContract } from "../../contracts/embeddings.contract.js";

const { signal } = new AbortController();

describe("The local embedder as a provider", () => {
  const shipped = openEmbedder(SHIPPED_EMBEDDER, { cacheDir: "unused" });
  embeddingContract("the local embedder", async () => localProvider(await shipped));

  it("takes sixteen texts at a time, and yields to other work in between", async () => {
    const taken: number[] = [];
    let turns = 0;
    const embedder = {
      async embed(texts: readonly string[]) {
        taken.push(texts.length);
        if (taken.length > 1) expect(turns).toBe(taken.length - 1);
        setImmediate(() => {
          turns += 1;
        });
        return texts.map(() => Float32Array.of(1));
      },
    };
    const body = { input: Array.from({ length: 65 }, () => "a moth") };
    await localProvider(embedder).embed?.({ upstreamModel: "sextant", body }, { signal });
    expect(taken).toEqual([16, 16, 16, 16, 1]);
  });

  it("refuses chat requests", async () => {
    const call = { upstreamModel: "sextant", api: "chat", body: { messages: [] }, stream: false } as const;
    const sent = localProvider(await shipped).send(call, { signal });
    await expect(sent).rejects.toMatchObject({ code: "request_refused" });
  });
});
