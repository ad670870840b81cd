import { useState } from "preact/hooks";
import { useSearchParams } from "wouter-preact";
import { type Conversation, findConversation, type Turn } from "../api/traces.js";
import { Button, Icon } from "../components/controls.js";
import { count, dollars, duration, shortCount } from "../components/format.js";
import { Link } from "../components/link.js";
import { PageHead, Section } from "../components/page.js";
import { current, Empty, Loaded, Notice, useResource } from "../components/resource.js";
import { Facts, type FactsProps, Moment, Plain } from "../components/text.js";
import { Bubble } from "./bubble.js";
import { tagsIn } from "./filters.js";
import { foldedTurns, type ShownTurn } from "./folded-turns.js";
import { StatusPill } from "./status-pill.js";
import { PAUSE_MS, usePolling } from "./use-tail.js";

/** All requests with the metadata values of the address, as one conversation. */
export function ConversationPage() {
  const [query] = useSearchParams();
  const [isLive, setIsLive] = useState(true);
  const tags = tagsIn(query);
  const conversation = useResource(query.toString(), (signal) => findConversation(query, signal));
  usePolling(conversation, isLive ? PAUSE_MS : undefined);
  return (
    <>
      <PageHead
        title="Conversation"
        lead={
          <>
            Requests with <Plain text={tags.map((tag) => tag.join(" = ")).join(", ")} />
          </>
        }
      >
        <Button aria-pressed={isLive} onClick={() => setIsLive(!isLive)}>
          {isLive ? "Pause live" : "Live"}
        </Button>
        <Link href={`/traces?${query}`} class="button">
          <Icon name="back" /> As a list
        </Link>
      </PageHead>
      <Loaded resource={current(conversation)}>{(value) => <Content of={value} query={query} />}</Loaded>
    </>
  );
}

interface ContentProps {
  readonly of: Conversation;
  readonly query: URLSearchParams;
}

function Content({ of, query }: ContentProps) {
  if (of.requests === 0) {
    return <Empty title="No requests">No request has this metadata value.</Empty>;
  }
  return (
    <>
      <Totals of={of} />
      <Section title="Requests, oldest first">
        <ol class="turns">
          {foldedTurns(of.turns).map((shown) => (
            <ConversationTurn key={shown.turn.request_id} of={shown} />
          ))}
        </ol>
        {of.has_more && (
          <Notice kind="info">
            These are the first {count(of.turns.length)} of {count(of.requests)} requests:{" "}
            {of.turns.length >= of.most_turns
              ? "no more are shown one by one."
              : "their texts are too long to show more."}{" "}
            The <Link href={`/traces?${query}`}>list</Link> has all.
          </Notice>
        )}
      </Section>
    </>
  );
}

function Totals({ of }: Pick<ContentProps, "of">) {
  const facts: FactsProps["facts"] = [
    ["Requests", count(of.requests)],
    ["Failed", count(of.errors + of.timeouts)],
    ["Cost", <Cost key="cost" of={of} />],
    ["Tokens in / out", `${shortCount(of.tokens_in)} / ${shortCount(of.tokens_out)}`],
    ["Duration", duration(lengthMs(of))],
    [
      "Models",
      <Plain
        key="models"
        text={of.models.map(({ model, requests }) => `${model ?? "none"} (${count(requests)})`).join(", ")}
      />,
    ],
    ["Began", <Moment key="first" at={of.first_seen} />],
    ["Last request", <Moment key="last" at={of.last_seen} />],
  ];
  return <Facts facts={facts} />;
}

const Cost = ({ of }: Pick<ContentProps, "of">) => (
  <>
    {dollars(of.cost_usd)}
    {of.requests_without_cost > 0 && (
      <small class="muted"> without {count(of.requests_without_cost)} of unknown cost</small>
    )}
  </>
);

/** From the first arrival to the last one, and to the end of that request where it is shown. */
function lengthMs({
  first_seen: first,
  last_seen: last,
  turns,
  has_more: hasMore,
}: Conversation): number | null {
  if (first === null || last === null) return null;
  const answerMs = hasMore ? 0 : (turns.at(-1)?.latency_ms ?? 0);
  return Date.parse(last) - Date.parse(first) + answerMs;
}

/** One request of a conversation: what it added, and its answer. */
function ConversationTurn({ of: { turn, said, repeats } }: { readonly of: ShownTurn }) {
  const last = repeats.at(-1);
  return (
    <li class="turn">
      <div class="row turn-head small">
        <TurnLink turn={turn} />
        {turn.status !== "success" && <StatusPill status={turn.status} />}
        {turn.error_code !== null && <span>{turn.error_code}</span>}
        {turn.model !== null && <Plain text={turn.model} />}
        {(last ?? turn).tool_loop?.state === "stuck" && (
          <span class="pill warn">looping on {(last ?? turn).tool_loop?.stuck_tool}</span>
        )}
        <span class="muted number">
          {dollars(turn.cost_usd)} · {duration(turn.latency_ms)}
        </span>
      </div>
      {turn.answer === undefined ? (
        <p class="muted small">Prompt and answer were not stored.</p>
      ) : (
        <ol class="bubbles">
          {said.map((one, at) => (
            <Bubble key={`${at}`} said={one} />
          ))}
        </ol>
      )}
      {last !== undefined && (
        <details class="small">
          <summary>
            The same calls {count(repeats.length)} more {repeats.length === 1 ? "time" : "times"}, for{" "}
            {dollars(costOf(repeats))}
          </summary>
          <p class="row">
            {repeats.map((repeat) => (
              <TurnLink key={repeat.request_id} turn={repeat} />
            ))}
          </p>
        </details>
      )}
    </li>
  );
}

const TurnLink = ({ turn: { request_id: id, created_at: at } }: { readonly turn: Turn }) => (
  <Link href={`/traces/${id}`} title={id}>
    <Moment at={at} shows="time" />
    <span class="unseen">, details</span>
  </Link>
);

/** Of those whose cost is known; null where none is. */
const costOf = (turns: readonly Turn[]): number | null => {
  const known = turns.flatMap(({ cost_usd: cost }) => cost ?? []);
  return known.length === 0 ? null : known.reduce((sum, cost) => sum + cost, 0);
};
