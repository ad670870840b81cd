/** What answers at an effort cost, from the tables that have it. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { effortDialOf } from "../../src/engine/catalog/effort-dial.js";
import { catalogId } from "../../src/engine/catalog/models/dataset-names.js";
import type { ModelLookup } from "../../src/engine/router/candidate.js";
import { readParquetRows } from "../../src/workbench/outcomes/parquet.js";
import type { SparseCell, SparseSet } from "../evidence/sparse-set.js";

/** Sets in which a model answered at several efforts. */
export const EFFORT_SETS = [
  "trick_questions",

  "bullshit_v1",
  "pm_hallucination",
] as const;

/** Where the dollars of a set are from. */
export const COST_SOURCES: Readonly<Record<(typeof EFFORT_SETS)[number], string>> = {
  trick_questions: "dollars recorded for every answer (lengths/trick_question_bench)",
  bullshit_v1: "the mean dollars of each effort (lengths/bullshit_benchmark)",
  pm_hallucination:
    "MODELLED dollars: recorded visible tokens and the hidden tokens that the level of effort lets expect, at list prices",
};

/** The set with the cost of every answer at an effort, where it is known. */
export async function withEffortCosts(
  set: SparseSet,
  { data, lookup }: { readonly data: string; readonly lookup: ModelLookup },
): Promise<SparseSet> {
  const costOf = await costsOf(set, { lengths: join(data, "lengths"), lookup });
  return { ...set, cells: set.cells.map((cell) => ({ ...cell, costUsd: cell.costUsd ?? costOf(cell) })) };
}

type CostOf = (cell: SparseCell) => number | null;

async function costsOf(
  { name, prompts }: SparseSet,
  { lengths, lookup }: { readonly lengths: string; readonly lookup: ModelLookup },
): Promise<CostOf> {
  if (name === "trick_questions") {
    const costs = new Map<string, number>();
    const file = join(lengths, "trick_question_bench", "responses.parquet");
    const columns = ["model", "effort", "prompt_id", "cost_usd"];
    for await (const { values } of readParquetRows(file, { columns })) {
      const { model, effort, prompt_id: prompt, cost_usd: cost } = values;
      if (typeof cost !== "number") continue;
      costs.set(`trick/${prompt} ${catalogId(String(model), String(effort ?? ""))}`, cost);
    }
    return ({ prompt, model }) => costs.get(`${prompts[prompt]?.id} ${model}`) ?? null;
  }
  if (name === "bullshit_v1") {
    const costs = await meanCosts(join(lengths, "bullshit_benchmark", "model_effort.csv"));
    return ({ model }) => costs.get(model) ?? null;
  }
  if (name === "pm_hallucination") return (cell) => modelledCost(cell, lookup);
  return () => null;
}

/** Of the lines of the first version of the benchmark. Fields before the dollars have no commas. */
async function meanCosts(file: string): Promise<ReadonlyMap<string, number>> {
  const [head = "", ...lines] = (await readFile(file, "utf8")).trim().split("\n");
  const columns = head.split(",");
  const costs = new Map<string, number>();
  for (const line of lines) {
    const fields = line.split(",");
    const field = (name: string): string => fields[columns.indexOf(name)] ?? "";
    const cost = Number(field("cost_usd"));
    if (field("set") === "bullshit_v1" && cost > 0)
      costs.set(catalogId(field("model"), field("effort")), cost);
  }
  return costs;
}

/** Null for a model without a price or without a choice of efforts. */
function modelledCost({ model, tokensOut }: SparseCell, lookup: ModelLookup): number | null {
  const base = model.split(":")[0] as string;
  const variant = effortDialOf(base)?.variants.find((one) => one.model === model);
  const { price } = lookup(base);
  if (variant === undefined || price === null || tokensOut === null) return null;
  return ((tokensOut + variant.hiddenTokens) * price.outputUsdPerMtok) / 1e6;
}
