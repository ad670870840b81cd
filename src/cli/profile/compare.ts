import { snakeCased } from "../../foundation/snake-case.js";
import type { Comparison } from "../../workbench/evaluation/compare.js";
import type { Evaluation } from "../../workbench/evaluation/evaluate.js";
import { compareEvaluations, counted, signedPercent, signedPoints } from "../../workbench/index.js";
import { type OptionsOf, option, writeResult } from "../command.js";
import { type CliContext, CommandFailure, type Output } from "../context.js";
import { costWeight, numberWithin, path } from "../options.js";
import { tableFor } from "../table.js";
import { perThousand } from "./evaluation-text.js";
import { number, profileSubcommand } from "./explained.js";
import { evaluateWay, GRADED_OPTIONS, writeLeftOut } from "./graded-options.js";

const OPTIONS = {
  set: option("<folder>", "first profile set; default: SEXTANT_PROFILES", path),
  withSet: option("<folder>", "second profile set; default: the first", path),
  costWeight: option("<weight>", "first cost weight, 0 to 1", number).default(0),
  withCostWeight: option("<weight>", "second cost weight; default: the first", costWeight),
  embedder: option("<model>", "first embedder, a folder or hub id; default: SEXTANT_EMBEDDER"),
  withEmbedder: option("<model>", "second embedder; default: the first"),
  ...GRADED_OPTIONS,
  show: option(
    "<count>",
    "number of prompts to list that go to different models",
    numberWithin(0, 1e6),
  ).default(10),
};

/** `sextant profile compare`: which prompts go to another model by another set, cost weight or embedder, and what that costs or gains. */
export const compareCommand = profileSubcommand("compare", {
  about: "compare the decisions of two sets, cost weights or embedders prompt by prompt",
  options: OPTIONS,
  help: "Prompts that either set was built with are left out. Differences are the second minus the first.",
  examples: [
    "sextant profile compare --set profiles/old --with-set profiles/new --prompts held-out.jsonl --outcomes graded.jsonl",
    "sextant profile compare --set profiles/new --cost-weight 0.2 --with-cost-weight 0.5 --prompts held-out.jsonl --outcomes graded.jsonl",
  ],
  run: runCompare,
});

async function runCompare(options: OptionsOf<typeof OPTIONS>, context: CliContext): Promise<void> {
  const { set, embedder, costWeight: weight, withSet, withEmbedder, withCostWeight } = options;
  if (withSet === undefined && withEmbedder === undefined && withCostWeight === undefined) {
    throw new CommandFailure(
      "nothing to compare with: name --with-set, --with-cost-weight or --with-embedder",
      2,
    );
  }
  const texts = new Map<string, string>();
  type Way = Parameters<typeof evaluateWay>[0];
  // A further cost weight of the same router needs no second reading, embedding and search.
  const decide = (way: Way, alsoAt: readonly number[] = []) =>
    evaluateWay(way, options, {
      context,
      along: false,
      use: async ({ evaluation, graded, at }): Promise<readonly [Evaluation, ...Evaluation[]]> => {
        for (const { id, text } of graded.prompts) texts.set(id, text);
        return [evaluation, ...alsoAt.map(at)];
      },
    });
  const other = {
    set: withSet ?? set,
    embedder: withEmbedder ?? embedder,
    costWeight: withCostWeight ?? weight,
  };
  const isOneRouter = other.set === set && other.embedder === embedder;
  const [first, same] = await decide(
    { set, embedder, costWeight: weight },
    isOneRouter ? [other.costWeight] : [],
  );
  await writeLeftOut(first, context);
  const second = same ?? (await decide(other))[0];
  const comparison = compareEvaluations(first, second, { seed: options.seed });
  const text = () => comparisonText(comparison, { output: context.stdout, show: options.show, texts });
  await writeResult(snakeCased(comparison), text, { json: options.json, context });
}

interface TextOptions {
  readonly output: Output;
  /** Most prompts to list. */
  readonly show: number;
  /** Of prompts by their ids. */
  readonly texts: ReadonlyMap<string, string>;
}

function comparisonText(
  { prompts, unpaired, quality, cost, changed, moves }: Comparison,
  { output, show, texts }: TextOptions,
): string {
  const costText =
    cost === null
      ? "costs are not known"
      : `cost ${signedPercent(cost.value)} [${signedPercent(cost.low)}, ${signedPercent(cost.high)}]`;
  const parts = [
    `${changed.length} of ${counted(prompts, "prompt")} ${changed.length === 1 ? "goes" : "go"} to another model: quality ${signedPoints(quality.value)} points ` +
      `[${signedPoints(quality.low)}, ${signedPoints(quality.high)}], ${costText}.`,
  ];
  if (unpaired > 0)
    parts.push(
      `${counted(unpaired, "prompt")} ${unpaired === 1 ? "was" : "were"} decided by one of the two only.`,
    );
  if (changed.length === 0) return parts.join("\n");
  parts.push(
    tableFor(output, {
      head: ["from", "to", "prompts", "quality, points", "$ per 1,000 prompts"],
      rows: moves.map((move) => [
        move.from,
        move.to,
        String(move.prompts),
        signedPoints(move.quality),
        dollars(move.costUsd),
      ]),
    }),
  );
  if (show > 0) {
    parts.push(
      tableFor(output, {
        head: ["prompt", "begins with", "from", "to", "quality", "$ per 1,000 prompts"],
        rows: changed
          .slice(0, show)
          .map(({ id, from, to, quality: gained, costUsd }) => [
            id,
            beginningOf(texts.get(id)),
            from,
            to,
            signed(gained),
            dollars(costUsd),
          ]),
      }),
    );
    if (changed.length > show) parts.push(`… and ${changed.length - show} more (--show).`);
  }
  return parts.join("\n\n");
}

const signed = (value: number): string => withSign(value, value.toFixed(2));
const dollars = (value: number | null): string =>
  value === null ? "–" : withSign(value, perThousand(value));
const withSign = (value: number, written: string): string =>
  value > 0 ? `+${written}` : written.replace("-", "−");

const SHOWN_CHARACTERS = 48;

/** The beginning of a prompt, in one line. */
function beginningOf(text = ""): string {
  const line = text
    .slice(0, 4 * SHOWN_CHARACTERS)
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim();
  return line.length > SHOWN_CHARACTERS ? `${line.slice(0, SHOWN_CHARACTERS - 1)}…` : line;
}
