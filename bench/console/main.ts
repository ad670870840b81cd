/** `npm run bench -- console`: how long pages of the console take over a full store. Needs Chromium, and `npm run build` before. */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { describeEnvironment, environmentLine } from "../environment.js";
import { startServer } from "../http/server-process.js";
import { formatValue } from "../report/legible.js";
import { goalText, markdownTable } from "../report/markdown.js";
import { type BenchmarkResult, type Figure, RESULT_VERSION } from "../report/result.js";
import { writeResult } from "../report/result-file.js";
import { median, quantile } from "../report/statistics.js";
import { makeBenchStore } from "../traces/bench-store.js";
import { sizeName } from "../traces/figure-at.js";
import { RARE_TEXT } from "../traces/made-up-traces.js";
import { temporaryFolder } from "../traces/temporary-folder.js";
import { openBrowser, signedIn, timeByAddress, timeWithin } from "./browser.js";
import { fill } from "./fill.js";
import { timedPages } from "./pages.js";

const WAYS = [
  { id: "within", label: "from within the console" },
  { id: "by_address", label: "by its address" },
] as const;
const GOAL_MS = 200;
const KEYS = 50;
const KEY = "pk_live_benchmarkbenchmarkbenchmarkbenchmark";
const HEADERS = { "x-api-key": KEY, "content-type": "application/json" };

const { values } = parseArgs({
  options: {
    rows: { type: "string", default: "100000" },
    rounds: { type: "string", default: "10" },
    seed: { type: "string", default: "1" },
    help: { type: "boolean" },
  },
});

async function run(folder: string): Promise<void> {
  const [rows, rounds, seed] = [Number(values.rows), Number(values.rounds), Number(values.seed)];
  const environment = describeEnvironment(new Date());
  console.log(environmentLine(environment));
  const store = await makeBenchStore({ dataDir: folder });
  await fill(store, { rows, seed, nowMs: Date.now() });
  const server = await startServer("sextant serve", {
    args: [join("dist", "cli", "main.js"), "serve"],
    environment: {
      ...store.environment,
      SEXTANT_PORT: "0",
      SEXTANT_BOOTSTRAP_API_KEY: KEY,
      SEXTANT_LOG_LEVEL: "warn",
      SEXTANT_SANDBOX: "true",
    },
  });
  try {
    const keyId = await createKeys(server.address);
    const figures = await measure(server.address, { rows, rounds, keyId });
    const lines = figures.map((figure) => [
      figure.label,
      formatValue(figure.value, figure.unit),
      goalText(figure),
      figure.note ?? "",
    ]);
    console.log(`\n${markdownTable(["", "median", "goal", ""], lines)}`);
    const result: BenchmarkResult = {
      ...{ version: RESULT_VERSION, suite: "console", environment, datasets: [], seeds: [seed], charts: [] },
      question: "How long do pages of the console take to show their content?",
      command: ["npm run bench -- console", ...process.argv.slice(2)].join(" "),
      figures,
      notes: [
        `Until the first frame with the content; by address with the session and the page's scripts, from the browser's cache; over ${rows} traces of 90 days; ` +
          `${KEYS} keys. One page after the other, round by round.`,
      ],
    };
    console.log(`\nwritten to ${await writeResult(result)}`);
  } finally {
    await server.stop();
  }
}

/** @returns the id of the last one */
async function createKeys(address: string): Promise<string> {
  let id = "";
  for (let at = 0; at < KEYS; at++) {
    const body = JSON.stringify({ name: `application ${at}`, scopes: ["inference"] });
    const reply = await fetch(`${address}/admin/keys`, { method: "POST", headers: HEADERS, body });
    ({ id } = (await reply.json()) as { readonly id: string });
  }
  return id;
}

/** A trace that has a user, from the search for the rare text. */
async function traceWithUser(
  address: string,
): Promise<{ readonly requestId: string; readonly user: string }> {
  const read = async (path: string) => (await fetch(`${address}${path}`, { headers: HEADERS })).json();
  const list = (await read(`/v1/traces?${new URLSearchParams({ q: RARE_TEXT })}`)) as {
    readonly traces: readonly { readonly request_id: string }[];
  };
  for (const { request_id: requestId } of list.traces) {
    const { metadata } = (await read(`/v1/traces/${requestId}`)) as {
      readonly metadata: { readonly user?: string };
    };
    if (metadata.user !== undefined) return { requestId, user: String(metadata.user) };
  }
  throw new Error("No made-up trace with the rare text has a user. Take more --rows.");
}

async function measure(
  address: string,
  { rows, rounds, keyId }: { readonly rows: number; readonly rounds: number; readonly keyId: string },
): Promise<Figure[]> {
  const pages = timedPages({ ...(await traceWithUser(address)), keyId });
  const browser = await openBrowser();
  try {
    const page = await signedIn(browser, address, KEY);
    const times = new Map<string, number[]>();
    const note = (id: string, ms: number) => times.set(id, [...(times.get(id) ?? []), ms]);
    // The first round fills caches, of the browser and of the store.
    for (let round = 0; round <= rounds; round++) {
      if (round === 1) times.clear();
      for (const timed of pages) {
        note(`${timed.id}/by_address`, await timeByAddress(page, address, timed));
        note(`${timed.id}/within`, await timeWithin(page, timed));
      }
    }
    return pages.flatMap(({ id, label }) =>
      WAYS.map((way) => {
        const samples = times.get(`${id}/${way.id}`) ?? [];
        return {
          id: `console/${sizeName(rows)}/${id}/${way.id}`,
          label: `${label}, ${way.label}`,
          value: median(samples),
          unit: "ms" as const,
          better: "lower" as const,
          samples,
          goal: GOAL_MS,
          note: `p95 ${formatValue(quantile(samples, 0.95), "ms")}`,
        };
      }),
    );
  } finally {
    await browser.close();
  }
}

if (values.help === true) {
  console.log("Options: --rows N (100000), --rounds N (10), --seed N (1)");
} else {
  const folder = await temporaryFolder("sextant-bench-console-");
  try {
    await run(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
