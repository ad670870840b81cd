/** The models of the catalog file by their ids and other names. */
import { type ModelEntry, ofCatalog } from "../catalog-file.js";

/** By catalog id. */
export const modelEntries: () => ReadonlyMap<string, ModelEntry> = ofCatalog(
  ({ models }) => new Map(Object.entries(models)),
);

/** Canonical spelling: names that differ only in case, dots and dashes are the same. */
export const spelling = (name: string): string => name.toLowerCase().replaceAll(".", "-");

const idsBySpelling = ofCatalog(
  ({ models }) =>
    new Map([
      ...Object.entries(models).flatMap(([id, { aliases = [] }]) =>
        aliases.map((alias) => [spelling(alias), id] as const),
      ),
      ...Object.keys(models).map((id) => [spelling(id), id] as const),
    ]),
);

/** The id of the model with exactly this name, or another spelling of it. */
export function idOfName(name: string): string | undefined {
  return modelEntries().has(name) ? name : idsBySpelling().get(spelling(name));
}

/** A pattern of the catalog file as a regular expression: `*` matches any characters but a slash. Names are compared with dashes for dots. */
export function namePattern(name: string): RegExp {
  const parts = name.toLowerCase().replaceAll(".", "-").split("*");
  return new RegExp(`^${parts.map((part) => part.replaceAll(/[^a-z0-9-]/g, "\\$&")).join("[^/]*")}$`);
}

/**
 * Names of embedding models: with "embed" (`text-embedding-3-small`, `nomic-embed-text`), or of one of the widespread
 * families of open weights.
 */
const EMBEDDING_NAME = /embed|(?:^|[/-])(?:bge|e5|gte|all-minilm|voyage)(?:-|$)/i;

/** Rerankers, which have the same families' names. */
const RERANKER_NAME = /rerank/i;

/** Whether a name is that of an embedding model. */
export const isEmbeddingName = (name: string): boolean =>
  EMBEDDING_NAME.test(name) && !RERANKER_NAME.test(name);
