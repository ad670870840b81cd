/** Comparisons of models of known quality by a gateway in a process of its own, as its API reports them. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { startServer } from "../../bench/http/server-process.js";
import type { ComparisonBody } from "../../src/gateway/api/comparisons.js";
import { JUDGE, type PlantedModel, questionText, startPlantedVendors } from "./planted-models.js";

const KEY = "pk_live_0123456789abcdefghijklmnopqrstuvwxyzABCD";
export const SERVED = "planted-served";
/** US dollars per million tokens of the served model, of the others and of the judge. */
export const PRICES = {
  served: { input_usd_per_mtok: 10, output_usd_per_mtok: 20 },
  other: { input_usd_per_mtok: 1, output_usd_per_mtok: 2 },
  judge: { input_usd_per_mtok: 5, output_usd_per_mtok: 5 },
};
/** Answers that may wait for their comparison: fewer than the gateway drops. */
const MOST_WAITING = 48;
const POLL_MS = 5;
const LIMIT_MS = 60_000;

export interface GatewayRun {
  readonly questions: number;
  readonly served: PlantedModel;
  /** Compared with it, each by a comparison of its name. */
  readonly others: ReadonlyMap<string, PlantedModel>;
}

export interface GatewayFindings {
  /** Answer of GET /admin/comparisons after the last question. */
  readonly comparisons: readonly ComparisonBody[];
  /** As of `PlantedVendors`. */
  readonly notBlind: readonly string[];
  readonly verdicts: number;
}

/** Asks the gateway all questions, each compared with every other model. Needs `dist`. */
export async function compareThroughGateway({
  questions,
  served,
  others,
}: GatewayRun): Promise<GatewayFindings> {
  const folder = await mkdtemp(join(tmpdir(), "sextant-comparisons-"));
  const vendors = await startPlantedVendors(new Map([[SERVED, served], ...others]));
  const models = [
    { id: SERVED, price: PRICES.served },
    ...[...others.keys()].map((id) => ({ id, price: PRICES.other })),
  ];
  const provider = { type: "openai-compatible" };
  const settings = {
    providers: [
      { ...provider, id: "makers", base_url: vendors.modelsUrl, models },
      {
        ...provider,
        id: "judges",
        base_url: vendors.judgesUrl,
        models: [{ id: JUDGE, price: PRICES.judge }],
      },
    ],
    comparisons: [...others.keys()].map((name) => ({
      ...{ name, with: name, share: 1, max_usd_per_day: 1000, judges: [JUDGE] },
    })),
  };
  const config = join(folder, "sextant.config.json");
  await writeFile(config, JSON.stringify(settings));
  const gateway = await startServer("sextant serve", {
    args: [join("dist", "cli", "main.js"), "serve"],
    environment: {
      ...{ SEXTANT_PORT: "0", SEXTANT_DATA_DIR: folder, SEXTANT_CONFIG: config },
      ...{ SEXTANT_BOOTSTRAP_API_KEY: KEY, SEXTANT_LOG_LEVEL: "warn" },
    },
  });
  const headers = { "x-api-key": KEY, "content-type": "application/json" };
  const found = async () => {
    const reply = await fetch(`${gateway.address}/admin/comparisons`, { headers });
    return ((await reply.json()) as { readonly data: readonly ComparisonBody[] }).data;
  };
  try {
    for (let question = 1; question <= questions; question += 1) {
      const messages = [{ role: "user", content: questionText(question) }];
      const body = JSON.stringify({ model: SERVED, messages });
      const reply = await fetch(`${gateway.address}/v1/chat/completions`, { method: "POST", headers, body });
      if (!reply.ok) throw new Error(`question ${question}: ${reply.status} ${await reply.text()}`);
      await reply.text();
      // Two verdicts of each.
      const waiting = () => question * others.size - vendors.verdicts() / 2;
      await until(() => waiting() <= MOST_WAITING - others.size);
    }
    await until(async () => (await found()).every((one) => one.comparisons + one.failed === questions));
    return { comparisons: await found(), notBlind: vendors.notBlind, verdicts: vendors.verdicts() };
  } finally {
    await gateway.stop();
    await vendors.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const limitMs = performance.now() + LIMIT_MS;
  while (!(await isSo())) {
    if (performance.now() > limitMs) throw new Error("the gateway does not get on with its comparisons");
    await wait(POLL_MS);
  }
}
