import type { PausesInForce } from "../pauses/pause.js";
import { type Provider, ProviderFault, type ProviderFaultCode } from "../providers/provider.js";
import { PromptTokens } from "./accounting/measured-usage.js";
import { refusalError } from "./attempts/upstream-errors.js";
import type { CountRequest, PromptCount } from "./inference.js";
import type { ModelCatalog } from "./model-catalog.js";
import { nativePlan, nativeRequestFor } from "./planning/native-plan.js";
import { redirected } from "./planning/paused.js";
import { planNamed } from "./planning/plan.js";
import type { RequestContext } from "./request.js";
import type { TokenCounter } from "./token-counting/token-counter.js";

/** Faults of the operator's account, with which counting has nothing to do. */
const ACCOUNT_FAULTS: ReadonlySet<ProviderFaultCode> = new Set(["credentials_refused", "quota_exhausted"]);

type Counted = Pick<PromptCount, "tokens" | "estimated">;

interface CountDependencies {
  readonly catalog: ModelCatalog;
  readonly pauses: PausesInForce;
  readonly providers: ReadonlyMap<string, Provider>;
  readonly counter: TokenCounter;
}

/**
 * Counts a prompt with the API of the first deployment of a named model, where it has one; otherwise, for `auto`, and
 * when the API fails other than by refusing the request, with a tokenizer.
 *
 * @throws SextantError for an unknown model, and for a request that the provider refuses
 */
export async function countPrompt(
  asked: CountRequest,
  { signal }: Pick<RequestContext, "signal">,
  { catalog, pauses, providers, counter }: CountDependencies,
): Promise<Counted> {
  const { choice, body, native, fallbacks } = redirected(asked, { catalog, pauses }).request;
  const estimate = async (model: string): Promise<Counted> => ({
    tokens: await new PromptTokens(body, counter).of(model),
    estimated: true,
  });
  if (choice.type === "routed") return estimate("");
  const deployment = nativePlan(planNamed(choice, fallbacks, catalog), native, providers)[0]?.deployments[0];
  if (deployment === undefined) return estimate(choice.model);
  if (pauses.ofDeployment(deployment) !== undefined) return estimate(deployment.upstreamModel);
  const provider = providers.get(deployment.provider);
  const passedOn = nativeRequestFor(deployment, native, providers);
  if (provider?.countTokens === undefined || passedOn === undefined)
    return estimate(deployment.upstreamModel);
  const { upstreamModel } = deployment;
  try {
    const tokens = await provider.countTokens({ upstreamModel, native: passedOn }, { signal });
    return { tokens, estimated: false };
  } catch (error) {
    if (!(error instanceof ProviderFault)) throw error;
    if (error.retryable || ACCOUNT_FAULTS.has(error.code)) return estimate(upstreamModel);
    throw refusalError(error, deployment, { attempts: [] });
  }
}
