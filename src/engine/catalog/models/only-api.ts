/** Models that only one of their provider's endpoints serves, from the catalog file. */
import { catalogData } from "./catalog-data.js";
import { spelling } from "./models.js";
import { namePattern } from "./name-pattern.js";

interface Rule {
  readonly api: "chat" | "responses";
  readonly patterns: readonly RegExp[];
}

let byProvider: ReadonlyMap<string, readonly Rule[]> | undefined;

/** The only endpoint of a provider that serves a model, by the provider's name of it; undefined when all of them do. */
export function onlyApi(provider: string, upstreamModel: string): Rule["api"] | undefined {
  byProvider ??= new Map(
    Object.entries(catalogData().apis).map(([id, rules]) => [
      id,
      rules.map(({ api, models }) => ({ api, patterns: models.map(namePattern) })),
    ]),
  );
  const name = spelling(upstreamModel);
  return byProvider.get(provider)?.find(({ patterns }) => patterns.some((pattern) => pattern.test(name)))
    ?.api;
}
