/**
 * `npm run proof -- ledger`: whether every dollar that an upstream bills is in the traces and in the budget, when many of its
 * calls fail. The upstream keeps its own record of what it bills.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { pino } from "pino";
import { describeEnvironment, environmentLine } from "../../bench/environment.js";
import { showProgress } from "../../bench/report/progress.js";
import { RESULT_VERSION } from "../../bench/report/result.js";
import { writeResult } from "../../bench/report/result-file.js";
import { composeServer } from "../../src/compose/compose.js";
import { openRouterFromSettings } from "../../src/engine/open-router.js";
import { seededRandom } from "../../src/foundation/random.js";
import { loadSettings } from "../../src/gateway/settings/load-settings.js";
import { SqliteStore } from "../../src/gateway/storage/sqlite-store.js";
import { balance, type TracedRequest } from "./balance.js";
import { type BilledCall, PRICE, usd } from "./faults.js";
import { balanceTable, differences } from "./table.js";
import { startUpstream } from "./upstream.js";

const { values } = parseArgs({
  options: {
    requests: { type: "string", default: "20000" },
    seed: { type: "string", default: "1" },
    help: { type: "boolean" },
  },
});

const KEY = "pk_live_0123456789abcdefghijklmnopqrstuvwxyzABCD";
const MODEL = "ledger-model";
const CONCURRENCY = 16;
const FAULT_SHARE = 0.3;

async function run(): Promise<void> {
  const environment = describeEnvironment(new Date());
  console.log(environmentLine(environment));
  const requests = Number(values.requests);
  const folder = await mkdtemp(join(tmpdir(), "sextant-ledger-"));
  const bill: BilledCall[] = [];
  const upstream = await startUpstream({
    faultShare: FAULT_SHARE,
    random: seededRandom(Number(values.seed)),
    bill: (call) => bill.push(call),
  });
  try {
    const traces = await runThroughGateway(requests, { folder, upstreamUrl: upstream.url });
    const budget = await spentIn(folder);
    const found = balance(traces, bill);
    console.log(`\n${balanceTable(found)}\n\n${differences(found, budget)}`);
    const figure = (id: string, label: string, nano: number) => ({
      ...{ id: `ledger/${id}`, label, value: usd(nano), unit: "usd" as const, better: "neither" as const },
    });
    const path = await writeResult({
      ...{ version: RESULT_VERSION, suite: "ledger", environment, datasets: [] },
      seeds: [Number(values.seed)],
      question: "Is every dollar that failed calls cost in the traces and in the budget?",
      command: `npm run proof -- ledger --requests ${requests} --seed ${values.seed}`,
      figures: [
        figure("billed", "billed by the upstream", found.total.billed),
        figure("reported", "reported by its replies", found.total.reported),
        figure("traced", "in the traces", found.total.charged),
        figure("budget", "in the budget", budget),
        figure("reported/missing", "reported and not in the traces", found.reportedMissing),
        figure("budget/difference", "traces − budget", found.total.charged - budget),
      ],
      notes: [`${requests} requests, ${bill.length} upstream calls, half of the requests streamed.`],
    });
    console.log(`written to ${path}`);
  } finally {
    await upstream.close();
    await rm(folder, { recursive: true, force: true });
  }
}

interface GatewayRun {
  readonly folder: string;
  readonly upstreamUrl: string;
}

async function runThroughGateway(
  requests: number,
  { folder, upstreamUrl }: GatewayRun,
): Promise<readonly TracedRequest[]> {
  const models = [{ id: MODEL, price: PRICE }];
  const provider = { id: "upstream", type: "openai-compatible", base_url: upstreamUrl, models };
  await writeFile(join(folder, "sextant.config.json"), JSON.stringify({ providers: [provider] }));
  const environment = {
    SEXTANT_PORT: "0",
    SEXTANT_DATA_DIR: folder,
    SEXTANT_BOOTSTRAP_API_KEY: KEY,
    SEXTANT_USD_PER_MONTH: "1000000",
    SEXTANT_RETRY_MAX_WAIT_MS: "2",
    // One upstream that always fails a little: an open circuit would only send fewer calls.
    SEXTANT_CIRCUIT_FAILURES: "1000",
  };
  const settings = loadSettings(environment, { workingDirectory: folder });
  const logger = pino({ level: "silent" });
  const server = await composeServer(settings, { logger, environment, openRouter: openRouterFromSettings });
  const address = await server.start();
  const headers = { "x-api-key": KEY, "content-type": "application/json" };
  const progress = showProgress("requests", requests);
  let next = 0;
  let done = 0;
  async function worker(): Promise<void> {
    while (next < requests) {
      const number = next++;
      const messages = [{ role: "user", content: `request ${number}` }];
      const body = JSON.stringify({ model: MODEL, messages, stream: number % 2 === 1 });
      const response = await fetch(`${address}/v1/chat/completions`, { method: "POST", headers, body });
      await response.text();
      progress.update(++done);
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
  progress.stop();
  const exported = await fetchTraces(address, { headers, requests });
  await server.stop();
  return exported;
}

/** Traces are written a moment after their replies: asked for until all are there. */
async function fetchTraces(
  address: string,
  { headers, requests }: { readonly headers: Record<string, string>; readonly requests: number },
): Promise<readonly TracedRequest[]> {
  for (;;) {
    const response = await fetch(`${address}/admin/traces/export?format=jsonl`, { headers });
    const lines = (await response.text()).trim().split("\n");
    if (lines.length >= requests) return lines.map((line) => JSON.parse(line) as TracedRequest);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

/** Nano-dollars. */
async function spentIn(folder: string): Promise<number> {
  const store = new SqliteStore(folder);
  const spent = store.sums().reduce((sum, { amount }) => sum + amount, 0);
  await store.close();
  return spent;
}

if (values.help === true) console.log("Options: --requests N, --seed N");
else await run();
