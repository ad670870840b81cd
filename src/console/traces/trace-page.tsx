import { Link } from "wouter-preact";
import { findTrace, type Trace } from "../api/traces.js";
import { CopyButton } from "../components/copy-button.js";
import { Icon } from "../components/icon.js";
import { Loaded } from "../components/loaded.js";
import { Notice } from "../components/notice.js";
import { Plain } from "../components/plain.js";
import { useResource } from "../components/use-resource.js";
import { PageHead } from "../layout/page-head.js";
import { Messages } from "./messages.js";
import { StatusPill } from "./status-pill.js";
import { Timeline } from "./timeline.js";
import { TraceFacts } from "./trace-facts.js";
import { TraceFeedback } from "./trace-feedback.js";
import { TraceTags } from "./trace-tags.js";
import { TraceUsage } from "./trace-usage.js";
import { WhyThisModel } from "./why-this-model.js";

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
        <TraceUsage usage={trace.usage} attempts={trace.attempts} cost_usd={trace.cost_usd} />
        <div class="stack">
          <TraceTags metadata={trace.metadata} />
          <TraceFeedback trace={trace} onGiven={onChanged} />
        </div>
      </div>
    </>
  );
}
