import { createCatalog } from "../../src/engine/catalog/catalog.js";
import { catalogId } from "../../src/engine/catalog/models/dataset-names.js";
import type { ModelFacts, ModelLookup } from "../../src/engine/router/candidate.js";
import { type GradedCosts, gradedCostsOf } from "../../src/workbench/evaluation/costs.js";
import { checksumOfOutcomes } from "../report/folder-checksum.js";
import type { SetSource } from "./options.js";
import { loadOutcomeRows, type OutcomeRows } from "./outcomes/outcome-rows.js";

/** Date of the list prices, fixed so that figures from recorded tokens are reproducible. */
export const PRICES_AT = new Date("2026-11-01T00:00:00Z");
/** Share of the prompts a model must have been scored on; ROUTING.md's figures for zeroeval take in more models. */
const MIN_COVERAGE: Readonly<Record<string, number>> = { zeroeval: 0.8 };
const DEFAULT_COVERAGE = 0.9;

export interface LoadedSet {
  readonly name: string;
  /** SHA-256 over the files. */
  readonly sha256: string;
  readonly rows: OutcomeRows;
  readonly costs: GradedCosts | null;
  /** Facts for decisions: prices of the models whose cost is computed from them, no others. */
  readonly lookup: ModelLookup;
}

const UNKNOWN: ModelFacts = {
  provider: null,
  price: null,
  contextTokens: null,
  capabilities: { images: null, tools: null },
};

export async function loadSet(source: SetSource): Promise<LoadedSet> {
  const coverage = MIN_COVERAGE[source.name] ?? DEFAULT_COVERAGE;
  const catalog = createCatalog({ providers: [], deployments: [], prices: {} }, { at: PRICES_AT });
  const { name, folder } = source;
  const rows = await loadOutcomeRows(folder, coverage);
  const facts = priceRows(rows, (model) => catalog.lookup(catalogId(model)));
  return { name, sha256: await checksumOfOutcomes(folder), rows, ...facts };
}

function priceRows(rows: OutcomeRows, listed: ModelLookup): Pick<LoadedSet, "costs" | "lookup"> {
  const costs = gradedCostsOf(rows, listed);
  if (costs === null || costs.source === "recorded") return { costs, lookup: () => UNKNOWN };
  const priced = new Set(costs.priced.map((column) => rows.models[column]));
  return {
    costs,
    lookup: (model) => (priced.has(model) ? { ...UNKNOWN, price: listed(model).price } : UNKNOWN),
  };
}
