import { Link } from "wouter-preact";
import type { Turn } from "../api/traces.js";
import { dollars, duration } from "../components/format.js";
import { Moment } from "../components/moment.js";
import { Plain } from "../components/plain.js";
import { Bubble } from "./bubble.js";
import { StatusPill } from "./status-pill.js";

/** One request of a conversation: what it added, and its answer. */
export function ConversationTurn({ turn }: { readonly turn: Turn }) {
  const { messages, answer } = turn;
  return (
    <li class="turn">
      <div class="row turn-head small">
        <Link href={`/traces/${turn.request_id}`} class="mono" title={turn.request_id}>
          …{turn.request_id.slice(-8)}
          <span class="unseen">, details</span>
        </Link>
        <Moment at={turn.created_at} />
        {turn.status !== "success" && <StatusPill status={turn.status} />}
        {turn.error_code !== null && <span>{turn.error_code}</span>}
        {turn.model !== null && <Plain text={turn.model} />}
        <span class="muted number">
          {dollars(turn.cost_usd)} · {duration(turn.latency_ms)}
        </span>
      </div>
      {messages === undefined || answer === undefined ? (
        <p class="muted small">Prompt and answer were not stored.</p>
      ) : (
        <>
          {turn.repeated_messages > 0 && (
            <p class="muted small">
              After {turn.repeated_messages} messages that were sent or answered before
            </p>
          )}
          <ol class="bubbles">
            {messages.map((message, at) => (
              <Bubble key={`${at}`} message={message} />
            ))}
            {turn.tokens_out !== null && <Bubble message={answer} />}
          </ol>
        </>
      )}
    </li>
  );
}
