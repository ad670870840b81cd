import type { Deployment } from "../../engine/catalog/deployments/deployment.js";
import { SextantError } from "../../foundation/errors.js";
import { type Clock, shownMs, type Timers } from "../../foundation/timers.js";
import type { ChatBody } from "../providers/chat.js";
import { type Provider, ProviderFault, type ProviderFaultCode } from "../providers/provider.js";
import type { TokenUsage } from "../providers/token-usage.js";
import { costsOf } from "./cost.js";
import type { ModelCatalog } from "./model-catalog.js";
import { repairOf } from "./repairs/repairs.js";

/** How a provider answered a test call. */
export interface ConnectionTest {
  readonly provider: string;
  readonly model: string;
  readonly upstreamModel: string;
  /** `ok`, or what went wrong. */
  readonly code: "ok" | ProviderFaultCode;
  /** HTTP status of the reply; null without one. */
  readonly status: number | null;
  /** The provider's own words, secrets removed; else ours; null when it answered. */
  readonly message: string | null;
  readonly latencyMs: number;
  readonly usage: { readonly promptTokens: number; readonly completionTokens: number } | null;
  /** Dollars; null when the provider counted no tokens or the price is unknown. A refused call is billed by no provider that we know. */
  readonly costUsd: number | null;
}

export interface ConnectionTestRequest {
  /** Id of the provider, or another name for it. */
  readonly provider: string;
  /** Default: the cheapest chat model that the provider serves. */
  readonly model?: string | undefined;
}

/** @throws SextantError `provider_not_found`, `model_not_found`, `no_provider_available`; the signal's reason */
export type TestConnection = (request: ConnectionTestRequest, signal: AbortSignal) => Promise<ConnectionTest>;

interface Configured {
  readonly providers: ReadonlyMap<string, Provider>;
  readonly catalog: Pick<ModelCatalog, "deployments" | "providers" | "providerId" | "runnableModels">;
}

interface ConnectionTestDependencies {
  readonly current: () => Configured;
  readonly clock: Clock;
  readonly timers: Pick<Timers, "after">;
  /** Longest wait for an answer. */
  readonly timeoutMs: number;
}

/** Some models refuse a limit of fewer. */
const ANSWER_TOKENS = 16;
const BODY = { messages: [{ role: "user", content: "Say OK." }], max_tokens: ANSWER_TOKENS };

/**
 * Tests providers by the cheapest call that shows whether a request would work: a question of a few tokens with an answer of 16 at
 * most, since lists of models are public at some providers and show neither whether the key works nor whether the account can pay. It
 * passes no limits, leaves no trace and is not counted by circuit breakers.
 */
export function connectionTests({
  current,
  clock,
  timers,
  timeoutMs,
}: ConnectionTestDependencies): TestConnection {
  return async (request, callerSignal) => {
    const { provider, deployment } = chosen(request, current());
    const { model, upstreamModel, price, parameters } = deployment;
    const timeout = new AbortController();
    const cancel = timers.after(timeoutMs, () => timeout.abort(timedOut(timeoutMs)));
    const signal = AbortSignal.any([callerSignal, timeout.signal]);
    const startedMs = clock();
    const tested = { provider: provider.id, model, upstreamModel };
    const call = { upstreamModel, api: "chat" as const, body: { ...parameters, ...BODY }, stream: false };
    const measured = (usage: TokenUsage | null) => ({
      latencyMs: shownMs(clock() - startedMs),
      usage,
      costUsd: usage === null ? null : costsOf(usage, price).total_cost_usd,
    });
    try {
      const reply = await provider.send(call, { signal }).catch((reason: unknown) => {
        const repair = reason instanceof ProviderFault ? repairOf(reason, call.body) : null;
        if (repair === null) throw reason;
        return provider.send({ ...call, body: repair.change.apply(call.body) as ChatBody }, { signal });
      });
      const usage = reply.kind === "completion" ? reply.usage : null;
      return { ...tested, ...measured(usage), code: "ok", status: 200, message: null };
    } catch (reason) {
      if (!(reason instanceof ProviderFault)) throw reason;
      const { code, status, usage } = reason;
      return {
        ...tested,
        ...measured(usage),
        code,
        status,
        message: reason.upstreamMessage ?? reason.message,
      };
    } finally {
      cancel();
    }
  };
}

const timedOut = (timeoutMs: number): ProviderFault =>
  new ProviderFault("timeout", `it did not answer within ${timeoutMs} ms`);

function chosen(
  { provider: name, model }: ConnectionTestRequest,
  { providers, catalog }: Configured,
): { readonly provider: Provider; readonly deployment: Deployment } {
  const id = catalog.providerId(name);
  const known = catalog.providers().find((one) => one.id === id);
  if (known === undefined) {
    throw new SextantError(
      "provider_not_found",
      `There is no provider ${JSON.stringify(name.slice(0, 80))}. GET /admin/providers lists them.`,
    );
  }
  const provider = providers.get(known.id);
  if (provider === undefined) {
    throw new SextantError(
      "no_provider_available",
      `${known.id} is not configured, so nothing can be sent to it: ${known.remedy}.`,
    );
  }
  const deployment = model === undefined ? cheapest(known.id, catalog) : named(known.id, { model, catalog });
  return { provider, deployment };
}

function cheapest(provider: string, catalog: Configured["catalog"]): Deployment {
  const served = catalog
    .runnableModels()
    .flatMap((model) => catalog.deployments(model))
    .filter((one) => one.provider === provider && one.enabled && chats(one) && one.retired !== true);
  const [first, ...others] = served;
  if (first === undefined) {
    throw new SextantError(
      "model_not_found",
      `No chat model of ${provider} is known by name. Name one in \`model\`, as the provider calls it.`,
      { param: "model" },
    );
  }
  return others.reduce((least, one) => (priceOf(one) < priceOf(least) ? one : least), first);
}

const chats = ({ api }: Deployment): boolean => api === "chat" || api === "responses";

const priceOf = ({ price }: Deployment): number =>
  price === null ? Number.POSITIVE_INFINITY : price.inputUsdPerMtok + price.outputUsdPerMtok;

function named(
  provider: string,
  { model, catalog }: { readonly model: string; readonly catalog: Configured["catalog"] },
): Deployment {
  const found = [model, `${provider}/${model}`]
    .flatMap((name) => catalog.deployments(name))
    .find((one) => one.provider === provider && chats(one));
  if (found !== undefined) return found;
  throw new SextantError(
    "model_not_found",
    `${provider} serves no chat model ${JSON.stringify(model.slice(0, 80))}. GET /admin/providers lists those it serves.`,
    { param: "model" },
  );
}
