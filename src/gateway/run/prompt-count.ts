import { keysOf } from "../providers/keys/keyed-provider.js";
import { ProviderFault } from "../providers/provider.js";
import { withoutAutoEffort } from "./auto-effort.js";
import { PromptTokens } from "./counted-tokens.js";
import type { InferenceDependencies } from "./dependencies.js";
import type { HealthRegistry } from "./health.js";
import type { CountRequest, PromptCount } from "./inference.js";
import { redirected } from "./paused.js";
import { planNamed } from "./planned-models.js";
import type { RequestContext } from "./request.js";
import { nativePlan, nativeRequestFor } from "./request-needs.js";
import { refusalError } from "./upstream-errors.js";

type Counted = Pick<PromptCount, "tokens" | "estimated">;

interface CountDependencies
  extends Pick<InferenceDependencies, "catalog" | "pauses" | "providers" | "counter"> {
  readonly health: HealthRegistry;
}

/**
 * Counts a prompt with the API of the first deployment of a named model that has one and does not rest, or of the next when it
 * fails other than by refusing the request; otherwise, and for `auto`, with a tokenizer.
 *
 * @throws SextantError for an unknown model, and for a request that the provider refuses
 */
export async function countPrompt(
  asked: CountRequest,
  { signal }: Pick<RequestContext, "signal">,
  { catalog, pauses, providers, counter, health }: CountDependencies,
): Promise<Counted> {
  const { choice, body, native, fallbacks } = withoutAutoEffort(
    redirected(asked, { catalog, pauses }).request,
  );
  const estimate = async (model: string): Promise<Counted> => ({
    tokens: await new PromptTokens(body, counter).of(model),
    estimated: true,
  });
  if (choice.type === "routed") return estimate("");
  const models = planNamed(choice, fallbacks, { catalog });
  const [planned] = native?.use === "required" ? nativePlan(models, native, providers) : models;
  for (const deployment of planned?.deployments ?? []) {
    const { upstreamModel } = deployment;
    const provider = providers.get(deployment.provider);
    const passedOn = nativeRequestFor(deployment, native, providers);
    if (provider?.countTokens === undefined || passedOn === undefined) continue;
    if (pauses.ofDeployment(deployment) !== undefined || health.of(deployment).isOpen()) continue;
    try {
      const tokens = await provider.countTokens({ upstreamModel, native: passedOn }, { signal });
      return { tokens, estimated: false };
    } catch (error) {
      if (!(error instanceof ProviderFault)) throw error;
      if (!error.retryable) throw refusalError(error, deployment, { promptParam: "messages" });
      if (error.rests === "account" && keysOf(provider) === undefined)
        health
          .of(deployment)
          .admit({ needs: { tokens: 0, model: upstreamModel } })
          ?.failed(error);
    }
  }
  return estimate(planned?.deployments[0]?.upstreamModel ?? choice.model);
}
