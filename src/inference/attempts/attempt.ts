import type { Deployment } from "../../catalog/deployment.js";
import { type Clock, shownMs } from "../../foundation/timers.js";
import type { ChatBody, ChatCompletion } from "../../providers/chat.js";
import {
  type Provider,
  ProviderFault,
  type StreamBatches,
  type StreamEvent,
} from "../../providers/provider.js";
import type { TokenUsage } from "../../providers/token-usage.js";
import type { Settings } from "../../settings/settings.js";
import type { Attempt } from "../../traces/trace.js";
import { ClientDisconnected } from "./client-disconnected.js";
import { hasContent } from "./first-content.js";
import { type CallLimits, UpstreamCall } from "./upstream-call.js";

export type StageLimits = Pick<
  Settings,
  "upstreamHeadersTimeoutMs" | "upstreamFirstContentTimeoutMs" | "upstreamIdleTimeoutMs"
>;

export interface AttemptOptions extends CallLimits {
  readonly body: ChatBody;
  readonly stream: boolean;
  readonly stages: StageLimits;
}

/** A stream whose first content has arrived. Whoever holds it has to `end` its call. */
export interface OpenStream {
  readonly call: UpstreamCall;
  /** What came up to the first content and together with it. */
  readonly held: readonly StreamEvent[];
  readonly rest: AsyncIterator<readonly StreamEvent[]>;
  readonly firstContentMs: number;
}

export type AttemptOutcome =
  | {
      readonly kind: "completion";
      readonly completion: ChatCompletion;
      readonly tokens: TokenUsage | null;
      readonly attempt: Attempt;
    }
  | { readonly kind: "stream"; readonly stream: OpenStream; readonly attempt: Attempt }
  | { readonly kind: "failed"; readonly fault: ProviderFault; readonly attempt: Attempt }
  | { readonly kind: "abandoned"; readonly attempt: Attempt }
  /** Something that is no fault of a provider: a mistake of ours. */
  | { readonly kind: "broken"; readonly error: unknown; readonly attempt: Attempt };

/**
 * One upstream call with its time limits. A stream is held back until its first content, so that another model can still
 * take over. Never rejects; whatever happens is an attempt.
 */
export async function attempt(
  deployment: Deployment,
  provider: Provider,
  options: AttemptOptions,
): Promise<AttemptOutcome> {
  const { body, stream, stages, clock } = options;
  const call = new UpstreamCall(deployment.provider, options);
  try {
    call.allow(stages.upstreamHeadersTimeoutMs, "reply");
    const reply = await provider.send(
      { upstreamModel: deployment.upstreamModel, api: deployment.api, body, stream },
      { signal: call.signal },
    );
    if (reply.kind === "completion") {
      call.end();
      const { completion, usage: tokens } = reply;
      return { kind: "completion", completion, tokens, attempt: succeeded(deployment, call, clock) };
    }
    call.allow(stages.upstreamFirstContentTimeoutMs, "first content");
    const opened = await openStream(deployment, reply.batches);
    call.pause();
    const attempt = succeeded(deployment, call, clock);
    return { kind: "stream", stream: { call, ...opened, firstContentMs: clock() }, attempt };
  } catch (error) {
    const reason = call.cancelled ?? error;
    call.drop();
    return failure(reason, (status, code) => attemptOf(deployment, call, { status, code, clock }));
  }
}

async function openStream(
  deployment: Deployment,
  batches: StreamBatches,
): Promise<Pick<OpenStream, "held" | "rest">> {
  const rest = batches[Symbol.asyncIterator]();
  const held: StreamEvent[] = [];
  for (;;) {
    const next = await rest.next();
    if (next.done === true)
      throw new ProviderFault("invalid_reply", `The stream of ${deployment.provider} had no content.`);
    for (const event of next.value) held.push(event);
    if (next.value.some(hasContent)) return { held, rest };
  }
}

function failure(error: unknown, describe: (status: number | null, code: string) => Attempt): AttemptOutcome {
  if (error instanceof ProviderFault)
    return { kind: "failed", fault: error, attempt: describe(error.status, error.code) };
  if (error instanceof ClientDisconnected) return { kind: "abandoned", attempt: describe(null, error.code) };
  return { kind: "broken", error, attempt: describe(null, "internal_error") };
}

/** Status of a reply that was read: dialects answer with 200 and nothing else. */
const OK_STATUS = 200;

/** The attempt as it stands now, going well. */
export const succeeded = (deployment: Deployment, call: UpstreamCall, clock: Clock): Attempt =>
  attemptOf(deployment, call, { status: OK_STATUS, code: "ok", clock });

interface Ending {
  readonly status: number | null;
  readonly code: string;
  readonly clock: Clock;
}

/** The attempt as it ends now. */
export function attemptOf(
  { provider, model }: Deployment,
  { startedMs }: UpstreamCall,
  { status, code, clock }: Ending,
): Attempt {
  return { provider, model, status, code, latency_ms: shownMs(clock() - startedMs) };
}
