/** Decisions of the shipped engine with one provider's key alone; nothing is sent anywhere. */

import { openRouterFromSettings } from "../../src/compose/open-router.js";
import { createCatalog } from "../../src/engine/catalog/catalog.js";
import { resolveProviders } from "../../src/engine/catalog/deployments/provider-entries.js";
import { SextantError } from "../../src/foundation/errors.js";
import { decidable } from "../../src/gateway/run/configured-summary.js";
import { runnableOnly } from "../../src/gateway/run/runnable.js";
import { settingsSchema } from "../../src/gateway/settings/settings.js";
import { COST_WEIGHTS, type KeyCase, PROMPTS } from "./cases.js";

export interface KeyFinding extends KeyCase {
  /** Live models with a profile that the provider serves, the cheapest first. */
  readonly candidates: readonly string[];
  /** Model chosen, by prompt and cost weight; null where nothing could be. */
  readonly choices: readonly (readonly (string | null)[])[];
}

export async function measureKey(keyCase: KeyCase, now: () => number): Promise<KeyFinding> {
  const settings = settingsSchema.parse({});
  const providers = resolveProviders(settings, { [keyCase.variable]: "not a key" });
  const catalog = createCatalog(settings, { at: new Date(now()), providers, now });
  const { router } = await openRouterFromSettings(settings, { catalog });
  try {
    const usdOf = (model: string): number =>
      catalog.lookup(model).price?.outputUsdPerMtok ?? Number.POSITIVE_INFINITY;
    const candidates = [...decidable(router, catalog)].sort(
      (left, right) => usdOf(left) - usdOf(right) || (left < right ? -1 : 1),
    );
    const choose = async (content: string, costWeight: number): Promise<string | null> => {
      const asked = { messages: [{ role: "user" as const, content }], costWeight, ...runnableOnly(catalog) };
      try {
        return (await router.route(asked)).selectedModel;
      } catch (fault) {
        if (fault instanceof SextantError) return null;
        throw fault;
      }
    };
    const choices = await Promise.all(
      PROMPTS.map(({ text }) => Promise.all(COST_WEIGHTS.map((weight) => choose(text, weight)))),
    );
    return { ...keyCase, candidates, choices };
  } finally {
    await router.close();
  }
}
