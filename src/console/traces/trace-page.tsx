import { findTrace, type Trace } from "../api/traces.js";
import { CopyButton, Icon } from "../components/controls.js";
import { count, dollars, duration, percent } from "../components/format.js";
import { Link } from "../components/link.js";
import { PageHead, Section } from "../components/page.js";
import { Loaded, Notice, useResource } from "../components/resource.js";
import { Facts, type FactsProps, KeyLink, Moment, Optional, Plain } from "../components/text.js";
import { Candidates } from "../router/candidates.js";
import { METADATA } from "./filters.js";
import { Messages } from "./messages.js";
import { StatusPill } from "./status-pill.js";
import { Timeline } from "./timeline.js";
import { DecisionThen, RouteAgain } from "./trace-decision.js";
import { TraceFeedback } from "./trace-feedback.js";
import { TraceUsage } from "./trace-usage.js";

/** One request whole. */
export function TracePage({ params: { id } }: { readonly params: { readonly id: string } }) {
  const trace = useResource(id, (signal) => findTrace(id, signal));
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
  return (
    <>
      {trace.error !== null && (
        <Notice kind="error">
          <strong>{trace.error.code}</strong>: <Plain text={trace.error.message} />
        </Notice>
      )}
      <TraceFacts trace={trace} />
      <Messages trace={trace} />
      <WhyThisModel trace={trace} />
      <Timeline trace={trace} />
      <div class="texts">
        <TraceUsage trace={trace} />
        <div class="stack">
          <TraceTags metadata={trace.metadata} />
          <TraceFeedback trace={trace} onGiven={onChanged} />
        </div>
      </div>
    </>
  );
}

/** The decision as it was made, beside what would be decided now. */
function WhyThisModel({ trace }: { readonly trace: Trace }) {
  const { routing, messages = [] } = trace;
  return (
    <>
      <div class="side-by-side">
        <Section title="Why this model">
          <DecisionThen trace={trace} />
        </Section>
        {messages.length > 0 && (
          <Section title="Route this again">
            <RouteAgain trace={trace} />
          </Section>
        )}
      </div>
      {routing !== null && <Candidates routing={routing} />}
    </>
  );
}

function TraceFacts({ trace }: { readonly trace: Trace }) {
  const facts: FactsProps["facts"] = [
    ["Model", <Optional key="model" text={trace.model} />],
    ["Provider", <Optional key="provider" text={trace.provider} />],
    ["Source", <Plain key="source" text={trace.source} />],
    ["API key", <KeyLink key="key" of={trace.api_key} />],
    ["Kind", trace.kind],
    ...(trace.effort === null ? [] : [["Effort", trace.effort] as const]),
    ["Arrived", <Moment key="at" at={trace.created_at} shows="time" />],
    ["Latency", duration(trace.latency_ms)],
    ["First token", duration(trace.ttft_ms)],
    ["Cost", dollars(trace.cost_usd)],
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

/** Keys whose values few requests share, by their names (a guess): not `env`, `team` or `tier`. */
const NAMES_CONVERSATION = /id$|session|conversation|thread|chat|user|customer|order|ticket|case/i;

/** The tags of a request; each leads to those that share it. */
function TraceTags({ metadata }: Pick<Trace, "metadata">) {
  const tags = Object.entries(metadata);
  return (
    <Section title="Metadata">
      {tags.length === 0 ? (
        <p class="muted">No metadata was sent.</p>
      ) : (
        <dl class="tags">
          {tags.map(([key, value]) => (
            <div key={key}>
              <dt>
                <Plain text={key} />
              </dt>
              <dd>
                <Link href={`/traces?${tagQuery(key, value)}`} title="Show traces with the same value">
                  <Plain text={String(value)} />
                </Link>{" "}
                {NAMES_CONVERSATION.test(key) && (
                  <Link class="small" href={`/conversation?${tagQuery(key, value)}`}>
                    as conversation
                    <span class="unseen">
                      {" "}
                      of <Plain text={key} />
                    </span>
                  </Link>
                )}
              </dd>
            </div>
          ))}
        </dl>
      )}
    </Section>
  );
}

const tagQuery = (key: string, value: string | number | boolean): URLSearchParams =>
  new URLSearchParams({ [`${METADATA}${key}`]: String(value) });
