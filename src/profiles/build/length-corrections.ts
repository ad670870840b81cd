import type { AnchorSet } from "../../estimation/anchor-set.js";
import { withoutAnchor } from "../../search/anchor-index.js";
import type { LengthKind } from "../model-profile.js";
import { NANO_DOLLARS } from "../model-profile.js";
import { TABLE_PSEUDO_OBSERVATIONS } from "./cluster-tables.js";
import type { ModelOutcomes, OutcomeTable } from "./outcome-table.js";
import type { GatherEvidence } from "./tune.js";

export interface CorrectionOptions {
  readonly table: OutcomeTable;
  /** The kind of length that the loaded set expects. */
  readonly kind: LengthKind;
  /** The router's estimator. */
  readonly gather: GatherEvidence;
}

/**
 * Limit of a correction, which is meant for uneven sampling of neighbours. A larger ratio indicates a model measured on
 * one kind of prompt alone, and does not apply to others.
 */
const LARGEST_CORRECTION = 1.5;

/** Maximum number of evenly spaced anchors in the leave-one-out; lengths vary so much that a tenth would not suffice. */
const MOST_ANCHORS = 8192;

/**
 * Ratio of measured to expected mean of 1 + length, by model, with each anchor left out in turn. Some anchors are near
 * many prompts and others near none, so a mean over neighbours is biased by a few per cent for answers whose length
 * varies with the prompt; the correction removes this bias from the promised spend.
 */
export function lengthCorrections(
  set: AnchorSet,
  { table, kind, gather }: CorrectionOptions,
): Map<string, number> {
  const byModel = new Map(table.models.map((model) => [model.model, model]));
  const measured = set.models.map((model) =>
    denseLengths(byModel.get(model), { kind, anchors: set.index.size }),
  );
  const seen = new Float64Array(set.models.length);
  const expected = new Float64Array(set.models.length);
  const cells = new Float64Array(set.models.length);
  const stride = Math.max(1, set.index.size / MOST_ANCHORS);
  for (let position = 0; position < set.index.size; position += stride) {
    const anchor = Math.floor(position);
    const vector = set.vectorOf(anchor);
    const neighbours = withoutAnchor(set.index.search(vector, set.parameters.neighbours + 1), anchor);
    const { length } = gather(set, vector, neighbours);
    measured.forEach((lengths, model) => {
      const found = lengths[anchor] as number;
      if (Number.isNaN(found)) return;
      seen[model] = (seen[model] as number) + 1 + found;
      expected[model] = (expected[model] as number) + 1 + (length[model] as number);
      cells[model] = (cells[model] as number) + 1;
    });
  }
  return new Map(
    set.models.map((model, column) => {
      const pseudo =
        (TABLE_PSEUDO_OBSERVATIONS * (seen[column] as number)) / Math.max(1, cells[column] as number);
      const ratio = ((seen[column] as number) + pseudo) / ((expected[column] as number) + pseudo);
      return [
        model,
        cells[column] === 0 ? 1 : Math.min(LARGEST_CORRECTION, Math.max(1 / LARGEST_CORRECTION, ratio)),
      ];
    }),
  );
}

/** Length per anchor, NaN = not measured. */
function denseLengths(
  outcomes: ModelOutcomes | undefined,
  { kind, anchors }: { readonly kind: LengthKind; readonly anchors: number },
): Float32Array {
  const dense = new Float32Array(anchors).fill(Number.NaN);
  outcomes?.anchors.forEach((anchor, cell) => {
    const length = kind === "tokens" ? outcomes.tokensOut[cell] : outcomes.costUsd[cell];
    dense[anchor] = (length ?? Number.NaN) * (kind === "cost" ? NANO_DOLLARS : 1);
  });
  return dense;
}
