import { z } from "zod";
import { field } from "../../settings/field.js";

const name = { error: "it must be a letter and up to 63 letters, digits, dots, dashes or underscores" };

/** An entry of `comparisons`. */
export const comparisonSchema = z
  .strictObject({
    name: z.string(name).regex(/^[a-z][\w.-]{0,63}$/i, name),
    with: z.string().min(1),
    share: z.number().gt(0).max(1),
    max_usd_per_day: z.number().gt(0),
    preset: z.string().min(1).optional(),
    key: z.string().min(1).optional(),
    source: z.string().min(1).optional(),
    metadata: z.record(z.string(), z.string()).optional(),
    judges: z.array(z.string().min(1)).min(1).max(8).optional(),
    rubric: z.string().min(1).max(10_000).optional(),
    command: z.string().min(1).optional(),
    outcomes: z.boolean().optional(),
  })
  .refine(({ judges, command }) => (judges === undefined) !== (command === undefined), {
    error: "give either `judges` or `command`",
  });

/** What else answers a share of the requests, to be compared blind. */
export const comparisonsSettings = {
  comparisons: field(
    z
      .array(comparisonSchema)
      .refine((all) => new Set(all.map((one) => one.name)).size === all.length, {
        error: "two comparisons have the same name",
      })
      .default([]),
    "[Answers compared blind](comparisons.md): another model or preset also answers a share of the requests, in the " +
      "background, and a judge compares. Each has a `name`, `with` (a model, or `auto:` and a preset or weight), `share` " +
      "(above 0, at most 1), `max_usd_per_day`, and `judges` (models of other vendors) or `command`; optionally `preset`, " +
      "`key`, `source` and `metadata` that requests must have, `rubric` and `outcomes`.",
    {
      expects:
        "a list of comparisons, each with `name`, `with`, `share`, `max_usd_per_day` and `judges` or `command`",
    },
  ),
};
