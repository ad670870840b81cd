/** How a model can fail, for whole answers and for streams, and what the client does about it. */
import { eventReply, reply, type Script } from "../fakes/upstream-server.js";
import {
  chatOf,
  chunkOf,
  errorBody,
  event,
  failure,
  page,
  refusal,
  silence,
  streamOf,
} from "./gateway-replies.js";

export interface Fault {
  readonly name: string;
  /** Whole answers, streams, or both. */
  readonly of: "whole" | "stream" | "both";
  readonly script: Script;
  /** `next`: another model is asked. `throw`: the caller gets the error at once. */
  readonly outcome: "next" | "throw";
  /** Code as `triedModels` has it. */
  readonly code: string;
}

const JSON_TYPE = { "content-type": "application/json" };
const wholeText = JSON.stringify(chatOf("first"));
const cutOff = { headers: JSON_TYPE, body: wholeText.slice(0, 80) };
const role = chunkOf("first", { role: "assistant", content: "" });
const begun = streamOf("first").slice(0, 2);
const proxyPage = reply({ status: 502, headers: { "content-type": "text/html" }, body: "<html>" });
const [resets, stalls] = [{ ending: "reset" }, { ending: "stall" }] as const;
const errorEvent = (code: string) => event(errorBody(code));

type Row = readonly [
  name: string,
  of: Fault["of"],
  outcome: Fault["outcome"],
  code: string,
  script: Script | undefined,
];

/** Where a row has no script, the name is the status of a reply with that code. */
const ROWS: readonly Row[] = [
  ["400", "both", "throw", "invalid_request", undefined],
  ["401", "both", "throw", "invalid_api_key", undefined],
  ["403", "both", "throw", "insufficient_scope", undefined],
  ["404", "both", "throw", "model_not_found", undefined],
  ["409", "both", "throw", "invalid_request", undefined],
  ["413", "both", "throw", "request_too_large", undefined],
  ["408", "both", "next", "upstream_timeout", undefined],
  ["429", "both", "next", "rate_limit_exceeded", undefined],
  ["500", "both", "next", "internal_error", undefined],
  ["502", "both", "next", "upstream_error", undefined],
  ["503", "both", "next", "no_provider_available", undefined],
  ["504", "both", "next", "upstream_timeout", undefined],
  ["connection reset", "both", "next", "connection_error", refusal],
  ["no answer in time", "both", "next", "timeout", silence],
  ["a 502 page of a proxy", "both", "next", "502", proxyPage],
  ["a page with status 200", "both", "next", "connection_error", page],
  ["a body that breaks off", "whole", "next", "connection_error", reply({ ...cutOff, ...resets })],
  ["a body that stalls", "whole", "next", "timeout", reply({ ...cutOff, ...stalls })],
  ["a body that is no JSON", "whole", "next", "connection_error", reply(cutOff)],
  ["a reset before content", "stream", "next", "connection_error", eventReply([role], resets)],
  ["an end before content", "stream", "next", "connection_error", eventReply([role])],
  ["silence before content", "stream", "next", "timeout", eventReply([role, ": keep-alive\n\n"], stalls)],
  [
    "an error event before content",
    "stream",
    "next",
    "upstream_error",
    eventReply([role, errorEvent("upstream_error")]),
  ],
  [
    "an error event that is the caller's fault",
    "stream",
    "throw",
    "invalid_request",
    eventReply([role, errorEvent("invalid_request")]),
  ],
  ["an event that is no JSON", "stream", "next", "connection_error", eventReply([role, "data: {oops\n\n"])],
  [
    "an error event after content",
    "stream",
    "throw",
    "upstream_error",
    eventReply([...begun, errorEvent("upstream_error")]),
  ],
  ["a reset after content", "stream", "throw", "connection_error", eventReply(begun, resets)],
];

export const FAULTS: readonly Fault[] = ROWS.map(([name, of, outcome, code, script]) => ({
  name,
  of,
  outcome,
  code,
  script: script ?? failure(Number(name), code),
}));

const OUTCOMES: Readonly<Record<Fault["outcome"], string>> = {
  throw: "the error is thrown at once",
  next: "the next model is asked; after the last, the error is thrown",
};

/** The matrix as documentation shows it: faults of one kind of answer and one outcome in a row. */
export function matrixTable(): string {
  const forms = { both: "whole, streamed", whole: "whole", stream: "streamed" };
  const restOf = ({ of, outcome }: Fault) => `${forms[of]} | ${OUTCOMES[outcome]}`;
  const rows = [...new Set(FAULTS.map(restOf))].map((rest) => {
    const names = FAULTS.filter((fault) => restOf(fault) === rest).map(({ name }) => name);
    return `| ${names.join("; ")} | ${rest} |`;
  });
  return ["| a model fails with | answer | then |", "|---|---|---|", ...rows].join("\n");
}
