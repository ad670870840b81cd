import type { Trace } from "../api/traces.js";
import { Facts, type FactsProps } from "../components/facts.js";
import { dollars, duration } from "../components/format.js";
import { KeyLink } from "../components/key-link.js";
import { Moment } from "../components/moment.js";
import { Plain } from "../components/plain.js";

export function TraceFacts({ trace }: { readonly trace: Trace }) {
  const facts: FactsProps["facts"] = [
    ["Model", <Optional key="model" text={trace.model} />],
    ["Provider", <Optional key="provider" text={trace.provider} />],
    ["Source", <Plain key="source" text={trace.source} />],
    ["API key", <KeyLink key="key" of={trace.api_key} />],
    ["Kind", trace.kind],
    ["Arrived", <Moment key="at" at={trace.created_at} shows="time" />],
    ["Latency", duration(trace.latency_ms)],
    ["First token", duration(trace.ttft_ms)],
    ["Cost", dollars(trace.cost_usd)],
    ["Finish reason", <Optional key="finish" text={trace.finish_reason} />],
  ];
  return <Facts facts={facts} />;
}

const Optional = ({ text }: { readonly text: string | null }) =>
  text === null ? <span class="muted">–</span> : <Plain text={text} />;
