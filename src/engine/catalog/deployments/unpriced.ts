import type { CatalogSettings } from "../entries.js";
import type { Deployment } from "./deployment.js";

/** Most names in the note; the rest is counted. */
const MOST_NAMES = 5;

interface Deployments {
  deployments(name: string): readonly Pick<Deployment, "enabled" | "provider" | "price">[];
}

/** A note that some models of the settings have no price, so that no budget sees what they cost; none when all have one. */
export function unpricedNotes(
  { providers, deployments }: Pick<CatalogSettings, "providers" | "deployments">,
  catalog: Deployments,
): readonly string[] {
  const configured = [
    ...providers.flatMap(({ id, models }) =>
      models.map((model) => ({ name: `${id}/${model.id}`, provider: id })),
    ),
    ...deployments.map(({ name, provider }) => ({ name, provider })),
  ];
  const unpriced = configured.filter((entry) =>
    catalog
      .deployments(entry.name)
      .some(({ enabled, provider, price }) => enabled && provider === entry.provider && price === null),
  );
  if (unpriced.length === 0) return [];
  const names = unpriced.slice(0, MOST_NAMES).map(({ name }) => name);
  if (unpriced.length > MOST_NAMES) names.push(`${unpriced.length - MOST_NAMES} more`);
  return [
    `No price is known for ${names.join(", ")}: unless their provider reports it, their cost is null, and budgets do not see it. ` +
      "Set `price` where the settings list the model.",
  ];
}
