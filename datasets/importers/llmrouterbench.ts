import { z } from "zod";
import { amountOf, ImportError, type ImportedRow, type Importer, scoreOf } from "../imported-row.js";
import { readJson } from "../sources/read-rows.js";

/** `results/bench/<dataset>/<split>/<model>/<timestamp>.json` */
const RESULT = /(?:^|\/)bench\/([^/]+)\/([^/]+)\/([^/]+)\/([^/]+)\.json$/;

const record = z.object({
  index: z.union([z.number(), z.string()]),
  origin_query: z.string().nullish(),
  prompt: z.string().nullish(),
  score: z.union([z.number(), z.boolean()]).nullish(),
  prompt_tokens: z.number().nullish(),
  completion_tokens: z.number().nullish(),
  cost: z.number().nullish(),
});
const result = z.object({ records: z.array(record) });

/**
 * LLMRouterBench: one JSON file per data set, split and model with `records` of query, score, tokens and dollars. Of
 * several runs of a model the last counts.
 */
export const importLlmRouterBench: Importer = async function* (tree) {
  const latest = new Map<string, string>();
  for (const path of tree.paths) {
    const [, dataset, split, model] = RESULT.exec(path) ?? [];
    // Paths come sorted, and the names are times.
    if (dataset !== undefined) latest.set([dataset, split, model].join("\n"), path);
  }
  if (latest.size === 0) {
    throw new ImportError(
      "There is no bench/<dataset>/<split>/<model>/<time>.json in the source of LLMRouterBench.",
    );
  }
  for (const [key, path] of latest) {
    const [dataset = "", split = "", model = ""] = key.split("\n");
    const parsed = result.safeParse(await readJson(tree, path));
    if (!parsed.success)
      throw new ImportError(`${path} holds no records: ${z.prettifyError(parsed.error).slice(0, 300)}`);
    for (const each of parsed.data.records) {
      const row = rowOf(each, { dataset, split, model });
      if (row !== null) yield row;
    }
  }
};

function rowOf(
  each: z.infer<typeof record>,
  { dataset, split, model }: { readonly dataset: string; readonly split: string; readonly model: string },
): ImportedRow | null {
  const prompt = [each.origin_query, each.prompt].find(
    (text) => typeof text === "string" && text.trim() !== "",
  );
  if (prompt === undefined || prompt === null) return null;
  return {
    id: `${dataset}-${split}-${each.index}`,
    benchmark: dataset,
    category: split,
    prompt,
    model,
    score: scoreOf(each.score),
    tokensIn: amountOf(each.prompt_tokens),
    tokensOut: amountOf(each.completion_tokens),
    // Models that the authors ran themselves have a cost of 0, which is not what they cost.
    costUsd: each.cost === 0 ? null : amountOf(each.cost),
  };
}
