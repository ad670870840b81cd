import { describe, expect, it } from "vitest";
import { openEmbedder } from "../../../../src/engine/embedding/open-embedder.js";
import { localProvider } from "../../../../src/gateway/inference/embeddings/local-provider.js";
import { SHIPPED_EMBEDDER } from "../../../../src/gateway/settings/settings.js";
import { embeddingContract } from "../../../contracts/embeddings.contract.js";

const shipped = await openEmbedder(SHIPPED_EMBEDDER, { cacheDir: "unused" });

describe("The local embedder as a provider", () => {
  embeddingContract("the local embedder", async () => localProvider(shipped));

  it("yields to other work between long texts", async () => {
    let turns = 0;
    const count = () => {
      turns += 1;
      pending = setImmediate(count);
    };
    let pending = setImmediate(count);
    const input = Array.from({ length: 65 }, (_, index) => `${index} `.repeat(2000));
    const call = { upstreamModel: "sextant", body: { input } };
    await localProvider(shipped).embed?.(call, { signal: new AbortController().signal });
    clearImmediate(pending);
    expect(turns).toBeGreaterThanOrEqual(4);
  });

  it("refuses chat requests", async () => {
    const call = { upstreamModel: "sextant", api: "chat", body: { messages: [] }, stream: false } as const;
    const sent = localProvider(shipped).send(call, { signal: new AbortController().signal });
    await expect(sent).rejects.toMatchObject({ code: "request_refused" });
  });
});
