/** Packages that only some embedders need are not installed with Sextant, and are asked for by name. */
import { readFileSync } from "node:fs";
import { Worker } from "node:worker_threads";
import { describe, expect, it } from "vitest";
import { isNotInstalled, notInstalled, OPTIONAL_PACKAGES } from "../../src/embedding/optional-package.js";
import { openWorkerEmbedder } from "../../src/embedding/transformers/transformers-embedder.js";
import { LibraryMissingError, WorkerConnection } from "../../src/embedding/transformers/worker-connection.js";

const jsonOf = (file: string) => JSON.parse(readFileSync(new URL(`../../${file}`, import.meta.url), "utf8"));

describe("package.json", () => {
  const manifest = jsonOf("package.json");

  it("has them as optional peers of the major version that the message names, and for the tests here", () => {
    for (const [name, major] of Object.entries(OPTIONAL_PACKAGES)) {
      expect(manifest.peerDependencies[name]).toMatch(new RegExp(`^\\^${major}\\.`));
      expect(manifest.peerDependenciesMeta[name]).toEqual({ optional: true });
      expect(manifest.devDependencies[name]).toBe(manifest.peerDependencies[name]);
      expect(manifest.dependencies).not.toHaveProperty([name]);
    }
    expect(Object.keys(manifest.peerDependencies).sort()).toEqual(Object.keys(OPTIONAL_PACKAGES).sort());
  });

  it("brings along no production package with an install script", () => {
    const packages: Record<string, { dev?: boolean; hasInstallScript?: boolean }> =
      jsonOf("package-lock.json").packages;
    const production = Object.entries(packages).filter(([path, { dev }]) => path !== "" && dev !== true);
    expect(production.length).toBeGreaterThan(50);
    expect(production.filter(([, { hasInstallScript }]) => hasInstallScript === true)).toEqual([]);
  });
});

describe("a package that cannot be imported", () => {
  const notFound = (message: string) => Object.assign(new Error(message), { code: "ERR_MODULE_NOT_FOUND" });

  it("is told from one that is there and lacks something itself", () => {
    const name = "onnxruntime-node";
    expect(isNotInstalled(notFound(`Cannot find package '${name}' imported from /a/b.js`), name)).toBe(true);
    expect(
      isNotInstalled(notFound(`Cannot find package 'sharp' imported from /node_modules/${name}/x.js`), name),
    ).toBe(false);
    expect(isNotInstalled(new Error(`Cannot find package '${name}'`), name)).toBe(false);
  });

  it("is named with what needs it and the command that installs it", () => {
    expect(notInstalled("onnxruntime-node", "The model /m").message).toBe(
      "The model /m needs the package onnxruntime-node, which is not installed with Sextant: run `npm install " +
        "onnxruntime-node@1` where Sextant is installed (with --ignore-scripts where only the npm registry can be reached). " +
        "The shipped embedder does not need it.",
    );
  });

  it("is an error of its own when the worker thread finds it missing", async () => {
    const code = 'require("node:worker_threads").parentPort.postMessage({ kind: "not-installed" });';
    const start = () => new WorkerConnection(new Worker(code, { eval: true }));
    await expect(openWorkerEmbedder({ id: "hub", start })).rejects.toBeInstanceOf(LibraryMissingError);
  });
});
