/** Which providers of a model may answer a request, by what it asks of them and what the operator says of them. */
import type { Deployment } from "../../engine/catalog/deployments/deployment.js";
import type { Price } from "../../engine/catalog/models/price.js";
import { SextantError } from "../../foundation/errors.js";
import type { JsonObject } from "../providers/chat.js";
import {
  HAS_HOSTS_OF_ITS_OWN,
  type HostPreferences,
  type HostSort,
  type ProviderPolicy,
} from "./host-preferences.js";
import type { ModelCatalog } from "./model-catalog.js";
import { type PlannedModel, planOf } from "./planned-models.js";

export interface HostRules {
  /** Why a deployment may not answer, for a message; undefined when it may. */
  refusal(deployment: Deployment): string | undefined;
  /** Place in the order that was asked for; infinite for those that it does not name. */
  place(deployment: Deployment): number;
  /** Whether only the first may answer where there is no order; with one, others are refused. */
  readonly onlyFirst: boolean;
  readonly sort: HostSort | undefined;
  /** For OpenRouter. */
  readonly passedOn: JsonObject;
}

export interface HostRuleSources {
  readonly catalog: Pick<ModelCatalog, "providerId" | "providers">;
  readonly policies: Readonly<Record<string, ProviderPolicy>>;
}

/**
 * The preferences of one request. Names that are none of a configured provider are meant for OpenRouter: it takes the
 * place that they have in `order`, and may answer for them in `only`.
 */
export function hostRules(asked: HostPreferences, { catalog, policies }: HostRuleSources): HostRules {
  const configured = new Set(catalog.providers().flatMap(({ id, enabled }) => (enabled ? [id] : [])));
  const read = (names: HostPreferences["only"]) =>
    (names ?? []).map((name) => {
      const [base = "", region] = name.split("/", 2);
      const id = catalog.providerId(base);
      return id !== undefined && configured.has(id) ? { name, id, region } : { name, id: undefined, region };
    });
  const [order, only, ignore] = [read(asked.order), read(asked.only), read(asked.ignore)];
  const names = ({ id, region }: (typeof order)[number], provider: string) =>
    id === provider && (region === undefined || region === policies[provider]?.region);
  const isMeant = (one: (typeof order)[number], provider: string) =>
    names(one, provider) || (provider === HAS_HOSTS_OF_ITS_OWN && one.id === undefined);
  const placeOf = (provider: string) => order.findIndex((one) => isMeant(one, provider));
  const onlyFirst = asked.allow_fallbacks === false;
  return {
    refusal(deployment) {
      const { provider, price } = deployment;
      if (onlyFirst && order.length > 0 && placeOf(provider) < 0)
        return "`order` does not name it, and `allow_fallbacks` is false";
      if (ignore.some((one) => names(one, provider))) return "`ignore` names it";
      if (only.length > 0 && !only.some((one) => isMeant(one, provider))) return "`only` does not name it";
      if (provider !== HAS_HOSTS_OF_ITS_OWN) {
        const lacking = lackingPolicy(asked, policies[provider]);
        if (lacking !== undefined) return lacking;
      }
      return isWithin(asked.max_price, price)
        ? undefined
        : "it costs more than `max_price`, or its price is not known";
    },
    place({ provider }) {
      const at = placeOf(provider);
      return at < 0 ? Number.POSITIVE_INFINITY : at;
    },
    onlyFirst,
    sort: asked.sort,
    passedOn: passedOn(asked, {
      order: order.filter(({ id }) => id === undefined),
      only: only.filter(({ id }) => id === undefined),
      ignore: ignore.filter(({ id }) => id !== HAS_HOSTS_OF_ITS_OWN),
    }),
  };
}

function lackingPolicy(asked: HostPreferences, policy: ProviderPolicy | undefined): string | undefined {
  if (asked.data_collection === "deny" && policy?.data_collection !== "deny")
    return '`provider_policies` does not set `"data_collection": "deny"` for it';
  if (asked.zdr === true && policy?.zdr !== true) return "`provider_policies` does not set `zdr` for it";
  if ((asked.quantizations ?? []).length > 0) return "its quantization is not known";
  return asked.enforce_distillable_text === true
    ? "whether its text may be distilled is not known"
    : undefined;
}

/** A price is never guessed: an unknown one is not within any. */
function isWithin(most: HostPreferences["max_price"], price: Price | null): boolean {
  const { prompt, completion } = most ?? {};
  if (prompt === undefined && completion === undefined) return true;
  if (price === null) return false;
  const { inputUsdPerMtok: input, outputUsdPerMtok: output } = price;
  return input <= Number(prompt ?? input) && output <= Number(completion ?? output);
}

type ForOpenRouter = Readonly<Record<"order" | "only" | "ignore", readonly { readonly name: string }[]>>;

function passedOn(asked: HostPreferences, lists: ForOpenRouter): JsonObject {
  const passed: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(asked))
    if (value !== null && value !== undefined) passed[field] = value;
  for (const [field, list] of Object.entries(lists)) {
    if (list.length > 0) passed[field] = list.map(({ name }) => name);
    else delete passed[field];
  }
  return passed;
}

/**
 * The plan without providers that may not answer.
 *
 * @returns at least one model
 * @throws SextantError `provider_not_found` when none is left, as OpenRouter answers 404 then
 */
export function allowedPlan(plan: readonly PlannedModel[], rules: HostRules): readonly PlannedModel[] {
  const allowed = planOf(plan, (deployment) => rules.refusal(deployment) === undefined);
  const [first] = plan;
  if (allowed.length > 0 || first === undefined) return allowed;
  const reasons = first.deployments.map((one) => `${one.provider}: ${rules.refusal(one)}`);
  throw new SextantError(
    "provider_not_found",
    `No provider of ${JSON.stringify(first.name.slice(0, 80))} is allowed by \`provider\`. ${reasons.join("; ")}.`,
    { param: "provider" },
  );
}
