/**
 * What does keeping the model of a conversation save, and cost in quality? Writes `bench/results/conversations-<date>.json`.
 * `npm run proof -- conversations --help` lists the options.
 */

import { describeEnvironment } from "../../bench/environment.js";
import { renderMarkdown } from "../../bench/report/markdown.js";
import { showProgress } from "../../bench/report/progress.js";
import { type BenchmarkResult, type Figure, RESULT_VERSION } from "../../bench/report/result.js";
import { writeResult } from "../../bench/report/result-file.js";
import { seededRandom } from "../../src/foundation/random.js";
import { outcomesOf, weightFigures } from "./figures.js";
import { HOST_POLICIES, type HostOutcome, type HostPolicy, hostFigures, playHosts } from "./hosts.js";
import { POLICIES, type Policy, Stage } from "./measure.js";
import { CONVERSATIONS_USAGE, type ConversationsOptions, parseConversationsOptions } from "./options.js";
import { makeTraffic } from "./traffic.js";

/** The day whose models and prices are used. */
const DAY = new Date("2026-11-22");
const COST_WEIGHTS = [0.2, 0.5, 0.8] as const;

/** Conversations with tools at one named model with several hosts. */
const HOST_CONVERSATIONS = 200;

/** Traffic and hosts of the next seeds too, so that the figures have intervals. */
const HOST_SEEDS = 5;

async function measureHosts(firstSeed: number): Promise<Figure[]> {
  const seeds = Array.from({ length: HOST_SEEDS }, (_, index) => firstSeed + index);
  const outcomes = new Map<HostPolicy, HostOutcome[]>(HOST_POLICIES.map((policy) => [policy, []]));
  const bar = showProgress("Playing hosts", seeds.length * HOST_POLICIES.length);
  let done = 0;
  for (const seed of seeds) {
    const traffic = toolTraffic(seed);
    for (const [policy, played] of outcomes) {
      bar.update(done++);
      played.push(await playHosts(traffic, { policy, random: seededRandom(seed) }));
    }
  }
  bar.stop();
  return [...outcomes].flatMap(([policy, played]) => hostFigures(policy, played));
}

function toolTraffic(seed: number) {
  const all = makeTraffic({ conversations: 4 * HOST_CONVERSATIONS, random: seededRandom(seed) });
  const ids = new Set(all.filter(({ hasTools }) => hasTools).map(({ conversation }) => conversation));
  const played = new Set([...ids].slice(0, HOST_CONVERSATIONS));
  return all.filter(({ conversation }) => played.has(conversation));
}

async function measure(options: ConversationsOptions): Promise<BenchmarkResult> {
  const { conversations, seed, steered, command, only } = options;
  const environment = describeEnvironment(new Date());
  const hosts = only === "models" ? [] : await measureHosts(seed);
  if (only === "hosts") return resultOf(hosts, { command, environment, seed, notes: [] });
  const traffic = makeTraffic({ conversations, random: seededRandom(seed), steered });
  const stage = await Stage.open(DAY);
  const bar = showProgress("Playing conversations", COST_WEIGHTS.length * POLICIES.length);
  const figures: Figure[] = hosts;
  try {
    let done = 0;
    for (const costWeight of COST_WEIGHTS) {
      const played = new Map<Policy, ReturnType<typeof outcomesOf>>();
      for (const policy of POLICIES) {
        bar.update(done++);
        played.set(policy, outcomesOf(await stage.play(traffic, { policy, costWeight, seed })));
      }
      const outcomes = {
        off: played.get("off") ?? [],
        always: played.get("always") ?? [],
        locked: played.get("locked") ?? [],
        sticky: played.get("sticky") ?? [],
      };
      figures.push(...weightFigures(costWeight, outcomes));
    }
  } finally {
    bar.stop();
    await stage.close();
  }
  return resultOf(figures, {
    ...{ command, environment, seed },
    notes: [
      `${conversations} simulated conversations, ${traffic.length} requests, of which ` +
        `${traffic.filter(({ inToolLoop }) => inToolLoop).length} in tool loops; ${stage.models.length} models of OpenAI, Anthropic and Google.`,
      "Qualities and lengths of answers are those that the shipped profiles expect; the vendors' caches are simulated.",
    ],
  });
}

type Circumstances = Pick<BenchmarkResult, "command" | "environment" | "notes"> & { readonly seed: number };

const resultOf = (figures: Figure[], { seed, notes, ...rest }: Circumstances): BenchmarkResult => ({
  version: RESULT_VERSION,
  suite: "conversations",
  question: "What does keeping the model and the host of a conversation save, and cost in quality?",
  ...{ ...rest, seeds: [seed], datasets: [], figures },
  notes: [
    ...notes,
    `Hosts: ${HOST_CONVERSATIONS} conversations with tools at one named model, ${HOST_SEEDS} seeds; caches, failures, limits and latencies of the hosts are simulated. LiteLLM and OpenRouter are models of their documentation, not their products.`,
  ],
});

async function run(): Promise<void> {
  const argv = process.argv.slice(2);
  if (argv.includes("--help")) {
    console.log(CONVERSATIONS_USAGE);
    return;
  }
  const result = await measure(parseConversationsOptions(argv));
  const path = await writeResult(result);
  console.log(renderMarkdown(result));
  console.error(`Figures written to ${path}`);
}

await run();
