/**
 * Maps names of models in public outcome sets and score tables to catalog ids. The names are reviewed data, in
 * `catalog/dataset-names.json`.
 *
 * Same weights and same vendor snapshot = same id. A base model differs from its instruct version, a snapshot from an
 * alias that changes over time, and a variant with more thinking from the plain model: these have ids of their own. An
 * alias that was scored before it changed (`deepseek-chat` and `command-r` in the middle of 2024) has the id of the
 * model at that time.
 */
import { z } from "zod";
import { readCatalogFile } from "../catalog-file.js";
import { idOfName, spelling } from "./models.js";
import { effortVariant } from "./reasoning.js";

const table = z.record(z.string(), z.string()).readonly();

const fileSchema = z.strictObject({
  /** Outcome set → name in its `model` column → id. */
  sets: z.record(z.string(), table).readonly(),
  /** Name, or `name:effort`, in tables with an effort column → id. */
  names: table,
  /** Source names that are more specific than the derived name → id. */
  sourceNames: table,
});

interface Names {
  readonly bySet: ReadonlyMap<string, string>;
  readonly byName: ReadonlyMap<string, string>;
  readonly bySourceName: ReadonlyMap<string, string>;
  /** Ids by their spelling with dashes for dots. */
  readonly ids: ReadonlyMap<string, string>;
}

let loaded: Names | undefined;

/** Read at the first use: only builds of profiles and benchmarks need it. */
function reviewedNames(): Names {
  loaded ??= load();
  return loaded;
}

function load(): Names {
  const { sets, names, sourceNames } = fileSchema.parse(readCatalogFile("dataset-names.json"));
  const bySet = new Map(Object.values(sets).flatMap((names) => Object.entries(names)));
  const ids = [...bySet.values(), ...Object.values(names), ...Object.values(sourceNames)];
  return {
    bySet,
    byName: new Map(Object.entries(names).map(([name, id]) => [spelling(name), id])),
    bySourceName: new Map(Object.entries(sourceNames)),
    ids: new Map(ids.map((id) => [spelling(id), id])),
  };
}

/** Every reviewed name of the sets that have no column of efforts → catalog id. */
export const datasetNames = (): ReadonlyMap<string, string> => reviewedNames().bySet;

export interface SourceName {
  /** The name that the source itself used, where the set has it (`model_source`, `model_raw`). */
  readonly sourceName?: string | undefined;
}

/**
 * The catalog id of a model as named in an outcome set or score table; unknown names are returned unchanged.
 *
 * @param effort its effort, from tables with such a column; undefined without one. The default effort of the API has
 * the plain id, whatever the table calls it: `none` where the model does not think by default, `thinking` where it
 * does, `medium` where that is the default
 */
export function catalogId(
  originalName: string,
  effort?: string | null,
  { sourceName }: SourceName = {},
): string {
  const { bySet, bySourceName } = reviewedNames();
  if (effort === undefined) return bySet.get(originalName) ?? unmarkedId(originalName);
  const bySource = sourceName === undefined ? undefined : bySourceName.get(sourceName);
  return bySource ?? variantId(originalName, effort ?? "");
}

/** For a table without efforts: an id is itself, and an unknown name is unchanged, including capitals and slashes. */
function unmarkedId(name: string): string {
  const bare = bareName(name);
  const same = reviewedNames().ids.get(spelling(bare)) ?? idOfName(bare);
  if (same !== undefined) return same;
  const id = variantId(name, "");
  return id === bare ? name : id;
}

/** Efforts of the columns → those of catalog ids; others are unchanged. */
const EFFORT_WORDS: Readonly<Record<string, string>> = {
  "": "",
  default: "",
  "default reasoning": "",
  reasoning: "thinking",
  adaptive: "max",
};

function effortOf(text: string): string {
  const words = text
    .toLowerCase()
    .split("+")
    .map((word) => EFFORT_WORDS[word.trim()] ?? word.trim());
  // `high+thinking` is thinking with high effort; `none+thinking` is a thinking model with thinking switched off.
  return words.find((word) => word !== "" && word !== "thinking") ?? words.find((word) => word !== "") ?? "";
}

function variantId(originalName: string, effortText: string): string {
  const { byName } = reviewedNames();
  const name = bareName(originalName);
  const effort = effortOf(effortText);
  const whole = effort === "" ? undefined : byName.get(spelling(`${name}:${effort}`));
  if (whole !== undefined) return whole;
  const id = plainId(name);
  return effort === "" || id.includes(":") ? id : effortVariant(id, effort);
}

/** `MistralAI/Foo-1.5:free` → `foo-1.5`. */
const bareName = (name: string): string =>
  name
    .trim()
    .toLowerCase()
    .replace(/^.*(__|\/)/, "")
    .replace(/:free$/, "");

const DATE = /[-@](\d{8}|\d{4}-\d{2}-\d{2})$/;

function plainId(name: string): string {
  const { byName, ids } = reviewedNames();
  const found = byName.get(spelling(name)) ?? ids.get(spelling(name)) ?? idOfName(name);
  if (found !== undefined) return found;
  const undated = name.replace(DATE, "");
  return undated === name ? name : plainId(undated);
}
