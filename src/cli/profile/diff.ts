import { resolve } from "node:path";
import { Command } from "commander";
import { loadProfileSets } from "../../profiles/load.js";
import { points } from "../../workbench/evaluation/gate.js";
import { type CliContext, CommandFailure, type Output, writeLine } from "../context.js";
import { tableFor } from "../table.js";
import { explained } from "./explained.js";
import { type ProfileSetReport, reportProfileSet } from "./inspect.js";

/** What one set holds and the other does not. */
interface SetDifference {
  readonly first: SetIdentity;
  readonly second: SetIdentity;
  readonly sources: { readonly added: readonly string[]; readonly removed: readonly string[] };
  /** By how much expected quality changed, the largest changes first; models that are the same are left out. */
  readonly models: readonly ModelDifference[];
  readonly unchanged: number;
}

type SetIdentity = Pick<ProfileSetReport, "name" | "version" | "built_at" | "anchors" | "embedder">;

interface ModelDifference {
  readonly model: string;
  readonly change: "added" | "removed" | "changed";
  readonly expected_quality: readonly [number | null, number | null];
  readonly samples: readonly [number | null, number | null];
}

interface DiffOptions {
  readonly json?: true;
}

/** `sextant profile diff`: what changed from one set to another, without prompts. */
export function diffCommand(context: CliContext): Command {
  return new Command("diff")
    .description("say which models and sources two profile sets differ in")
    .argument("<first>", "profile set")
    .argument("<second>", "profile set")
    .option("--json", "print JSON instead of a table")
    .action((first: string, second: string, options: DiffOptions) =>
      explained(context, async () => {
        const [before, after] = [await readReport(first, context), await readReport(second, context)];
        const difference = differenceOf(before, after);
        await writeLine(
          context.stdout,
          options.json ? JSON.stringify(difference, null, 2) : differenceText(difference, context.stdout),
        );
      }),
    );
}

async function readReport(folder: string, { workingDirectory }: CliContext): Promise<ProfileSetReport> {
  const path = resolve(workingDirectory, folder);
  const [set, ...more] = await loadProfileSets(path, { hasPrice: () => false, index: "exact" });
  if (set === undefined || more.length > 0) {
    throw new CommandFailure(
      `${folder} holds ${more.length + 1} profile sets; name one of its sub-folders`,
      2,
    );
  }
  return reportProfileSet(set);
}

function differenceOf(first: ProfileSetReport, second: ProfileSetReport): SetDifference {
  const before = new Map(first.models.map((model) => [model.model, model]));
  const after = new Map(second.models.map((model) => [model.model, model]));
  const names = [...new Set([...before.keys(), ...after.keys()])];
  const all = names.map((model): ModelDifference & { readonly isSame: boolean } => {
    const [old, now] = [before.get(model), after.get(model)];
    const isSame = JSON.stringify(old) === JSON.stringify(now);
    return {
      ...{ model, isSame, change: old === undefined ? "added" : now === undefined ? "removed" : "changed" },
      expected_quality: [old?.expected_quality ?? null, now?.expected_quality ?? null],
      samples: [old?.samples ?? null, now?.samples ?? null],
    };
  });
  const models = all.filter(({ isSame }) => !isSame).map(({ isSame: _, ...model }) => model);
  const [oldSources, newSources] = [first, second].map(({ sources }) => sources.map(({ name }) => name));
  return {
    first: identityOf(first),
    second: identityOf(second),
    sources: {
      added: (newSources ?? []).filter((name) => !oldSources?.includes(name)),
      removed: (oldSources ?? []).filter((name) => !newSources?.includes(name)),
    },
    models: models.sort((a, b) => sizeOf(b) - sizeOf(a) || (a.model < b.model ? -1 : 1)),
    unchanged: all.length - models.length,
  };
}

const identityOf = ({ name, version, built_at, anchors, embedder }: ProfileSetReport): SetIdentity => ({
  ...{ name, version, built_at, anchors, embedder },
});

/** Models that came or went are first. */
const sizeOf = ({ expected_quality: [before, after] }: ModelDifference): number =>
  before === null || after === null ? Number.POSITIVE_INFINITY : Math.abs(after - before);

function differenceText(
  { first, second, sources, models, unchanged }: SetDifference,
  output: Output,
): string {
  const isSameEmbedder = first.embedder.fingerprint === second.embedder.fingerprint;
  const counts = (["added", "removed", "changed"] as const).map(
    (change) => `${models.filter((model) => model.change === change).length} ${change}`,
  );
  const lines = [
    `${first.name}@${first.version}, built ${first.built_at} → ${second.name}@${second.version}, built ${second.built_at}`,
    `embedder: ${isSameEmbedder ? `the same, ${first.embedder.id}` : `${first.embedder.id} → ${second.embedder.id}`}`,
    `anchors: ${first.anchors} → ${second.anchors}`,
    ...(sources.added.length > 0 ? [`sources added: ${sources.added.join(", ")}`] : []),
    ...(sources.removed.length > 0 ? [`sources removed: ${sources.removed.join(", ")}`] : []),
    `models: ${counts.join(", ")}, ${unchanged} the same`,
  ];
  if (models.length === 0) return lines.join("\n");
  const table = tableFor(output, {
    head: ["model", "change", "expected quality", "points", "samples"],
    rows: models.map(({ model, change, expected_quality: [before, after], samples }) => [
      ...[model, change, arrow([before, after].map((quality) => quality?.toFixed(3) ?? "–"))],
      before === null || after === null ? "–" : points(after - before),
      arrow(samples.map((count) => (count === null ? "–" : String(count)))),
    ]),
  });
  return `${lines.join("\n")}\n\n${table}`;
}

const arrow = ([before = "", after = ""]: readonly string[]): string =>
  before === after ? before : `${before} → ${after}`;
