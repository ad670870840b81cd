import { useSearchParams } from "wouter-preact";
import { type Conversation, findConversation, type Turn } from "../api/traces.js";
import { Button, Icon } from "../components/controls.js";
import { count, dollars, duration, shortCount } from "../components/format.js";
import { Link } from "../components/link.js";
import { PageHead, Section } from "../components/page.js";
import { Empty, Loaded, Notice, useResource } from "../components/resource.js";
import { priced, TableFrame } from "../components/table.js";
import { Facts, type FactsProps, Moment, Plain } from "../components/text.js";
import { Bubble } from "./bubble.js";
import { tagsIn } from "./filters.js";
import { StatusPill } from "./status-pill.js";

/** All requests with the metadata values of the address, as one conversation. */
export function ConversationPage() {
  const [query] = useSearchParams();
  const tags = tagsIn(query);
  const conversation = useResource(query.toString(), (signal) => findConversation(query, signal));
  return (
    <>
      <PageHead
        title="Conversation"
        lead={
          <>
            Requests with{" "}
            {tags.map(([key, value], at) => (
              <span key={`${at}`}>
                {at > 0 && ", "}
                <Plain text={key} /> ={" "}
                <strong>
                  <Plain text={value} />
                </strong>
              </span>
            ))}
          </>
        }
      >
        <Button onClick={conversation.reload}>Refresh</Button>
        <Link href={`/traces?${query}`} class="button">
          <Icon name="back" /> As a list
        </Link>
      </PageHead>
      <Loaded resource={conversation}>{(value) => <Content of={value} query={query} />}</Loaded>
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
      {of.models.length > 1 && <Models models={of.models} query={query} />}
      <Section title="Requests, oldest first">
        <ol class="turns">
          {of.turns.map((turn) => (
            <ConversationTurn key={turn.request_id} turn={turn} />
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

interface ModelsProps {
  readonly models: Conversation["models"];
  readonly query: URLSearchParams;
}

const Models = ({ models, query }: ModelsProps) => (
  <TableFrame
    label="By model"
    rows={models}
    keyOf={({ model }) => model ?? ""}
    columns={[
      {
        head: "Model",
        look: "clip",
        cell: ({ model }) =>
          model === null ? (
            <span class="muted">none</span>
          ) : (
            <Link href={`/traces?${query}&${new URLSearchParams({ model_id: model })}`}>
              <Plain text={model} />
            </Link>
          ),
      },
      { head: "Requests", kind: "numeric", cell: (row) => count(row.requests) },
      { head: "Failed", kind: "numeric", cell: (row) => count(row.errors + row.timeouts) },
      {
        head: "Tokens in / out",
        kind: "numeric",
        cell: (row) => `${shortCount(row.tokens_in)} / ${shortCount(row.tokens_out)}`,
      },
      priced("Cost", (row: Conversation["models"][number]) => row.cost_usd),
    ]}
  />
);

/** One request of a conversation: what it added, and its answer. */
function ConversationTurn({ turn }: { readonly turn: Turn }) {
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
        {turn.tool_loop?.state === "stuck" && (
          <span class="pill warn">stuck on {turn.tool_loop.stuck_tool}</span>
        )}
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
