import { snakeCased } from "../../foundation/snake-case.js";
import type { SetDifference } from "../../workbench/evaluation/set-difference.js";
import { signedPoints } from "../../workbench/index.js";
import { diffSets } from "../../workbench.js";
import { JSON_OPTION, writeResult } from "../command.js";
import type { Output } from "../context.js";
import { path } from "../options.js";
import { tableFor } from "../table.js";
import { profileSubcommand } from "./explained.js";

/** `sextant profile diff`: what changed from one set to another, without prompts. */
export const diffCommand = profileSubcommand("diff", {
  about: "list the models and sources in which two profile sets differ",
  operands: [
    { name: "<first>", about: "profile set" },
    { name: "<second>", about: "profile set" },
  ],
  options: JSON_OPTION,
  async run({ json }, context, first, second) {
    const difference = await diffSets(path(first, context), path(second, context));
    const text = () => differenceText(difference, context.stdout);
    await writeResult(snakeCased(difference), text, { json, context });
  },
});

function differenceText(
  { first, second, sources, models, unchanged }: SetDifference,
  output: Output,
): string {
  const isSameEmbedder = first.embedder.fingerprint === second.embedder.fingerprint;
  const counts = (["added", "removed", "changed"] as const).map(
    (change) => `${models.filter((model) => model.change === change).length} ${change}`,
  );
  const lines = [
    `${first.name}@${first.version}, built ${first.builtAt} → ${second.name}@${second.version}, built ${second.builtAt}`,
    `embedder: ${isSameEmbedder ? `the same, ${first.embedder.id}` : `${first.embedder.id} → ${second.embedder.id}`}`,
    `anchors: ${first.anchors} → ${second.anchors}`,
    ...(sources.added.length > 0 ? [`sources added: ${sources.added.join(", ")}`] : []),
    ...(sources.removed.length > 0 ? [`sources removed: ${sources.removed.join(", ")}`] : []),
    `models: ${counts.join(", ")}, ${unchanged} the same`,
  ];
  if (models.length === 0) return lines.join("\n");
  const table = tableFor(output, {
    head: ["model", "change", "expected quality", "points", "samples"],
    rows: models.map(({ model, change, expectedQuality: [before, after], samples }) => [
      model,
      change,
      arrow([before, after].map((quality) => quality?.toFixed(3) ?? "–")),
      before === null || after === null ? "–" : signedPoints(after - before),
      arrow(samples.map((count) => (count === null ? "–" : String(count)))),
    ]),
  });
  return `${lines.join("\n")}\n\n${table}`;
}

const arrow = ([before = "", after = ""]: readonly string[]): string =>
  before === after ? before : `${before} → ${after}`;
