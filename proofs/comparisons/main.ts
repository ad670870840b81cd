/**
 * `npm run proof -- comparisons`: does a blind comparison find a planted loss of two points with the power that it states,
 * stay quiet without one, and contain the truth although it is looked at every day? Then a running gateway compares models of
 * known quality: does its API say of them what was planted?
 */
import { parseArgs } from "node:util";
import { wholeNumber } from "../../bench/current/options.js";
import { describeEnvironment, environmentLine } from "../../bench/environment.js";
import { markdownTable } from "../../bench/report/markdown.js";
import { type BenchmarkResult, type Figure, RESULT_VERSION } from "../../bench/report/result.js";
import { writeResult } from "../../bench/report/result-file.js";
import { mean } from "../../bench/report/statistics.js";
import { seededRandom } from "../../src/foundation/random.js";
import { findPlanted, worldFigures } from "./gateway-worlds.js";
import { observerMicroseconds } from "./overhead.js";
import { type PlantedQuality, type SimulatedLooks, simulateLooks } from "./simulate.js";

/** How often both choose the same model, or are as good, decides how many comparisons a point takes. */
const WORLDS: readonly (PlantedQuality & { readonly id: string; readonly comparisons: number })[] = [
  { id: "4 in 100 differ, 2 points worse", win: 0.01, loss: 0.03, comparisons: 2000 },
  { id: "4 in 100 differ, as good", win: 0.02, loss: 0.02, comparisons: 2000 },
  { id: "12 in 100 differ, 2 points worse", win: 0.05, loss: 0.07, comparisons: 5600 },
  { id: "12 in 100 differ, as good", win: 0.06, loss: 0.06, comparisons: 5600 },
];

const { values } = parseArgs({
  options: {
    simulations: { type: "string", default: "1000" },
    looks: { type: "string", default: "20" },
    models: { type: "string", default: "4" },
    help: { type: "boolean" },
  },
});

const shareOf = (all: readonly SimulatedLooks[], is: (one: SimulatedLooks) => boolean): number =>
  all.filter(is).length / all.length;

function figuresOf(id: string, all: readonly SimulatedLooks[]): readonly Figure[] {
  const share = (name: string, is: (one: SimulatedLooks) => boolean): Figure => ({
    ...{ id: `comparisons/${id.replaceAll(/[^a-z0-9]+/g, "-")}/${name}`, label: `${id}: ${name}` },
    ...{ value: shareOf(all, is), unit: "share", better: "lower" },
  });
  return [
    share("missed", ({ isMissed }) => isMissed),
    share("said-worse", ({ saidWorse }) => saidWorse),
    share("said-better", ({ saidBetter }) => saidBetter),
  ];
}

/** The first two worlds once more, by a running gateway; none without models. */
async function throughGateway(models: number, random: () => number): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  const rows: string[][] = [];
  for (const { id, comparisons: questions, ...planted } of models === 0 ? [] : WORLDS.slice(0, 2)) {
    const world = { ...planted, questions, models };
    const found = await findPlanted(world, random);
    figures.push(...worldFigures(id, world, found));
    const { saidWorse, saidBetter, wrong, seconds } = found;
    rows.push([id, ...[questions, models, saidWorse, saidBetter, wrong, Math.round(seconds)].map(String)]);
  }
  const header = ["planted, through a gateway", "comparisons of each", "models", "said worse", "said better"];
  if (models > 0) console.log(`\n${markdownTable([...header, "not as planted", "seconds"], rows)}`);
  return figures;
}

async function run(): Promise<void> {
  const simulations = wholeNumber("--simulations", { text: values.simulations, least: 1 });
  const looks = wholeNumber("--looks", { text: values.looks, least: 1 });
  const models = wholeNumber("--models", { text: values.models, least: 0 });
  const environment = describeEnvironment(new Date());
  console.log(environmentLine(environment));
  const random = seededRandom(31);
  const rows: string[][] = [];
  const figures: Figure[] = [];
  for (const { id, ...world } of WORLDS) {
    const look = Math.floor(world.comparisons / looks);
    const all = Array.from({ length: simulations }, () => simulateLooks({ ...world, look }, random));
    figures.push(...figuresOf(id, all));
    const found = all.flatMap(({ worseAt }) => worseAt ?? []).toSorted((left, right) => left - right);
    rows.push([
      id,
      String(world.comparisons),
      `${(100 * mean(all.map(({ statedLoss }) => statedLoss))).toFixed(2)}`,
      `${(100 * shareOf(all, ({ saidWorse }) => saidWorse)).toFixed(1)} %`,
      `${(100 * shareOf(all, ({ saidBetter }) => saidBetter)).toFixed(1)} %`,
      `${(100 * shareOf(all, ({ isMissed }) => isMissed)).toFixed(1)} %`,
      `± ${(100 * mean(all.map(({ halfWidth }) => halfWidth))).toFixed(2)}`,
      String(found[Math.floor(found.length / 2)] ?? "–"),
    ]);
    console.error(`  ${rows.at(-1)?.join(" | ")}`);
  }
  const overhead = [0.05, 1].map((share) => ({ share, value: observerMicroseconds(share, random) }));
  for (const { share, value } of overhead) {
    const label = `what a finished answer takes, share ${share}`;
    figures.push({ ...{ id: `comparisons/observer/${share}`, label, value }, unit: "us", better: "lower" });
    console.log(`${label}: ${value.toFixed(2)} us`);
  }
  figures.push(...(await throughGateway(models, random)));
  const result: BenchmarkResult = {
    ...{ version: RESULT_VERSION, suite: "comparisons", environment, datasets: [], seeds: [31], charts: [] },
    question: "Does a blind comparison find a planted loss with the stated power, and nothing without one?",
    command: ["npm run proof -- comparisons", ...process.argv.slice(2)].join(" "),
    figures,
    notes: [`${simulations} simulations of each, looked at ${looks} times, evenly.`],
  };
  const header = [
    ...["planted", "comparisons", "loss found 4 times in 5, points", "said worse", "said better"],
    ...["ever missed the truth", "interval at the end, points", "median comparisons until worse"],
  ];
  console.log(`\n${markdownTable(header, rows)}\n\nwritten to ${await writeResult(result)}`);
}

if (values.help === true)
  console.log(
    "Options: --simulations N (1000), --looks N (20), --models N that a running gateway compares (4; 0: none)",
  );
else await run();
