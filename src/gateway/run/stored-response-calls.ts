import { SextantError } from "../../foundation/errors.js";
import { keptKey, type StoredResponse } from "../conversations/stored-responses.js";
import type { ChatChunk, JsonObject } from "../providers/chat.js";
import { type KeptCall, type Provider, ProviderFault, type StreamBatches } from "../providers/provider.js";
import type { AppliedLimits, TimeAllowed } from "./call-limits.js";
import type { InferenceDependencies } from "./dependencies.js";
import type { KeptAnswer, KeptEvents } from "./inference.js";
import type { RequestContext } from "./request.js";
import { UpstreamCall } from "./upstream-call.js";

export interface KeptResponsesOptions
  extends Pick<InferenceDependencies, "providers" | "responses" | "clock" | "timers" | "settings"> {
  /** `headers` is the longest wait for a reply, and for the first event. */
  readonly limits: AppliedLimits;
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
  const { key, stored, provider } = await keeperOf(call.id, context, options);
  const upstream = callOf(provider.id, context, options);
  let body: JsonObject;
  try {
    body = await provider.kept(call, { signal: upstream.signal });
  } catch (error) {
    throw asked(upstream.cancelled ?? error, call.id, provider.id);
  } finally {
    upstream.end();
  }
  if (call.method === "DELETE") options.responses.forget(key);
  return { body, provider: provider.id, model: stored.model };
}

/** Asks for the events of a response, from the one on that the query of the call names. @throws as `askForKept` */
export async function followKept(
  call: KeptCall,
  context: RequestContext,
  options: KeptResponsesOptions,
): Promise<KeptEvents> {
  const { stored, provider } = await keeperOf(call.id, context, options);
  const upstream = callOf(provider.id, context, options);
  try {
    const batches = await provider.keptEvents(call, { signal: upstream.signal });
    upstream.pause();
    const { idle } = options.limits;
    return {
      batches: chunksOf(batches, { id: call.id, upstream, idle }),
      provider: provider.id,
      model: stored.model,
    };
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

interface Followed {
  readonly id: string;
  readonly upstream: UpstreamCall;
  /** Longest silence between two events. */
  readonly idle: TimeAllowed;
}

/**
 * The chunks of the events of a run, which goes on when its reader stops.
 *
 * @throws SextantError when they break off: it says how the rest can be had. ClientDisconnected
 */
async function* chunksOf(
  batches: StreamBatches,
  { id, upstream, idle }: Followed,
): AsyncGenerator<readonly ChatChunk[]> {
  let last: unknown;
  try {
    upstream.allow(idle, "more of its events");
    for await (const events of batches) {
      upstream.pause();
      const chunks = events.flatMap(({ chunk }) => (chunk === null ? [] : [chunk]));
      last = chunks.at(-1)?.native?.sequence_number ?? last;
      yield chunks;
      upstream.allow(idle, "more of its events");
    }
  } catch (reason) {
    throw brokenOff(upstream.cancelled ?? reason, { id, last });
  } finally {
    upstream.drop();
  }
}

/** A run in the background, as far as its events have been read. */
export interface FollowedRun {
  readonly id: string;
  /** `sequence_number` of its last event; not a number when the provider numbers none. */
  readonly last: unknown;
}

/** Why no more events of a run come, and how the rest can be had; what is neither a fault nor an error stays. */
export function brokenOff(reason: unknown, { id, last }: FollowedRun): unknown {
  if (!(reason instanceof ProviderFault || reason instanceof SextantError)) return reason;
  const from = typeof last === "number" ? `&starting_after=${last}` : "";
  const ofFault = reason.code === "timeout" ? "upstream_timeout" : "upstream_error";
  return new SextantError(
    reason instanceof SextantError ? reason.code : ofFault,
    `The events broke off: ${reason.message.replace(/\.$/, "")}. The run goes on; GET /v1/responses/${id}?stream=true${from} has the rest of them.`,
    { cause: reason },
  );
}

type Keeper = Pick<Provider, "id"> & Required<Pick<Provider, "kept" | "keptEvents">>;

interface Found {
  readonly key: string;
  readonly stored: StoredResponse;
  readonly provider: Keeper;
}

async function keeperOf(
  id: string,
  { principal }: RequestContext,
  { providers, responses }: KeptResponsesOptions,
): Promise<Found> {
  const key = keptKey(principal.id, id);
  const stored = await responses.find(key);
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
  { clock, timers, limits, settings }: KeptResponsesOptions,
): UpstreamCall {
  const upstream = new UpstreamCall(provider, {
    clock,
    timers,
    clientSignal,
    deadlineMs: arrivedMs + settings.upstreamTotalTimeoutMs,
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
