import type { CancelSignal } from "../../foundation/cancel-signal.js";
import { SextantError } from "../../foundation/errors.js";
import type { ChatChunk } from "../providers/chat.js";
import { type KeptReply, ProviderFault, type StreamEvent } from "../providers/provider.js";
import type { TimeAllowed } from "./call-limits.js";
import { cancellationOf } from "./cancellation.js";
import type { UpstreamCall } from "./upstream-call.js";

export interface RunEventsOptions {
  readonly id: string;
  readonly call: UpstreamCall;
  /** Events that have arrived. */
  readonly held: readonly StreamEvent[];
  readonly rest: AsyncIterator<readonly StreamEvent[]>;
  readonly idle: TimeAllowed;
  /** Aborted when the client leaves. */
  readonly signal: CancelSignal;
  /** Receives what the provider says of the run, before the event that says it is passed on. */
  readonly seen: (reply: KeptReply) => Promise<unknown>;
}

/**
 * The events of a run in the background, those that arrived together in one batch. The run goes on when its reader stops, leaves, or loses
 * the connection.
 *
 * @throws SextantError when they break off: it says how the rest can be had. ClientDisconnected
 */
export async function* runEvents(options: RunEventsOptions): AsyncGenerator<readonly ChatChunk[]> {
  const { id, call, held, rest, idle, signal, seen } = options;
  const leave = (): void => call.cancel(cancellationOf(signal));
  signal.addEventListener("abort", leave);
  let last: unknown;
  try {
    let events = held;
    for (;;) {
      if (signal.aborted) leave();
      for (const { chunk, run } of events) {
        if (run !== undefined) await seen(run);
        last = chunk?.native?.sequence_number ?? last;
      }
      yield events.flatMap(({ chunk }) => (chunk === null ? [] : [chunk]));
      call.allow(idle, "more of its events");
      const next = await rest.next();
      call.pause();
      if (next.done === true) return;
      events = next.value;
    }
  } catch (reason) {
    throw brokenOff(call.cancelled ?? reason, { id, last });
  } finally {
    signal.removeEventListener("abort", leave);
    call.drop();
    rest.return?.().catch(() => {});
  }
}

function brokenOff(reason: unknown, { id, last }: { readonly id: string; readonly last: unknown }): unknown {
  if (!(reason instanceof ProviderFault || reason instanceof SextantError)) return reason;
  const from = typeof last === "number" ? `&starting_after=${last}` : "";
  const code =
    reason instanceof SextantError
      ? reason.code
      : reason.code === "timeout"
        ? "upstream_timeout"
        : "upstream_error";
  return new SextantError(
    code,
    `The events broke off: ${reason.message.replace(/\.$/, "")}. The run goes on; GET /v1/responses/${id}?stream=true${from} has the rest of them.`,
    { cause: reason },
  );
}
