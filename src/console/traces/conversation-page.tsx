import { Link, useSearchParams } from "wouter-preact";
import { type Conversation, findConversation } from "../api/traces.js";
import { Empty } from "../components/empty.js";
import { Facts, type FactsProps } from "../components/facts.js";
import { count, dollars, duration, shortCount } from "../components/format.js";
import { Icon } from "../components/icon.js";
import { Loaded } from "../components/loaded.js";
import { Moment } from "../components/moment.js";
import { Notice } from "../components/notice.js";
import { Plain } from "../components/plain.js";
import { TableFrame } from "../components/table.js";
import { useResource } from "../components/use-resource.js";
import { PageHead } from "../layout/page-head.js";
import { ConversationTurn } from "./conversation-turn.js";
import { tagsIn } from "./filters.js";

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
        <button class="button" type="button" onClick={conversation.reload}>
          Refresh
        </button>
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
      <section class="card padded stack" aria-labelledby="turns-title">
        <h2 id="turns-title">Requests, oldest first</h2>
        <ol class="turns">
          {of.turns.map((turn) => (
            <ConversationTurn key={turn.request_id} turn={turn} />
          ))}
        </ol>
        {of.has_more && (
          <Notice kind="info">
            These are the first {count(of.turns.length)} of {count(of.requests)} requests:{" "}
            {of.turns.length >= of.most_turns ? (
              <>
                <code>SEXTANT_TRACE_MAX_CONVERSATION_REQUESTS</code> allows no more.
              </>
            ) : (
              "their texts are too long to show more."
            )}{" "}
            The <Link href={`/traces?${query}`}>list</Link> has all.
          </Notice>
        )}
      </section>
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
      { head: "Cost", kind: "numeric", cell: (row) => dollars(row.cost_usd) },
    ]}
  />
);
