import { cp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { describe, expect, it } from "vitest";
import { openStaticEmbedder } from "../../../src/engine/embedding/static/static-embedder.js";
import {
  openTransformersEmbedder,
  openWorkerEmbedder,
} from "../../../src/engine/embedding/transformers/transformers-embedder.js";
import { startWorkerThread } from "../../../src/foundation/workers/worker-thread.js";
import { embedderContract } from "../../contracts/embedder.contract.js";
import { HOSTILE_TEXTS } from "../../engine/embedding/texts.js";
import {
  SHIPPED_MODEL,
  TINY_DIMENSIONS,
  tinyTable,
  writeTinyTransformer,
} from "../../engine/embedding/tiny-model.js";
import { threadServing } from "../../fakes/thread.js";
import { folderForTest, folderForTests } from "../../support/folders.js";

const tiny = await writeTinyTransformer(folderForTests());
const cacheDir = folderForTests();
embedderContract("the transformers embedder with a tiny model", () =>
  openTransformersEmbedder(tiny, { cacheDir }),
);

describe("The shipped model through the transformers library", () => {
  it("returns the vectors of the static embedder, but for mistyped words, which it does not know to be others", async () => {
    const texts = [
      "Write a Python function that merges two sorted lists.",
      "Schöne Grüße aus München, 東京都の天気 и привет!",
      "SELECT * FROM users WHERE id = 42; -- 100 %",
      ...Object.values(HOSTILE_TEXTS),
      "long text, ".repeat(2000),
    ];
    const literal = folderForTest();
    await cp(SHIPPED_MODEL, literal, { recursive: true });
    const config = JSON.parse(await readFile(join(literal, "config.json"), "utf8"));
    delete config.sextant.frequent_words;
    await writeFile(join(literal, "config.json"), JSON.stringify(config));
    const direct = await openStaticEmbedder(literal);
    const library = await openTransformersEmbedder(SHIPPED_MODEL, { cacheDir });
    const [ours, theirs] = [await direct.embed(texts), await library.embed(texts)];
    for (const [index, text] of texts.entries()) {
      const cosine = ours[index]?.reduce((sum, value, at) => sum + value * (theirs[index]?.[at] ?? 0), 0);
      const readable = ours[index]?.some((value) => value !== 0);
      if (readable) expect(cosine, text.slice(0, 40)).toBeGreaterThan(0.9999);
      else expect(theirs[index], text).toEqual(ours[index]);
    }
    await Promise.all([direct.close(), library.close()]);
  });
});

it("The vector of a text from the transformers library is zeros where the model yields NaN", async () => {
  const folder = await writeTinyTransformer(folderForTest(), tinyTable().fill(Number.NaN));
  const embedder = await openTransformersEmbedder(folder, { cacheDir });
  expect(await embedder.embed(["fox"])).toEqual([new Float32Array(TINY_DIMENSIONS)]);
  await embedder.close();
});

describe("A hub id", () => {
  const asked: string[] = [];
  let hub: Server;

  async function startHub(): Promise<string> {
    hub = createServer((request, response) => {
      asked.push(request.url ?? "");
      const file = /^\/owner\/tiny\/resolve\/main\/(.+)$/.exec(request.url ?? "")?.[1];
      readFile(join(tiny, file ?? "missing")).then(
        (content) => response.end(content),
        () => response.writeHead(404).end(),
      );
    });
    await new Promise<void>((resolve) => hub.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(hub.address() as AddressInfo).port}/`;
  }

  it("is downloaded once, then read from the cache, with the fingerprint of the same files in a folder", async () => {
    const cache = folderForTest();
    const hubUrl = await startHub();
    const first = await openTransformersEmbedder("owner/tiny", { cacheDir: cache, hubUrl });
    const fromHub = await first.embed(["the quick fox"]);
    await first.close();
    expect(asked).toContain("/owner/tiny/resolve/main/onnx/model.onnx");
    hub.closeAllConnections();
    await new Promise((resolve) => hub.close(resolve));

    const second = await openTransformersEmbedder("owner/tiny", { cacheDir: cache, hubUrl });
    const folder = await openTransformersEmbedder(tiny, { cacheDir });
    const { fingerprint } = folder;
    expect(second).toMatchObject({ id: "owner/tiny", fingerprint, dimensions: TINY_DIMENSIONS });
    expect(await second.embed(["the quick fox"])).toEqual(fromHub);
    expect(await folder.embed(["the quick fox"])).toEqual(fromHub);
    await Promise.all([second.close(), folder.close()]);
  });

  it("that is unreachable is refused with the id, the address and the cache", async () => {
    const cache = folderForTest();
    const opened = openTransformersEmbedder("owner/none", { cacheDir: cache, hubUrl: "http://127.0.0.1:9/" });
    await expect(opened).rejects.toThrow(
      /hub id owner\/none, .* at http:\/\/127\.0\.0\.1:9\/ .*cache .*sextant-test-/,
    );
  });
});

describe("The transformers embedder rejects, with what was tried,", () => {
  it("a folder without one of its files", async () => {
    const folder = folderForTest();
    await cp(tiny, folder, { recursive: true });
    await rm(join(folder, "tokenizer.json"));
    await expect(openTransformersEmbedder(folder, { cacheDir })).rejects.toThrow(
      /cannot open a feature-extraction model with fp32 weights from the folder .*, which needs config\.json/,
    );
  });

  it("a name that is neither a folder nor a hub id", async () => {
    await expect(openTransformersEmbedder("../none", { cacheDir })).rejects.toThrow(
      '"../none" is neither a folder that exists nor a hub id',
    );
  });

  it("when the signal is aborted during loading", async () => {
    const controller = new AbortController();
    const silent = new Worker("setInterval(() => {}, 1000)", { eval: true });
    const startWorker = () => silent;
    const opened = openWorkerEmbedder({ id: "slow", startWorker, signal: controller.signal });
    silent.on("online", () => controller.abort(new Error("no time")));
    await expect(opened).rejects.toThrow("no time");
    expect(silent.threadId).toBe(-1);
  });
});

describe("The transformers embedder, when its worker thread crashes,", () => {
  /** Gives ones instead of running a model, and crashes on the text `crash`. */
  const start = (fingerprint: string) =>
    threadServing(`{
      methods: {
        model: () => ({ dimensions: 2, fingerprint: "${fingerprint}", maxUnits: 100 }),
        embed: ({ texts, fingerprint }) => {
          if (fingerprint !== "${fingerprint}") throw new Error("the files changed");
          if (texts.includes("crash")) setImmediate(() => { throw new Error("out of order"); });
          const isAnswered = !texts.includes("crash") && !texts.includes("wait");
          return isAnswered ? new Float32Array(texts.length * 2).fill(1) : new Promise(() => {});
        },
      },
    }`);

  it("rejects waiting calls with the reason, and restarts the thread at the next call", async () => {
    const embedder = await openWorkerEmbedder({ id: "crashing", startWorker: () => start("same") });
    const calls = ["wait", "crash"].map((text) => embedder.embed([text]));
    const reason = expect.objectContaining({ message: "the worker thread crashed: out of order" });
    expect(await Promise.allSettled(calls)).toEqual(calls.map(() => ({ status: "rejected", reason })));
    const [ones, zeros] = [Float32Array.of(1, 1), Float32Array.of(0, 0)];
    expect(await embedder.embed(["a", "", "b"])).toEqual([ones, zeros, ones]);
    await embedder.close();
  });

  it("refuses a model that has changed meanwhile", async () => {
    const folder = await writeTinyTransformer(folderForTest());
    const threads: Worker[] = [];
    const source = { model: folder, cacheDir, kind: "folder", hubUrl: "" };
    const embedder = await openWorkerEmbedder({
      id: "changing",
      startWorker: () => {
        const worker = startWorkerThread("engine/embedding/transformers/worker", source);
        threads.push(worker);
        return worker;
      },
    });
    await threads[0]?.terminate();
    await cp(await writeTinyTransformer(folderForTest(), tinyTable().fill(0.5)), folder, { recursive: true });
    await expect(embedder.embed(["a"])).rejects.toThrow(
      /changed while it was in use \(fingerprint \w{64}, now \w{64}\); open it again/,
    );
    await embedder.close();
  });

  it("rejects waiting calls when it is closed", async () => {
    const embedder = await openWorkerEmbedder({ id: "closing", startWorker: () => start("same") });
    const waiting = expect(embedder.embed(["wait"])).rejects.toThrow("the embedder closing is closed");
    await embedder.close();
    await waiting;
  });
});

it("An invalid ONNX file is refused with the runtime's reason", async () => {
  const folder = await writeTinyTransformer(folderForTest());
  await writeFile(join(folder, "onnx/model.onnx"), "not a model");
  const opening = openTransformersEmbedder(folder, { cacheDir });
  await expect(opening).rejects.toThrow(/cannot open .*protobuf/i);
});
