import { keptKey, type ResponseMemory } from "../../conversations/response-memory.js";
import { SextantError } from "../../foundation/errors.js";
import type { Clock, Timers } from "../../foundation/timers.js";
import type { JsonObject } from "../../providers/chat.js";
import { type KeptCall, type KeptReply, type Provider, ProviderFault } from "../../providers/provider.js";
import { UpstreamCall } from "../attempts/upstream-call.js";
import type { RequestContext } from "../request.js";
import type { BackgroundRuns } from "./background-runs.js";

export interface KeptResponsesOptions {
  readonly providers: ReadonlyMap<string, Provider>;
  readonly memory: ResponseMemory;
  readonly runs: BackgroundRuns;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly timeoutMs: number;
}

/** A response, a list of its input, or that it is deleted, in the provider's form. */
export interface KeptAnswer {
  readonly body: JsonObject;
  readonly provider: string;
  /** As the request that made it named it. */
  readonly model: string;
}

/**
 * Asks the provider that keeps a response for it, or changes it there.
 *
 * @throws SextantError `not_found` for a response that is not kept, or not for this principal; `upstream_rejected`,
 * `upstream_error` as the provider says
 */
export async function askForKept(
  call: KeptCall,
  { principal, signal: clientSignal, arrivedMs }: RequestContext,
  { providers, memory, runs, clock, timers, timeoutMs }: KeptResponsesOptions,
): Promise<KeptAnswer> {
  const key = keptKey(principal.id, call.id);
  const stored = await memory.find("stored", key);
  if (stored === undefined) throw unknownResponse(call.id);
  const { provider: id, model } = stored;
  const provider = providers.get(id);
  if (provider?.kept === undefined) {
    throw new SextantError(
      "no_provider_available",
      `The provider ${JSON.stringify(id)}, which keeps the response, is not configured any more.`,
    );
  }
  const limits = { clock, timers, clientSignal, deadlineMs: arrivedMs + timeoutMs };
  const upstream = new UpstreamCall(id, limits);
  upstream.allow(timeoutMs, "reply");
  let reply: KeptReply;
  try {
    reply = await provider.kept(call, { signal: upstream.signal });
  } catch (error) {
    throw asked(upstream.cancelled ?? error, call.id, id);
  } finally {
    upstream.end();
  }
  await runs.seen(key, reply);
  if (call.method === "DELETE") {
    const { run: _over, ...rest } = stored;
    memory.keep({ kind: "stored", key, value: { ...rest, deleted: true } });
  }
  return { body: reply.body, provider: id, model };
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
  return new SextantError(
    retryable || status === null || status === 401 || status === 403 ? "upstream_error" : "upstream_rejected",
    said === null ? `${what} (${reason.message}).` : `${what}: ${said}`,
    {
      safeMessage: `${what}.`,
      cause: reason,
      ...(retryable || status === null || status === 401 || status === 403 ? {} : { status }),
    },
  );
}
