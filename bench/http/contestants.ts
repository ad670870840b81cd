import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { openStaticEmbedder } from "../../src/engine/embedding/static/static-embedder.js";
import { openSyntheticSet, syntheticModelName, syntheticSetFolder } from "../latency/synthetic-set.js";
import { type ServerProcess, startServer } from "./server-process.js";

/** A server with what a request to it must carry. */
export interface Contestant {
  readonly name: string;
  readonly server: ServerProcess;
  readonly headers: Readonly<Record<string, string>>;
}

const SIZE = { anchors: 5_000, models: 10 };
const PROBE = join(import.meta.dirname, "loop-delay.js");

/** The server as it is run, with keys, on a synthetic set whose models have prices. */
export async function startSextant(folder: string): Promise<Contestant> {
  const embedder = await openStaticEmbedder(join("models", "sextant-static-v1"));
  await openSyntheticSet(SIZE, embedder);
  const profiles = syntheticSetFolder(SIZE, embedder);
  await embedder.close();
  const prices = Object.fromEntries(
    Array.from({ length: SIZE.models }, (_, model) => {
      const price = 0.05 * 2 ** model;
      return [syntheticModelName(model), { input_usd_per_mtok: price, output_usd_per_mtok: 4 * price }];
    }),
  );
  const config = join(folder, "sextant.config.json");
  await writeFile(config, JSON.stringify({ prices }));
  const server = await startServer("decision", {
    args: [join("dist", "cli", "main.js"), "serve"],
    environment: {
      SEXTANT_CONFIG: config,
      SEXTANT_PORT: "0",
      SEXTANT_DATA_DIR: folder,
      SEXTANT_PROFILES: resolve(profiles),
      SEXTANT_LOG_LEVEL: "warn",
    },
    loopDelay: { probe: PROBE, file: join(folder, "loop-delay.json") },
  });
  const key = /pk_live_\S+/.exec(server.greeting)?.[0];
  if (key === undefined) throw new Error("sextant serve showed no first API key");
  return { name: "decision", server, headers: { "x-api-key": key } };
}

/** A server that does what any HTTP server in this framework must do. */
export async function startEcho(folder: string): Promise<Contestant> {
  const server = await startServer("echo", {
    args: [join(import.meta.dirname, "echo-server.js")],
    loopDelay: { probe: PROBE, file: join(folder, "loop-delay.json") },
  });
  return { name: "echo", server, headers: {} };
}
