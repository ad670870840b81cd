/** How a request is sent to a deployment: its body there, and what becomes of the answer. */
import type { Deployment } from "../../engine/catalog/deployments/deployment.js";
import type { CancelSignal } from "../../foundation/cancel-signal.js";
import { once } from "../../foundation/once.js";
import type { Clock } from "../../foundation/timers.js";
import type { ChatBody, ChatCompletion, JsonObject } from "../providers/chat.js";
import type { EmbeddingBody } from "../providers/embeddings.js";
import type { EmbeddingReply, NativeRequest, Provider, ProviderFault } from "../providers/provider.js";
import type { TokenUsage } from "../providers/token-usage.js";
import type { Settings } from "../settings/settings.js";
import type { HostRules } from "./allowed-hosts.js";
import {
  type AttemptLimits,
  type AttemptOutcome,
  type AttemptRecord,
  attempt,
  attemptEmbeddings,
  type ChatAnswered,
  type OpenStream,
} from "./attempt.js";
import { withCacheBreakpoint } from "./cache-breakpoints.js";
import { callerEffort, upstreamBody } from "./caller-effort.js";
import { outputLimit, withOutputCap } from "./caps.js";
import type { Admission } from "./health.js";
import { HAS_HOSTS_OF_ITS_OWN } from "./host-preferences.js";
import type { CallKind } from "./measured-limits.js";
import { nativeRequestFor } from "./native-plan.js";
import { effortIn } from "./repairs/efforts.js";
import { type Repair, type Repairs, repairOf } from "./repairs/repairs.js";
import type { InferenceRequest, NativeForm, RequestSpan } from "./request.js";
import type { RequestSize } from "./request-size.js";
import type { WarmAnswer } from "./warm-host.js";

export interface SendingDependencies {
  readonly providers: ReadonlyMap<string, Provider>;
  readonly repairs: Repairs;
  readonly clock: Clock;
  readonly settings: Pick<Settings, "cacheBreakpoints" | "servedModel">;
}

export interface ChatDispatch extends DispatchRequest {
  readonly body: ChatBody;
  readonly effort: InferenceRequest["effort"];
  readonly stream: boolean;
  readonly native?: NativeForm | undefined;
  readonly idempotencyKey?: InferenceRequest["idempotencyKey"];
}

export interface EmbeddingDispatch extends DispatchRequest {
  readonly body: EmbeddingBody;
}

/** The properties of a request that all endpoints share. */
export interface DispatchRequest {
  readonly requestId: string;
  readonly size: RequestSize;
  /** Most US dollars of all calls together; undefined without such a cap. */
  readonly maxUsd?: number | undefined;
  /** Aborted when the client goes away. */
  readonly signal: CancelSignal;
  /** Null or absent unless spans are exported. */
  readonly span?: RequestSpan | null | undefined;
  /** End of the whole request, by `clock`. */
  readonly deadlineMs: number;
  /** Receives attempts as they end, in order, also when this throws. */
  readonly record: AttemptRecord;
  /** What the request asks of providers; absent: nothing. */
  readonly hosts?: HostRules | undefined;
  /** Name of the key that goes first at a provider that has several. */
  readonly key?: string | undefined;
  /** The provider that answered before in the conversation, by the model that a request or decision names. */
  readonly warm?: WarmAnswer | undefined;
}

/** A deployment that answered. Its attempt is the last of the request. */
export type DispatchResult =
  | {
      readonly kind: "completion";
      readonly deployment: Deployment;
      readonly completion: ChatCompletion;
      readonly tokens: TokenUsage | null;
    }
  | {
      readonly kind: "stream";
      readonly deployment: Deployment;
      readonly stream: OpenStream;
      /** To be ended together with the stream. */
      readonly admission: Admission;
    };

/** A deployment that returned embeddings. Its attempt is the last of the request. */
export interface ReachedEmbeddings extends EmbeddingReply {
  readonly deployment: Deployment;
}

/** A call under way. */
export interface Attempted {
  readonly deployment: Deployment;
  readonly admission: Admission;
  readonly startedMs: number;
}

/** How a request is sent to a deployment, and its answer handled. */
export interface Sending<Answered, Result> {
  readonly request: DispatchRequest;
  /** Field of the request with the model's input. */
  readonly promptParam: "messages" | "input";
  /** The effort that a call of the deployment asks for; undefined when it says nothing of it. */
  effortAt(deployment: Deployment): string | undefined;
  /** Absent: how long calls take is not compared. */
  readonly reply?: CallKind["reply"];
  /** Makes one call. Never rejects. */
  send(deployment: Deployment, provider: Provider, limits: AttemptLimits): Promise<AttemptOutcome<Answered>>;
  /** The fields that are changed or left out in the next call, because the deployment refuses them; null when none can be. */
  repair?(deployment: Deployment, fault: ProviderFault): string | null;
  /** Ends the admission of a call that was answered, or passes it on. */
  accept(answered: Answered, tried: Attempted): Result;
}

export function chatSending(
  request: ChatDispatch,
  { providers, clock, repairs, settings }: SendingDependencies,
): Sending<ChatAnswered, DispatchResult> {
  const { body, effort, stream, native, idempotencyKey } = request;
  const tried = new Map<Deployment, readonly Repair[]>();
  const repairsOf = (deployment: Deployment): readonly Repair[] => tried.get(deployment) ?? [];
  /** With what the settings and earlier refusals of the deployment change. */
  function prepared<Body extends JsonObject>(
    asked: Body,
    deployment: Deployment,
    { most, api }: { readonly most: number | undefined; readonly api: NativeRequest["api"] | "chat" },
  ): Body {
    const provider = providers.get(deployment.provider);
    const { promptTokens } = request.size;
    const caching = { deployment, provider, promptTokens };
    const marked = settings.cacheBreakpoints === "off" ? asked : withCacheBreakpoint(asked, caching);
    const known: JsonObject = repairs.applied(marked, deployment);
    const changed = repairsOf(deployment).reduce((whole, { change }) => change.apply(whole), known);
    return withOutputCap(changed as Body, most, api);
  }
  function bodiesFor(deployment: Deployment, most: number | undefined) {
    const asked = nativeRequestFor(deployment, native, providers);
    const own = deployment.provider === HAS_HOSTS_OF_ITS_OWN ? withHosts(body, request) : body;
    const chat = upstreamBody(own, deployment, { effort });
    return {
      body: prepared(chat, deployment, { most, api: "chat" }),
      native: asked && { ...asked, body: prepared(asked.body, deployment, { most, api: asked.api }) },
    };
  }
  function mostTokens(deployment: Deployment, { stages: { maxOutputTokens: most } }: AttemptLimits) {
    const { size, maxUsd = Number.POSITIVE_INFINITY, record } = request;
    if (maxUsd === Number.POSITIVE_INFINITY) return most;
    const affordable = outputLimit(deployment, size, maxUsd - record.spentUsd);
    return affordable === undefined ? most : Math.min(affordable, most ?? affordable);
  }
  const asked = once(() => callerEffort({ body, effort, native }));
  return {
    request,
    promptParam: "messages",
    reply: stream ? "stream" : "whole",
    effortAt: ({ parameters }) => asked() ?? effortIn(parameters),
    send(deployment, provider, limits) {
      const sent = bodiesFor(deployment, mostTokens(deployment, limits));
      return attempt(deployment, provider, {
        body: sent.body,
        native: sent.native,
        stream,
        idempotencyKey,
        servedModel: settings.servedModel,
        limits,
      });
    },
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
    accept(answered, { deployment, admission, startedMs }) {
      for (const repair of repairsOf(deployment)) repairs.keep(repair, deployment);
      if (answered.kind === "completion") {
        const ms = clock() - startedMs;
        const tokens = answered.tokens?.completionTokens;
        admission.succeeded(ms, { counted: tokens === undefined ? undefined : { tokens, totalMs: ms } });
        return { ...answered, deployment };
      }
      admission.answered();
      return { ...answered, deployment, admission };
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
function withHosts(body: ChatBody, { hosts, warm }: Pick<ChatDispatch, "hosts" | "warm">): ChatBody {
  const { passedOn = {}, onlyFirst = false } = hosts ?? {};
  const upstream = warm?.provider === HAS_HOSTS_OF_ITS_OWN ? warm.upstream : undefined;
  if (upstream === undefined || onlyFirst || passedOn.order !== undefined)
    return hosts === undefined ? body : { ...body, provider: passedOn };
  return { ...body, provider: { ...passedOn, order: [upstream] } };
}

export function embeddingSending(
  request: EmbeddingDispatch,
  { clock }: SendingDependencies,
): Sending<EmbeddingReply, ReachedEmbeddings> {
  return {
    request,
    promptParam: "input",
    effortAt: () => undefined,
    send: (deployment, provider, limits) =>
      attemptEmbeddings(deployment, provider, { body: request.body, limits }),
    accept(answered, { deployment, admission, startedMs }) {
      admission.succeeded(clock() - startedMs);
      return { ...answered, deployment };
    },
  };
}
