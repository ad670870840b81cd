import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { AUTHORIZATION, KEY, type ServerProcess, startServer } from "../../bench/http/server-process.js";
import { PRICE } from "../ledger/faults.js";

export const MODEL = "chaos-model";

export interface GatewayOptions {
  readonly folder: string;
  readonly upstreamUrl: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** Starts `sextant serve` in a data folder, with the upstream as its only provider. */
export async function startGateway({
  folder,
  upstreamUrl,
  environment,
}: GatewayOptions): Promise<ServerProcess> {
  const config = join(folder, "sextant.config.json");
  const models = [{ id: MODEL, price: PRICE }];
  const provider = { id: "upstream", type: "openai-compatible", base_url: upstreamUrl, models };
  await writeFile(config, JSON.stringify({ providers: [provider] }));
  return startServer("sextant serve", {
    args: [join("dist", "cli", "main.js"), "serve"],
    environment: {
      SEXTANT_CONFIG: config,
      SEXTANT_PORT: "0",
      SEXTANT_DATA_DIR: folder,
      SEXTANT_BOOTSTRAP_API_KEY: KEY,
      SEXTANT_LOG_LEVEL: "fatal",
      SEXTANT_RETRY_MAX_WAIT_MS: "2",
      // One upstream that always fails a little: an open circuit would only send fewer calls.
      SEXTANT_CIRCUIT_FAILURES: "1000",
      ...environment,
    },
  });
}

export async function killProcess({ child }: ServerProcess): Promise<void> {
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
}

/** @throws Error when the gateway refuses or cuts the export off */
export async function* exportedTraces(address: string): AsyncGenerator<string> {
  const reply = await fetch(`${address}/admin/traces/export?format=jsonl`, { headers: AUTHORIZATION });
  if (!reply.ok || reply.body === null) throw new Error(`the export was answered with ${reply.status}`);
  yield* createInterface({ input: Readable.fromWeb(reply.body), crlfDelay: Number.POSITIVE_INFINITY });
}

export async function countTraces(address: string): Promise<number> {
  const reply = await fetch(`${address}/v1/traces?limit=1`, { headers: AUTHORIZATION });
  const { total } = (await reply.json()) as { readonly total?: number };
  if (total === undefined) throw new Error(`the search was answered with ${reply.status}`);
  return total;
}
