import type { Deployment } from "../../engine/catalog/deployments/deployment.js";
import { servesAnother } from "../../engine/index.js";
import { shownMs } from "../../foundation/timers.js";
import type { ChatBody, ChatCompletion, JsonObject } from "../providers/chat.js";
import type { EmbeddingBody } from "../providers/embeddings.js";
import {
  type EmbeddingReply,
  type NativeRequest,
  type Provider,
  ProviderFault,
  type StreamBatches,
  type StreamEvent,
} from "../providers/provider.js";
import type { TokenUsage } from "../providers/token-usage.js";
import type { Settings } from "../settings.js";
import type { Attempt } from "../traces/trace.js";
import type { TimeAllowed } from "./call-limits.js";
import { isCancellation } from "./cancellation.js";
import { HAS_HOSTS_OF_ITS_OWN } from "./host-preferences.js";
import { type CallLimits, UpstreamCall } from "./upstream-call.js";
import { billingOf, callUsage, chatUsageBound, embeddingUsageBound, type UsageBound } from "./usage.js";

export interface ChatAttempt {
  readonly body: ChatBody;
  readonly stream: boolean;
  /** Sent in place of `body`. */
  readonly native: NativeRequest | undefined;
  readonly idempotencyKey?: string | undefined;
  /** What `body` lacks of the request. */
  readonly leftOut: readonly string[];
  /** What is done about a reply that names another model. */
  readonly servedModel: Settings["servedModel"];
}

/** A stream whose first content has arrived. Its holder must `end` the call. */
export interface OpenStream {
  readonly call: UpstreamCall;
  /** Events up to and including the batch of the first content. */
  readonly held: readonly StreamEvent[];
  readonly rest: AsyncIterator<readonly StreamEvent[]>;
  readonly firstContentMs: number;
  /** Longest silence in the rest. */
  readonly idle: TimeAllowed;
}

/** A call that failed after its provider had accepted it, and before it reported its usage. */
export interface UnreportedCall {
  readonly deployment: Deployment;
  readonly attempt: Attempt;
  /** Texts of the answer that had arrived. */
  readonly generated: readonly string[];
}

interface UnansweredCall {
  readonly attempt: Attempt;
  /** Null when the attempt has its usage, or is not known to have used anything. */
  readonly unreported: UnreportedCall | null;
}

/** The result of a chat: a whole answer or a stream. */
export type ChatAnswer =
  | { readonly kind: "completion"; readonly completion: ChatCompletion; readonly tokens: TokenUsage | null }
  | { readonly kind: "stream"; readonly stream: OpenStream };

/** Embeddings. */
export type EmbeddingsAnswer = { readonly kind: "embeddings" } & EmbeddingReply;

export type AttemptOutcome<Answer> =
  | { readonly kind: "answered"; readonly answer: Answer; readonly attempt: Attempt }
  | FailedAttempt;

type FailedAttempt =
  | ({ readonly kind: "failed"; readonly fault: ProviderFault } & UnansweredCall)
  | ({ readonly kind: "abandoned" } & UnansweredCall)
  /** An unexpected error of the gateway, not a fault of a provider. */
  | ({ readonly kind: "broken"; readonly error: unknown } & UnansweredCall);

/** What a provider had reported when its call failed. */
interface ReportedByReply {
  /** Whether it had started to answer. */
  accepted: boolean;
  tokens: TokenUsage | null;
}

interface AttemptOptions<Answer> {
  /** Makes the call, and says what its attempt has of who answered. */
  readonly make: (call: UpstreamCall, reported: ReportedByReply) => Promise<readonly [Answer, Served?]>;
  /** Most that the call can have used. */
  readonly bound: () => UsageBound;
}

/** One upstream call with its time limits. Never rejects: every outcome is an attempt. */
async function attempt<Answer>(
  deployment: Deployment,
  limits: CallLimits,
  { make, bound }: AttemptOptions<Answer>,
): Promise<AttemptOutcome<Answer>> {
  const call = new UpstreamCall(deployment.provider, limits);
  const reported: ReportedByReply = { accepted: false, tokens: null };
  try {
    const [answer, served] = await make(call, reported);
    return { kind: "answered", answer, attempt: { ...succeeded(deployment, call), ...served } };
  } catch (error) {
    const reason = call.cancelled ?? error;
    call.drop();
    return failedAttempt(reason, { deployment, call, bound, reported });
  }
}

interface Callee {
  readonly deployment: Deployment;
  readonly provider: Provider;
  readonly limits: CallLimits;
}

/** A call for an answer. A stream is held back until its first content, so that a fallback remains possible. */
export const attemptChat = (
  { deployment, provider, limits }: Callee,
  asked: ChatAttempt,
): Promise<AttemptOutcome<ChatAnswer>> =>
  attempt<ChatAnswer>(deployment, limits, {
    bound: () => chatUsageBound(deployment, asked),
    async make(call, reported) {
      const { body, stream, native, idempotencyKey, servedModel: rule, leftOut } = asked;
      const { headers, firstContent, firstToken, idle } = limits.limits;
      const firstTokenMs = (stream ? firstToken?.ms : undefined) ?? Number.POSITIVE_INFINITY;
      call.allow(firstToken !== undefined && firstTokenMs < headers.ms ? firstToken : headers, "reply");
      const reply = await provider.send(
        {
          upstreamModel: deployment.upstreamModel,
          // Plans of chats have no deployments that only make embeddings.
          api: deployment.api === "embeddings" ? "chat" : deployment.api,
          chatToo: deployment.chatToo,
          body,
          stream,
          native,
          idempotencyKey,
        },
        { signal: call.signal, headers: limits.headers, seen: limits.key?.seen },
      );
      reported.accepted = true;
      if (reply.kind === "completion") {
        call.end();
        const { kind, completion, usage: tokens } = reply;
        return [{ kind, completion, tokens }, servedOf(deployment, completion, { rule, tokens, leftOut })];
      }
      const leftMs = firstTokenMs - call.elapsedMs;
      if (firstToken !== undefined && leftMs < firstContent.ms)
        call.allow(firstToken, "first content", call.startedMs);
      else call.allow(firstContent, "first content");
      const opened = await openStream(deployment, reply.batches, reported);
      const first = opened.held.find(({ chunk }) => chunk !== null)?.chunk ?? {};
      const served = servedOf(deployment, first, { rule, tokens: reported.tokens, leftOut });
      call.pause();
      return [{ kind: "stream", stream: { call, ...opened, firstContentMs: limits.clock(), idle } }, served];
    },
  });

/** A call for embeddings. */
export const attemptEmbeddings = (
  { deployment, provider, limits }: Callee,
  body: EmbeddingBody,
): Promise<AttemptOutcome<EmbeddingsAnswer>> =>
  attempt<EmbeddingsAnswer>(deployment, limits, {
    bound: () => embeddingUsageBound(deployment, body),
    async make(call) {
      if (provider.embed === undefined) throw noEmbeddings();
      call.allow(limits.limits.headers, "reply");
      const reply = await provider.embed(
        { upstreamModel: deployment.upstreamModel, body },
        { signal: call.signal, headers: limits.headers, seen: limits.key?.seen },
      );
      call.end();
      return [{ kind: "embeddings", ...reply }];
    },
  });

const noEmbeddings = (): ProviderFault =>
  new ProviderFault("request_refused", "its API makes no embeddings", { upstreamParam: "model" });

type Served = Pick<Attempt, "served_model" | "upstream" | "left_out"> | undefined;

interface ServedOptions extends Pick<ChatAttempt, "leftOut"> {
  readonly rule: Settings["servedModel"];
  readonly tokens: TokenUsage | null;
}

/**
 * What an attempt says of who answered, and what: nothing of a model that is the one that was asked for.
 *
 * @throws ProviderFault `wrong_model` where the settings do not let another one answer
 */
function servedOf(
  deployment: Deployment,
  { model, provider: upstream, native }: JsonObject,
  { rule, tokens, leftOut }: ServedOptions,
): Served {
  const host = {
    ...(deployment.provider === HAS_HOSTS_OF_ITS_OWN &&
      typeof upstream === "string" && { upstream: upstream.slice(0, MOST_NAME_CHARACTERS) }),
    ...(native === undefined && leftOut.length > 0 && { left_out: leftOut }),
  };
  if (typeof model !== "string" || model === "" || !servesAnother(deployment, model)) return host;
  const name = model.slice(0, MOST_NAME_CHARACTERS);
  if (rule === "record") return { ...host, served_model: name };
  const message = `${deployment.provider} was asked for ${deployment.upstreamModel} and answered with ${name}.`;
  throw new WrongModel(name, message, tokens);
}

/** The fault, with the name for its attempt. */
class WrongModel extends ProviderFault {
  constructor(
    readonly servedModel: string,
    ...[message, usage]: readonly [string, TokenUsage | null]
  ) {
    super("wrong_model", message, { usage });
  }
}

/** Of a name in a trace that a provider chose. */
const MOST_NAME_CHARACTERS = 200;

async function openStream(
  deployment: Deployment,
  batches: StreamBatches,
  reported: ReportedByReply,
): Promise<Pick<OpenStream, "held" | "rest">> {
  const rest = batches[Symbol.asyncIterator]();
  const held: StreamEvent[] = [];
  for (;;) {
    const next = await rest.next();
    if (next.done === true)
      throw new ProviderFault("invalid_reply", `The stream of ${deployment.provider} had no content.`);
    for (const event of next.value) {
      held.push(event);
      reported.tokens = event.usage ?? reported.tokens;
    }
    if (next.value.some(hasContent)) return { held, rest };
  }
}

/** Faults of a call whose provider was generating. */
const GENERATED_BEFORE: ReadonlySet<string> = new Set(["cut_off", "timeout", "wrong_model"]);

interface FailedCall {
  readonly deployment: Deployment;
  readonly call: UpstreamCall;
  readonly bound: () => UsageBound;
  readonly reported: ReportedByReply;
}

/** The attempt of a call that failed, as of now, with its usage: a failed reply may report it, or have arrived in part. */
function failedAttempt(reason: unknown, { deployment, call, bound, reported }: FailedCall): FailedAttempt {
  const fault = reason instanceof ProviderFault ? reason : null;
  const tokens = fault?.usage ?? reported.tokens;
  const usage = tokens && callUsage(tokens, { price: billingOf(deployment, tokens).price, bound: bound() });
  const attempt: Attempt = {
    ...attemptOf(deployment, call, endingOf(reason)),
    ...(reason instanceof WrongModel && { served_model: reason.servedModel }),
    ...(usage && { usage }),
  };
  // A provider that reports an error of its own before it generated anything bills nothing.
  const stopped = reported.accepted && (fault === null || GENERATED_BEFORE.has(fault.code));
  const partialReply = fault?.partialReply ?? (stopped ? "" : null);
  const isReported = usage !== null || partialReply === null;
  const unreported = isReported ? null : { deployment, attempt, generated: generatedIn(partialReply) };
  const ended = { attempt, unreported };
  if (fault !== null) return { kind: "failed", fault, ...ended };
  return isCancellation(reason)
    ? { kind: "abandoned", ...ended }
    : { kind: "broken", error: reason, ...ended };
}

/** How a call that failed ended, as recorded in its attempt. */
export function endingOf(reason: unknown): Pick<Attempt, "status" | "code" | "message" | "limit"> {
  if (reason instanceof ProviderFault) {
    const { status, code, message, upstreamMessage, limit } = reason;
    return { status, code, message: upstreamMessage ?? message, ...(limit !== null && { limit }) };
  }
  const code = isCancellation(reason) ? reason.code : "internal_error";
  return { status: null, code, message: null };
}

/** Status of a successful reply: all dialects answer with 200. */
const OK_STATUS = 200;

/** A successful attempt, as of now. */
export const succeeded = (deployment: Deployment, call: UpstreamCall): Attempt =>
  attemptOf(deployment, call, { status: OK_STATUS, code: "ok", message: null });

/** The attempt with the given ending, as of now. */
export function attemptOf(
  { provider, model, retirement }: Deployment,
  { elapsedMs, limits: { key, host } }: UpstreamCall,
  { status, code, message, limit }: ReturnType<typeof endingOf>,
): Attempt {
  const attempt = { provider, model, status, code, message, latency_ms: shownMs(elapsedMs) };
  const retiring = retirement?.isNear && { from: retirement.from, successor: retirement.successor };
  if (!key && host === undefined && limit === undefined && !retiring) return attempt;
  return {
    ...attempt,
    ...(key && { key: key.name }),
    ...(host && { host }),
    ...(limit && { limit }),
    ...(retiring && { retirement: retiring }),
  };
}

/**
 * Whether an event has content for the client, after which there is no fallback: text, a refusal, reasoning, a tool
 * call, audio, or a finish reason; not a role alone, empty text or usage. A run in the background has started with its first event.
 */
function hasContent({ chunk, isRunning }: StreamEvent): boolean {
  if (isRunning === true) return true;
  if (chunk === null) return false;
  for (const { finish_reason: finishReason, delta } of chunk.choices) {
    if (typeof finishReason === "string" || saysSomething(delta)) return true;
  }
  return false;
}

/** Any member but the role counts, so that new kinds of content need no change here. */
function saysSomething(delta: JsonObject): boolean {
  for (const member in delta) {
    if (member === "role") continue;
    const value = delta[member];
    if (value === null || value === undefined || value === "") continue;
    if (Array.isArray(value) && value.length === 0) continue;
    return true;
  }
  return false;
}

/** Members of replies, of all dialects, whose strings a model generates. */
const GENERATED =
  /"(?:content|text|refusal|reasoning_content|reasoning|thinking|arguments)"\s*:\s*"((?:[^"\\]|\\.)*)/g;

/** The generated texts in a reply that broke off. */
function generatedIn(partialReply: string): string[] {
  return Array.from(partialReply.matchAll(GENERATED), ([, text = ""]) => text);
}
