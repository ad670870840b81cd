import { findTrace, type Trace } from "../api/traces.js";
import { CopyButton, Icon } from "../components/controls.js";
import { count, dollars, duration, percent } from "../components/format.js";
import { Link } from "../components/link.js";
import { PageHead, Section } from "../components/page.js";
import { current, Loaded, Notice, useResource } from "../components/resource.js";
import { Facts, type FactsProps, Moment, named, Optional, Plain } from "../components/text.js";
import { namesFew, tagQuery } from "./conversation-tag.js";
import { Messages } from "./messages.js";
import { StatusPill } from "./status-pill.js";
import { Timeline } from "./timeline.js";
import { TraceCandidates } from "./trace-candidates.js";
import { RouteAgain, Steps } from "./trace-decision.js";
import { TraceFeedback } from "./trace-feedback.js";
import { TraceUsage } from "./trace-usage.js";

/** One request whole. */
export function TracePage({ params: { id } }: { readonly params: { readonly id: string } }) {
  const trace = current(useResource(id, (signal) => findTrace(id, signal)));
  return (
    <>
      <PageHead
        title="Trace"
        lead={
          <span class="row">
            <code>{id}</code>
            {trace.value !== undefined && <StatusPill status={trace.value.status} />}
          </span>
        }
      >
        <CopyButton text={id} label="Copy id" />
        <Link href="/traces" class="button">
          <Icon name="back" /> All traces
        </Link>
      </PageHead>
      <Loaded resource={trace}>{(value) => <Content trace={value} onChanged={trace.reload} />}</Loaded>
    </>
  );
}

interface ContentProps {
  readonly trace: Trace;
  readonly onChanged: () => void;
}

function Content({ trace, onChanged }: ContentProps) {
  const { routing, messages = [] } = trace;
  return (
    <>
      {trace.error !== null && (
        <Notice kind="error">
          <strong>{trace.error.code}</strong>: <Plain text={trace.error.message} />
        </Notice>
      )}
      <TraceFacts trace={trace} />
      <div class="trace-columns">
        <Messages trace={trace} />
        <div class="stack rail">
          <Section title="Why this model">
            <Steps trace={trace} />
          </Section>
          {routing !== null && <TraceCandidates routing={routing} />}
          {messages.length > 0 && (
            <Section title="Route this again">
              <RouteAgain trace={trace} />
            </Section>
          )}
          <Timeline trace={trace} />
          <TraceUsage trace={trace} />
          <TraceTags metadata={trace.metadata} />
          <TraceFeedback trace={trace} onGiven={onChanged} />
        </div>
      </div>
    </>
  );
}

function TraceFacts({ trace }: { readonly trace: Trace }) {
  const facts: FactsProps["facts"] = [
    ["Arrived", <Moment key="at" at={trace.created_at} shows="time" />],
    ["Cost", dollars(trace.cost_usd)],
    ["Latency", duration(trace.latency_ms)],
    ["First token", duration(trace.ttft_ms)],
    ["Tokens in / out", `${count(trace.tokens_in)} / ${count(trace.tokens_out)}`],
    ["Finish reason", <Optional key="finish" text={trace.finish_reason} />],
    ...toolLoopFacts(trace),
  ];
  return <Facts facts={facts} />;
}

function toolLoopFacts({ tool_loop: loop }: Pick<Trace, "tool_loop">): FactsProps["facts"] {
  if (loop === null) return [];
  const calls = `${count(loop.repeated_calls)} repeated, ${count(loop.tool_errors)} failed`;
  return [
    [
      "Tool loop",
      loop.stuck_tool === null ? `turn ${loop.turn}` : `turn ${loop.turn}, stuck on ${loop.stuck_tool}`,
    ],
    ["Calls in it", calls],
    ["Context used", percent(loop.context_share)],
  ];
}

/** The tags of a request; each leads to those that share it. */
function TraceTags({ metadata }: Pick<Trace, "metadata">) {
  const tags = Object.entries(metadata);
  return (
    <Section title="Metadata">
      {tags.length === 0 ? (
        <p class="muted">No metadata was sent.</p>
      ) : (
        <Facts
          facts={tags.map(([key, value]) => [
            named(key),
            <>
              <Link href={`/traces?${tagQuery(key, value)}`} title="Show traces with the same value">
                <Plain text={String(value)} />
              </Link>{" "}
              {namesFew(key) && (
                <Link class="small" href={`/conversation?${tagQuery(key, value)}`}>
                  as conversation
                  <span class="unseen"> of {named(key)}</span>
                </Link>
              )}
            </>,
          ])}
        />
      )}
    </Section>
  );
}
