import type { TraceFilter } from "../../src/gateway/traces/store.js";
import type { Trace } from "../../src/gateway/traces/trace.js";
import type { TracedMessage, TracedPart } from "../../src/gateway/traces/traced-message.js";

/** Whether a store must find the trace: the reference implementation of filters, with which stores are compared. */
export function matches(filter: TraceFilter, trace: Trace): boolean {
  const { startMs, endMs, source, status, kind, text, metadata = [] } = filter;
  const {
    modelPart,
    requestedModel,
    principals,
    errorCode,
    attemptCode,
    executed,
    hasFeedback,
    otherModel,
    toolLoop,
    effort,
  } = filter;
  return (
    (startMs === undefined || trace.createdAtMs >= startMs) &&
    (endMs === undefined || trace.createdAtMs < endMs) &&
    (source === undefined || trace.source === source) &&
    (attemptCode === undefined
      ? isOf(trace, filter)
      : trace.attempts.some((attempt) => attempt.code === attemptCode && isOf(attempt, filter)) ||
        (trace.error?.code === attemptCode && isOf(trace, filter))) &&
    (executed === undefined || isDecisionAlone(trace) !== executed) &&
    (status === undefined || trace.status === status) &&
    (kind === undefined || trace.kind === kind) &&
    (principals === undefined || principals.includes(trace.principal)) &&
    (requestedModel === undefined || trace.requestedModel === requestedModel) &&
    (modelPart === undefined ||
      [trace.model, trace.requestedModel].some((name) => hasPart(name ?? "", modelPart))) &&
    (errorCode === undefined || trace.error?.code === errorCode) &&
    (hasFeedback === undefined || (trace.feedback !== undefined) === hasFeedback) &&
    (effort === undefined || trace.effort === effort) &&
    (otherModel === undefined ||
      trace.attempts.some(({ served_model: served }) => served !== undefined) === otherModel) &&
    (toolLoop === undefined || trace.toolLoop?.state === toolLoop) &&
    (text === undefined || contains(trace, text)) &&
    metadata.every(
      ({ key, value }) => Object.hasOwn(trace.metadata, key) && String(trace.metadata[key]) === value,
    )
  );
}

const isOf = (called: Pick<Trace, "model" | "provider">, { model, provider }: TraceFilter): boolean =>
  (model === undefined || called.model === model) && (provider === undefined || called.provider === provider);

export const isDecisionAlone = ({ kind, status, usage }: Trace): boolean =>
  kind === "router" && status === "success" && usage === null;

function contains({ content }: Trace, text: string): boolean {
  return (
    content !== null && [...promptTexts(content.input), content.output].some((whole) => hasPart(whole, text))
  );
}

/** In any case, each character alone: what a letter becomes depends on its neighbours in JavaScript. */
const hasPart = (whole: string, part: string): boolean => {
  const [text, wanted] = [whole, part].map((one) => [...one].map((each) => each.toLowerCase()).join(""));
  return (text ?? "").includes(wanted ?? "");
};

/** The last user message, and everything else that was said or named, with a line end between what is apart. */
function promptTexts(input: readonly TracedMessage[]): readonly string[] {
  const asked = input.findLast(({ role }) => role === "user");
  const context = input.flatMap((message) => {
    const { name = [], content, reasoning = [], refusal = [], tool_calls: calls = [] } = message;
    const said = partsOf(content).flatMap((part) => {
      if (!("text" in part)) return "refusal" in part ? part.refusal : (part.filename ?? []);
      return message === asked ? [] : part.text;
    });
    const called = calls.flatMap(({ function: called, custom }) => [
      ...(called === undefined ? [] : [called.name, called.arguments]),
      ...(custom === undefined ? [] : [custom.name, custom.input]),
    ]);
    return [said, name, reasoning, refusal, called].flat();
  });
  const texts = partsOf(asked?.content ?? null).flatMap((part) => ("text" in part ? part.text : []));
  return [texts.join("\n"), context.join("\n")];
}

const partsOf = (content: TracedMessage["content"]): readonly TracedPart[] =>
  typeof content === "string" ? [{ type: "text", text: content }] : (content ?? []);
