/** Packages that only some embedders need are not installed with Sextant, and are asked for by name. */
import { describe, expect, it } from "vitest";
import { notInstalled } from "../../../src/engine/embedding/load-error.js";
import { openWorkerEmbedder } from "../../../src/engine/embedding/transformers/transformers-embedder.js";
import { isNotInstalled } from "../../../src/foundation/optional-package.js";
import { threadServing } from "../../fakes/thread.js";

describe("A missing optional package of an embedder", () => {
  it("is reported with the feature that needs it and the install command", () => {
    expect(notInstalled("@huggingface/transformers", "The model /m").message).toBe(
      "The model /m needs the package @huggingface/transformers, which is not installed with Sextant: run `npm install " +
        "@huggingface/transformers@4` where Sextant is installed (with --ignore-scripts where only the npm registry can be reached). " +
        "The shipped embedder does not need it.",
    );
  });

  it("is recognised when the worker thread finds it missing", async () => {
    // As Node words it where the package is missing; here it is installed.
    const missing = `{
      code: "ERR_MODULE_NOT_FOUND",
      message: "Cannot find package '@huggingface/transformers' imported from /w.js",
    }`;
    const startWorker = () => threadServing(`(() => { throw Object.assign(new Error(), ${missing}); })()`);
    const error = await openWorkerEmbedder({ id: "hub", startWorker }).catch((reason: unknown) => reason);
    expect(isNotInstalled(error, "@huggingface/transformers")).toBe(true);
  });
});
