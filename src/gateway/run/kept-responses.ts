import { SextantError } from "../../foundation/errors.js";
import type { Clock, Timers } from "../../foundation/timers.js";
import { keptKey, type ResponseMemory, type StoredResponse } from "../conversations/response-memory.js";
import { type KeptCall, type KeptReply, type Provider, ProviderFault } from "../providers/provider.js";
import type { BackgroundRuns } from "./background-runs.js";
import type { AppliedLimits } from "./call-limits.js";
import type { KeptAnswer, KeptEvents } from "./inference.js";
import type { RequestContext } from "./request.js";
import { runEvents } from "./run-events.js";
import { UpstreamCall } from "./upstream-call.js";

export interface KeptResponsesOptions {
  readonly providers: ReadonlyMap<string, Provider>;
  readonly memory: ResponseMemory;
  readonly runs: BackgroundRuns;
  readonly clock: Clock;
  readonly timers: Timers;
  /** `headers` is the longest wait for a reply, and for the first event. */
  readonly limits: AppliedLimits;
  readonly totalTimeoutMs: number;
}

/**
 * Asks the provider that keeps a response for it, or changes it there.
 *
 * @throws SextantError `not_found` for a response that is not kept, or not for this principal; `upstream_rejected`,
 * `upstream_error` as the provider says
 */
export async function askForKept(
  call: KeptCall,
  context: RequestContext,
  options: KeptResponsesOptions,
): Promise<KeptAnswer> {
  const { memory, runs } = options;
  const { key, stored, provider } = await keeperOf(call.id, context, options);
  const upstream = callOf(provider.id, context, options);
  let reply: KeptReply;
  try {
    reply = await provider.kept(call, { signal: upstream.signal });
  } catch (error) {
    throw asked(upstream.cancelled ?? error, call.id, provider.id);
  } finally {
    upstream.end();
  }
  await runs.seen(key, reply);
  if (call.method === "DELETE") {
    const { run: _over, ...rest } = stored;
    memory.keep({ kind: "stored", key, value: { ...rest, deleted: true } });
  }
  return { body: reply.body, provider: provider.id, model: stored.model };
}

/** Asks for the events of a response, from the one on that the query of the call names. @throws as `askForKept` */
export async function followKept(
  call: KeptCall,
  context: RequestContext,
  options: KeptResponsesOptions,
): Promise<KeptEvents> {
  const { key, stored, provider } = await keeperOf(call.id, context, options);
  const upstream = callOf(provider.id, context, options);
  try {
    const batches = await provider.keptEvents(call, { signal: upstream.signal });
    upstream.pause();
    const { limits, runs } = options;
    const events = runEvents({
      id: call.id,
      call: upstream,
      held: [],
      rest: batches[Symbol.asyncIterator](),
      idle: limits.idle,
      signal: context.signal,
      seen: (reply) => runs.seen(key, reply),
    });
    return { batches: events, provider: provider.id, model: stored.model };
  } catch (error) {
    upstream.end();
    const reason = upstream.cancelled ?? error;
    if (reason instanceof ProviderFault && reason.status === 404) throw unknownEvents(call.id);
    throw asked(reason, call.id, provider.id);
  }
}

/** OpenAI says the same of a response that it has: community.openai.com/t/responses-api-reconnect-to-a-streaming-response/1362217 */
const unknownEvents = (id: string): SextantError =>
  new SextantError(
    "not_found",
    `The provider has no events of the response ${JSON.stringify(id.slice(0, 80))}. It keeps those of requests with \`background: true\` and ` +
      "`stream: true`, for a while; without `stream`, the response itself can be read.",
  );

type Keeper = Pick<Provider, "id"> & Required<Pick<Provider, "kept" | "keptEvents">>;

interface Found {
  readonly key: string;
  readonly stored: StoredResponse;
  readonly provider: Keeper;
}

async function keeperOf(
  id: string,
  { principal }: RequestContext,
  { providers, memory }: KeptResponsesOptions,
): Promise<Found> {
  const key = keptKey(principal.id, id);
  const stored = await memory.find("stored", key);
  if (stored === undefined) throw unknownResponse(id);
  const provider = providers.get(stored.provider);
  if (!isKeeper(provider)) {
    throw new SextantError(
      "no_provider_available",
      `The provider ${JSON.stringify(stored.provider)}, which keeps the response, is no longer configured.`,
    );
  }
  return { key, stored, provider };
}

const isKeeper = (provider: Provider | undefined): provider is Provider & Keeper =>
  provider?.kept !== undefined && provider.keptEvents !== undefined;

function callOf(
  provider: string,
  { signal: clientSignal, arrivedMs }: RequestContext,
  { clock, timers, limits, totalTimeoutMs }: KeptResponsesOptions,
): UpstreamCall {
  const upstream = new UpstreamCall(provider, {
    clock,
    timers,
    clientSignal,
    deadlineMs: arrivedMs + totalTimeoutMs,
    limits,
  });
  upstream.allow(limits.headers, "reply");
  return upstream;
}

const unknownResponse = (id: string): SextantError =>
  new SextantError(
    "not_found",
    `There is no response ${JSON.stringify(id.slice(0, 80))} that a provider keeps for this key. Those of requests with \`store: true\` or ` +
      "`background: true` to a model of a provider that has the Responses API are kept.",
  );

function asked(reason: unknown, id: string, provider: string): unknown {
  if (!(reason instanceof ProviderFault)) return reason;
  if (reason.status === 404) return unknownResponse(id);
  const { status, upstreamMessage: said, retryable } = reason;
  const what = `The provider ${provider} could not be asked for the response`;
  const isOurs = retryable || status === null;
  return new SextantError(
    isOurs ? "upstream_error" : "upstream_rejected",
    said === null ? `${what} (${reason.message}).` : `${what}: ${said}`,
    { safeMessage: `${what}.`, cause: reason, ...(isOurs ? {} : { status }) },
  );
}
