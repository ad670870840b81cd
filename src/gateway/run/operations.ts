/** How a request is sent to a deployment: its body there, and what becomes of the answer. */
import type { Deployment } from "../../engine/catalog/deployments/deployment.js";
import type { ChatBody, JsonObject } from "../providers/chat.js";
import type { EmbeddingBody } from "../providers/embeddings.js";
import type { NativeRequest, Provider, ProviderFault } from "../providers/provider.js";
import type { HostRules } from "./allowed-hosts.js";
import {
  type AttemptOutcome,
  attemptChat,
  attemptEmbeddings,
  type ChatAnswer,
  type EmbeddingsAnswer,
} from "./attempt.js";
import { withCacheBreakpoint } from "./cache-breakpoints.js";
import type { CallKind, ModelLimits } from "./call-limits.js";
import { switchedOff, upstreamBody } from "./caller-effort.js";
import { outputLimit, withOutputCap } from "./caps.js";
import type { InferenceDependencies } from "./dependencies.js";
import type { HealthRegistry } from "./health.js";
import { HAS_HOSTS_OF_ITS_OWN } from "./host-preferences.js";
import { effortIn } from "./repairs/efforts.js";
import { type Repair, type Repairs, repairOf } from "./repairs/repairs.js";
import type { InferenceRequest } from "./request.js";
import { nativeRequestFor, takesFunctionsOnly } from "./request-needs.js";
import type { RequestSize } from "./request-size.js";
import type { Plan, RunningRequest } from "./settle.js";
import type { CallLimits } from "./upstream-call.js";

/** What calls of models take: the embedder is among the providers. */
export interface Calling
  extends Pick<InferenceDependencies, "providers" | "clock" | "timers" | "random" | "settings" | "logger"> {
  readonly health: HealthRegistry;
  readonly limits: ModelLimits;
  readonly repairs: Repairs;
  /** Where a provider's credentials are configured. */
  readonly remedyOf: (provider: string) => string;
}

/** A request while its models are called. */
export interface CalledRequest {
  /** Receives attempts as they end, in order, also when all of them fail. */
  readonly running: RunningRequest;
  readonly plan: Plan;
  readonly size: RequestSize;
  /** What the request asks of providers; absent: nothing. */
  readonly hosts?: HostRules | undefined;
  /** Name of the key that goes first at a provider that has several. */
  readonly key?: string | undefined;
}

/** How a request is sent to a deployment: chat or embeddings. */
export interface Operation<Answer extends ChatAnswer | EmbeddingsAnswer> {
  readonly request: CalledRequest;
  /** Field of the request with the model's input. */
  readonly promptParam: "messages" | "input";
  /** The effort that a call of the deployment asks for; undefined when it says nothing of it. */
  effortAt(deployment: Deployment): string | undefined;
  /** Absent: how long calls take is not compared. */
  readonly reply?: CallKind["reply"];
  /** Makes one call. Never rejects. */
  send(deployment: Deployment, provider: Provider, limits: CallLimits): Promise<AttemptOutcome<Answer>>;
  /** The fields that are changed or left out in the next call, because the deployment refuses them; null when none can be. */
  repair?(deployment: Deployment, fault: ProviderFault): string | null;
  /** What was changed for the deployment made a call succeed. */
  repaired?(deployment: Deployment): void;
}

export function chatOperation(
  request: CalledRequest,
  inference: InferenceRequest,
  { providers, repairs, settings }: Calling,
): Operation<ChatAnswer> {
  const { choice, stream, native, idempotencyKey, effort: asked } = inference;
  // The decision counted on it.
  const effort = asked ?? (choice.type === "routed" ? switchedOff(native) : undefined);
  const tried = new Map<Deployment, readonly Repair[]>();
  const repairsOf = (deployment: Deployment): readonly Repair[] => tried.get(deployment) ?? [];
  /** What is sent, with what the settings and earlier refusals of the deployment change. */
  function bodiesFor(deployment: Deployment, mostTokens: number | undefined) {
    const { promptTokens } = request.size;
    const caching = { deployment, provider: providers.get(deployment.provider), promptTokens };
    const prepared = <Body extends JsonObject>(whole: Body, api: NativeRequest["api"] | "chat"): Body => {
      const marked = settings.cacheBreakpoints === "off" ? whole : withCacheBreakpoint(whole, caching);
      const known: JsonObject = repairs.applied(marked, deployment);
      const changed = repairsOf(deployment).reduce((one, { change }) => change.apply(one), known);
      return withOutputCap(changed as Body, mostTokens, api);
    };
    const passedOn = nativeRequestFor(deployment, native, providers);
    const { functionsOnly } = inference;
    const { body, leftOut = [] } =
      functionsOnly !== undefined && takesFunctionsOnly(deployment, { native: passedOn, providers })
        ? functionsOnly
        : inference;
    const own = deployment.provider === HAS_HOSTS_OF_ITS_OWN ? withHosts(body, request) : body;
    return {
      leftOut,
      body: prepared(upstreamBody(own, deployment, { effort }), "chat"),
      native: passedOn && { ...passedOn, body: prepared(passedOn.body, passedOn.api) },
    };
  }
  function mostTokens(deployment: Deployment, most: number | undefined): number | undefined {
    const { maxUsd = Number.POSITIVE_INFINITY } = request.plan;
    if (maxUsd === Number.POSITIVE_INFINITY) return most;
    const affordable = outputLimit(deployment, request.size, maxUsd - request.running.spentUsd);
    return affordable === undefined ? most : Math.min(affordable, most ?? affordable);
  }
  return {
    request,
    promptParam: "messages",
    reply: stream ? "stream" : "whole",
    effortAt: ({ parameters }) => request.running.recorded.effort ?? effortIn(parameters),
    send: (deployment, provider, limits) =>
      attemptChat(
        { deployment, provider, limits },
        {
          ...bodiesFor(deployment, mostTokens(deployment, limits.limits.maxOutputTokens)),
          stream,
          idempotencyKey,
          servedModel: settings.servedModel,
        },
      ),
    repair(deployment, fault) {
      const sent = bodiesFor(deployment, undefined);
      const version = sent.native?.headers["anthropic-version"];
      const repair = repairOf(fault, sent.native?.body ?? sent.body, version);
      const before = repairsOf(deployment);
      const isTried = before.some(({ change }) => change.key === repair?.change.key);
      if (repair === null || isTried || before.length === MOST_REPAIRS) return null;
      tried.set(deployment, [...before, repair]);
      return repair.fields;
    },
    repaired(deployment) {
      for (const repair of repairsOf(deployment)) repairs.keep(repair, deployment);
    },
  };
}

/** Of one request at one deployment: vendors name one field at a time. */
const MOST_REPAIRS = 4;

/**
 * The body for OpenRouter, whose `provider` says which of its hosts may answer: the caller's preferences, and the host
 * that has the conversation in its cache first. It takes the names that its replies have:
 * https://openrouter.ai/docs/sdks/typescript/models/providername, and its own stickiness gives way to an order:
 * https://openrouter.ai/docs/guides/best-practices/prompt-caching (as indexed on 2026-11-26).
 */
function withHosts(body: ChatBody, { hosts, plan: { warm } }: CalledRequest): ChatBody {
  const { passedOn = {}, onlyFirst = false } = hosts ?? {};
  const upstream = warm?.provider === HAS_HOSTS_OF_ITS_OWN ? warm.upstream : undefined;
  if (upstream === undefined || onlyFirst || passedOn.order !== undefined)
    return hosts === undefined ? body : { ...body, provider: passedOn };
  return { ...body, provider: { ...passedOn, order: [upstream] } };
}

export const embeddingOperation = (
  request: CalledRequest,
  body: EmbeddingBody,
): Operation<EmbeddingsAnswer> => ({
  request,
  promptParam: "input",
  effortAt: () => undefined,
  send: (deployment, provider, limits) => attemptEmbeddings({ deployment, provider, limits }, body),
});
