import type { PooledSet } from "./pooled-set.js";

/** Which embedder a measurement was made with, and whether that knew its test prompts. */
export interface SeenBy {
  readonly set: string;
  readonly seed: number;
  readonly embedder: string;
  readonly fingerprint: string;
  readonly test: "no" | "yes" | "unknown";
}

/** Notes on the embedder; the warning comes first, in capitals, because such figures must not be taken for results. */
export function embedderNotes(seen: readonly SeenBy[]): string[] {
  const embedders = [
    ...new Set(seen.map(({ embedder, fingerprint }) => `${embedder} (${fingerprint.slice(0, 12)})`)),
  ];
  const named = `Embedders: ${embedders.join(", ")}.`;
  const where = (test: SeenBy["test"]): string =>
    seen.flatMap((entry) => (entry.test === test ? [`${entry.set}, split ${entry.seed}`] : [])).join("; ");
  const [yes, unknown] = [where("yes"), where("unknown")];
  const warnings = [
    ...(yes === ""
      ? []
      : [
          `NOT FOR REPORTING: the embedder was trained on test prompts of ${yes}. These figures are too good; use an embedder trained on the training part of the same split.`,
        ]),
    ...(unknown === ""
      ? []
      : [
          `NOT FOR REPORTING unless the embedder is known not to have seen the test prompts: its config.json does not say what it was trained on (${unknown}).`,
        ]),
  ];
  return [...warnings, named];
}

/** Notes that are needed to interpret the figures of one set. */
export function setNotes({ name, costs, splits, models, partKind }: PooledSet): string[] {
  const count = (of: (split: (typeof splits)[number]) => number): string => splits.map(of).join(", ");
  const learned = count(({ measurement }) => measurement.trainPrompts);
  const tested = count(({ rows }) => rows.prompts.length);
  const twins = count(({ measurement }) => measurement.nearDuplicates);
  const cost =
    costs === null
      ? "no costs: neither recorded nor to be had from tokens and list prices, so nothing is said of cost"
      : costs.source === "recorded"
        ? `costs as recorded, ${costs.priced.length} models`
        : `costs are ${costs.source === "mixed" ? "as recorded, else " : ""}recorded tokens at list prices, of the ${costs.priced.length} of ${models.length} models that have both`;
  return [
    `${name}: learned from ${learned} prompts, tested on ${tested}, by split; left out of the test as near-duplicates of training prompts: ${twins}. Left-out parts are ${partKind === "category" ? "categories, as there is but one benchmark" : "benchmarks"}. Cost: ${cost}.`,
  ];
}
