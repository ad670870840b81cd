import type { Deployment } from "../../engine/catalog/deployments/deployment.js";
import { SextantError } from "../../foundation/errors.js";
import type { NativeApi, NativeRequest, Provider } from "../providers/provider.js";
import { type PlannedModel, planOf } from "./planned-models.js";
import type { CompletionsNeed, NativeForm } from "./request.js";

type Providers = ReadonlyMap<string, Pick<Provider, "natives">>;

/** Names of the APIs for error messages. */
const NAMES: Readonly<Record<NativeApi, string>> = {
  responses: "OpenAI's Responses API",
  messages: "Anthropic's Messages API",
};

/**
 * The plan without deployments that lack the provider API that the request needs.
 *
 * @returns at least one model
 * @throws SextantError `invalid_request` when none is left
 */
export function nativePlan(
  plan: readonly PlannedModel[],
  native: NativeForm | undefined,
  providers: Providers,
): readonly PlannedModel[] {
  if (native?.use !== "required") return plan;
  const { api } = native.request;
  const able = planOf(plan, ({ provider }) => providers.get(provider)?.natives.has(api) === true);
  if (able.length > 0) return able;
  const { param, what } = native.need ?? { param: "model", what: "something that no translation can say" };
  throw new SextantError(
    "invalid_request",
    `\`${param}\` asks for ${what}, which only a provider that has ${NAMES[api]} itself can give, and none that serves ` +
      `${JSON.stringify(plan[0]?.name ?? "")} does. Leave it out, or name a model of such a provider.`,
    { param },
  );
}

/** The request to pass on to the provider unchanged; undefined when it is translated. */
export function nativeRequestFor(
  { provider, parameters, api }: Deployment,
  native: NativeForm | undefined,
  providers: Providers,
): NativeRequest | undefined {
  if (native === undefined || providers.get(provider)?.natives.has(native.request.api) !== true)
    return undefined;
  if (native.use === "required") return native.request;
  // Parameters of a deployment are chat's: only the translation can add them.
  const translates = Object.keys(parameters).length > 0;
  return translates || (native.use === "usual" && api !== native.request.api) ? undefined : native.request;
}

/**
 * The plan without deployments that only support chat.
 *
 * @returns at least one model
 * @throws SextantError `invalid_request` when none is left
 */
export function completionsPlan(
  plan: readonly PlannedModel[],
  need: CompletionsNeed | undefined,
): readonly PlannedModel[] {
  if (need === undefined) return plan;
  const able = planOf(plan, ({ api }) => api === "completions");
  if (able.length > 0) return able;
  const { param, what } = need;
  throw new SextantError(
    "invalid_request",
    `\`${param}\` asks for ${what}, which only models with \`api: completions\` can give, and ` +
      `${JSON.stringify(plan[0]?.name ?? "")} can only chat. Leave it out, name such a model, or set its \`api\` in the settings.`,
    { param },
  );
}
