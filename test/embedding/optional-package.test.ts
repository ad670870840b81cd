/** Packages that only some embedders need are not installed with Sextant, and are asked for by name. */
import { Worker } from "node:worker_threads";
import { describe, expect, it } from "vitest";
import { notInstalled } from "../../src/embedding/load-error.js";
import { openWorkerEmbedder } from "../../src/embedding/transformers/transformers-embedder.js";
import { LibraryMissingError, WorkerConnection } from "../../src/embedding/transformers/worker-connection.js";

describe("A missing optional package of an embedder", () => {
  it("is reported with the feature that needs it and the install command", () => {
    expect(notInstalled("onnxruntime-node", "The model /m").message).toBe(
      "The model /m needs the package onnxruntime-node, which is not installed with Sextant: run `npm install " +
        "onnxruntime-node@1` where Sextant is installed (with --ignore-scripts where only the npm registry can be reached). " +
        "The shipped embedder does not need it.",
    );
  });

  it("is an error of its own type when the worker thread finds it missing", async () => {
    const code = 'require("node:worker_threads").parentPort.postMessage({ kind: "not-installed" });';
    const start = () => new WorkerConnection(new Worker(code, { eval: true }));
    await expect(openWorkerEmbedder({ id: "hub", start })).rejects.toBeInstanceOf(LibraryMissingError);
  });
});
