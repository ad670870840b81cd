/** Which model each one succeeds, by its name: `gpt-5.1` after `gpt-5`, `claude-opus-5` after `claude-opus-4-8`. */
import type { CatalogFile, ModelEntry } from "../../src/engine/catalog/catalog-file.js";

type Models = CatalogFile["models"];

/**
 * Each model with its predecessor: the last release before it of its maker's line, or what a person reviewed. Another
 * size, a `-pro`, a dated name and the same weights with other settings are no successors.
 */
export function withPredecessors(models: Models, reviewed: Models): Models {
  const byName = Object.entries(models).filter(([id, entry]) => isRelease(id, entry));
  return Object.fromEntries(
    Object.entries(models).map(([id, { predecessor: _, ...entry }]) => {
      const line = lineOf(id, entry);
      const before = byName
        .filter(
          ([other, { released = "" }]) =>
            lineOf(other, models[other]) === line && released < (entry.released ?? ""),
        )
        .sort(([, a], [, b]) => ((a.released ?? "") < (b.released ?? "") ? -1 : 1));
      const derived = isRelease(id, entry) ? before.at(-1)?.[0] : undefined;
      const predecessor = reviewed[id]?.predecessor === undefined ? derived : reviewed[id].predecessor;
      return [id, { ...entry, ...(predecessor === undefined ? {} : { predecessor }) }];
    }),
  );
}

/** A model of its own whose maker, day and version its name and entry say. */
const isRelease = (id: string, { maker, released, snapshot, priced_as }: ModelEntry): boolean =>
  maker !== undefined &&
  released !== undefined &&
  snapshot === undefined &&
  priced_as === undefined &&
  !/\d{4}/.test(id);

/** Its maker, and the name without its version: `claude-opus-4-8` and `claude-opus-5` are of one line, `qwen3-32b` and `qwen3-8b` are not. */
const lineOf = (id: string, entry: ModelEntry | undefined): string =>
  [entry?.maker, ...id.split("-").map((part) => part.replace(/^([a-z]*)\d+(\.\d+)*$/, "$1"))]
    .filter((part) => part !== "")
    .join("-");
