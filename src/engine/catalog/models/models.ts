/** The models of the catalog file by their ids and other names. */
import { catalogData } from "./catalog-data.js";
import type { ModelEntry } from "./model-entry.js";

/** By catalog id. */
export const modelEntries = (): ReadonlyMap<string, ModelEntry> => catalogData().models;

/** Canonical spelling: names that differ only in case, dots and dashes are the same. */
export const spelling = (name: string): string => name.toLowerCase().replaceAll(".", "-");

let idsBySpelling: ReadonlyMap<string, string> | undefined;

/** The id of the model with exactly this name, or another spelling of it. */
export function idOfName(name: string): string | undefined {
  const models = modelEntries();
  if (models.has(name)) return name;
  idsBySpelling ??= new Map([
    ...[...models].flatMap(([id, { aliases = [] }]) =>
      aliases.map((alias) => [spelling(alias), id] as const),
    ),
    ...[...models.keys()].map((id) => [spelling(id), id] as const),
  ]);
  return idsBySpelling.get(spelling(name));
}
