import { Link } from "wouter-preact";
import { findTrace, type Trace } from "../api/traces.js";
import { CopyButton } from "../components/copy-button.js";
import { Icon } from "../components/icon.js";
import { Loaded } from "../components/loaded.js";
import { Notice } from "../components/notice.js";
import { Plain } from "../components/plain.js";
import { useResource } from "../components/use-resource.js";
import { PageHead } from "../layout/page-head.js";
import { LongText } from "./long-text.js";
import { RouteAgain } from "./route-again.js";
import { StatusPill } from "./status-pill.js";
import { Timeline } from "./timeline.js";
import { TraceFacts } from "./trace-facts.js";
import { TraceFeedback } from "./trace-feedback.js";
import { TraceTags } from "./trace-tags.js";
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
      <Loaded resource={trace}>{(value) => <Content trace={value} />}</Loaded>
    </>
  );
}

function Content({ trace }: { readonly trace: Trace }) {
  const { input_text: input, output_text: output } = trace;
  return (
    <>
      {trace.error !== null && (
        <Notice kind="error">
          <strong>{trace.error.code}</strong>: <Plain text={trace.error.message} />
        </Notice>
      )}
      <TraceFacts trace={trace} />
      <Timeline trace={trace} />
      {input === undefined || output === undefined ? (
        <Notice kind="info">Prompt and answer were not stored (SEXTANT_TRACE_CONTENT=false).</Notice>
      ) : (
        <div class="texts">
          <LongText title="Prompt" text={input} />
          <LongText title="Answer" text={output} />
        </div>
      )}
      {trace.feedback !== null && <TraceFeedback feedback={trace.feedback} />}
      <div class="texts">
        <TraceTags metadata={trace.metadata} />
        <TraceUsage usage={trace.usage} attempts={trace.attempts} cost_usd={trace.cost_usd} />
      </div>
      {input !== undefined && input !== "" && <RouteAgain trace={trace} input={input} />}
    </>
  );
}
