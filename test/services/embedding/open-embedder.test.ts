import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openEmbedder } from "../../../src/engine/embedding/open-embedder.js";
import { openStaticEmbedder } from "../../../src/engine/embedding/static/static-embedder.js";
import { writeTinyModel, writeTinyTransformer } from "../../engine/embedding/tiny-model.js";
import { folderForTests } from "../../support/folders.js";

const staticFolder = await writeTinyModel(folderForTests());
const transformerFolder = await writeTinyTransformer(folderForTests());
const options = { cacheDir: join(transformerFolder, "cache") };

describe("openEmbedder", () => {
  it("opens a folder with a sextant block as a static embedder", async () => {
    const [opened, expected] = [
      await openEmbedder(staticFolder, options),
      await openStaticEmbedder(staticFolder),
    ];
    expect(opened.fingerprint).toBe(expected.fingerprint);
    await Promise.all([opened.close(), expected.close()]);
  });

  it("opens any other folder through the transformers library", async () => {
    const opened = await openEmbedder(transformerFolder, options);
    expect(opened).toMatchObject({ id: transformerFolder, dimensions: 8 });
    await opened.close();
  });

  it("rejects with the reason of an aborted signal", async () => {
    const signal = AbortSignal.abort(new Error("never mind"));
    await expect(openEmbedder(staticFolder, { ...options, signal })).rejects.toThrow("never mind");
  });
});
