/** Chat models that somebody is known to run today, each under its own id: no other names of one, no variants. */
import type { Catalog } from "./catalog.js";
import { modelEntries } from "./models/models.js";

/** By id. */
export function servedModels(catalog: Pick<Catalog, "isServed">): readonly string[] {
  return [...modelEntries()]
    .filter(([, { api = "chat", snapshot, priced_as }]) => {
      return api === "chat" && snapshot === undefined && priced_as === undefined;
    })
    .map(([id]) => id)
    .filter((id) => catalog.isServed(id))
    .sort();
}
