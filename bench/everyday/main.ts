/**
 * Which models do everyday prompts go to? Writes `docs/everyday.md` and `bench/results/everyday-<date>.json`.
 * `npm run bench -- everyday --help` lists the options.
 */
import { createHash } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { describeEnvironment } from "../environment.js";
import { loadOutcomeSets } from "../evidence/evidence-data.js";
import { figureOf } from "../evidence/figure.js";
import { describeCommand } from "../options.js";
import { renderMarkdown } from "../report/markdown.js";
import { showProgress } from "../report/progress.js";
import { type BenchmarkResult, type Figure, RESULT_VERSION } from "../report/result.js";
import { writeResult } from "../report/result-file.js";
import { COST_WEIGHTS, type GroupRouting, KEY_GROUPS, routeGroup } from "./groups.js";
import { meanCost, renderEverydayPage } from "./page.js";
import { pricesByTier } from "./prices.js";
import { EVERYDAY_PROMPTS, TIERS } from "./prompts.js";
import { easeByTier, type MeasuredAlike, measuredAlike, rankingsAlike } from "./rankings.js";

/** Sets whose models were scored on several topics. */
const MEASURED_OLD_SETS = ["mmlu_pro", "zeroeval"];

const USAGE = `npm run bench -- everyday [options]

  --data DIR   holds routing and routing-current: rankings by measured outcomes
  --out FILE   page to write (default docs/everyday.md)`;

interface EverydayOptions {
  /** Folder of outcomes to compare rankings with; undefined = not compared. */
  readonly data: string | undefined;
  readonly out: string;
  readonly command: string;
}

async function measureEveryday(options: EverydayOptions): Promise<BenchmarkResult> {
  const environment = describeEnvironment(new Date());
  const measured = options.data === undefined ? undefined : await measuredRankings(options.data);
  const bar = showProgress("Routing everyday prompts", KEY_GROUPS.length);
  const groups: GroupRouting[] = [];
  const figures: Figure[] = [];
  try {
    for (const [done, group] of KEY_GROUPS.entries()) {
      bar.update(done);
      const routed = await routeGroup(group);
      groups.push(routed);
      figures.push(...groupFigures(routed), ...priceFigures(routed));
    }
  } finally {
    bar.stop();
  }
  const { out } = options;
  const profileVersion =
    groups.flatMap(({ routings }) => routings).at(0)?.decisions[0]?.profileVersion ?? "none that can be used";
  await mkdir(dirname(out), { recursive: true });
  await writeFile(out, renderEverydayPage({ groups, measured, profileVersion }));
  return {
    version: RESULT_VERSION,
    suite: "everyday",
    question: "Which models do everyday prompts go to?",
    ...{ command: options.command, environment, seeds: [] },
    datasets: [
      {
        name: "everyday prompts",
        sha256: createHash("sha256").update(JSON.stringify(EVERYDAY_PROMPTS)).digest("hex"),
        prompts: EVERYDAY_PROMPTS.length,
        models: new Set(groups.flatMap(candidatesOf)).size,
      },
    ],
    figures: [...figures, ...(measured === undefined ? [] : measuredFigures(measured))],
    notes: groups.flatMap(({ group, fault }) => (fault === undefined ? [] : [`${group.label}: ${fault}`])),
  };
}

async function measuredRankings(data: string): Promise<MeasuredAlike> {
  const { old, current } = await loadOutcomeSets(data);
  return measuredAlike([...old.filter(({ name }) => MEASURED_OLD_SETS.includes(name)), ...current]);
}

const candidatesOf = ({ routings }: GroupRouting): string[] =>
  routings.flatMap(({ decisions }) => decisions[0]?.candidates.map(({ model }) => model) ?? []);

function groupFigures(routed: GroupRouting): Figure[] {
  const { group, routings, fault } = routed;
  const path = (rest: string): string => `everyday/${group.id}/${rest}`;
  const missing = fault ?? "fewer than two candidates";
  const costs = COST_WEIGHTS.flatMap((weight) =>
    TIERS.map((tier) =>
      figureOf({
        id: path(`cost_at_${weight}/${tier}`),
        label: `${group.label}: expected cost of ${tier} prompts at cost weight ${weight}`,
        ...{ unit: "usd", better: "neither", missing },
        value: meanCost(
          routings.filter(({ prompt }) => prompt.tier === tier),
          weight,
        ),
      }),
    ),
  );
  return [
    figureOf({
      ...{ id: path("candidates"), label: `${group.label}: candidates`, unit: "count", better: "higher" },
      ...{ value: new Set(candidatesOf(routed)).size, missing },
    }),
    figureOf({
      ...{
        id: path("rankings_alike"),
        label: `${group.label}: mean Spearman between prompts' rankings of models`,
      },
      ...{ unit: "score", better: "neither", value: rankingsAlike(routings).mean, missing },
    }),
    figureOf({
      ...{
        id: path("ease_by_tier"),
        label: `${group.label}: Spearman of mean expected quality with ease by tier`,
      },
      ...{ unit: "score", better: "higher", value: easeByTier(routings), missing },
    }),
    ...costs,
  ];
}

/** Whether hard prompts go to expensive models and trivial ones to cheap ones. */
function priceFigures(routed: GroupRouting): Figure[] {
  const { group, fault } = routed;
  const { spearman, medians, flagship } = pricesByTier(routed);
  const missing = fault ?? "one model is chosen throughout";
  return [
    figureOf({
      ...{ id: `everyday/${group.id}/price_by_tier`, unit: "score", better: "higher", missing },
      value: spearman,
      label: `${group.label}: Spearman of the choice's list price with the tier`,
    }),
    figureOf({
      ...{ id: `everyday/${group.id}/price_trivial`, unit: "ratio", better: "lower", missing },
      value: medians.trivial / flagship,
      // The price lists of one vendor may not be ten times apart.
      label: `${group.label}: median list price for trivial prompts over the flagship's`,
    }),
  ];
}

function measuredFigures({ withinSets, betweenSets, halves, topics }: MeasuredAlike): Figure[] {
  const shown = {
    unit: "score",
    better: "neither",
    missing: "too few topics with models in common",
  } as const;
  return [
    figureOf({
      ...{ ...shown, id: "everyday/measured/within_sets", value: withinSets },
      label: "measured outcomes: mean Spearman between topics of one set, mean over sets",
      note: `${topics} topics`,
    }),
    figureOf({
      ...{ ...shown, id: "everyday/measured/between_sets", value: betweenSets },
      label: "measured outcomes: mean Spearman between topics of different sets",
    }),
    figureOf({
      ...{ ...shown, id: "everyday/measured/halves", value: halves },
      label: "measured outcomes: mean Spearman between halves of one topic",
    }),
  ];
}

async function run(argv: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      data: { type: "string" },
      out: { type: "string", default: join("docs", "everyday.md") },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return console.log(USAGE);
  const { data, out } = values;
  const result = await measureEveryday({ data, out, command: describeCommand("everyday", argv) });
  const path = await writeResult(result);
  const shown = result.figures.filter(({ id }) => !id.includes("/cost_at_"));
  console.log(renderMarkdown({ ...result, figures: shown }));
  console.error(`The page is ${out}. Figures written to ${path}`);
}

await run(process.argv.slice(2));
