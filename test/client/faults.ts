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
const role = chunkOf("first", { role: "assistant", content: "" });

export const FAULTS: readonly Fault[] = [
  {
    name: "400",
    of: "both",
    script: failure(400, "invalid_request"),
    outcome: "throw",
    code: "invalid_request",
  },
  {
    name: "401",
    of: "both",
    script: failure(401, "invalid_api_key"),
    outcome: "throw",
    code: "invalid_api_key",
  },
  {
    name: "403",
    of: "both",
    script: failure(403, "insufficient_scope"),
    outcome: "throw",
    code: "insufficient_scope",
  },
  {
    name: "404",
    of: "both",
    script: failure(404, "model_not_found"),
    outcome: "throw",
    code: "model_not_found",
  },
  {
    name: "409",
    of: "both",
    script: failure(409, "invalid_request"),
    outcome: "throw",
    code: "invalid_request",
  },
  {
    name: "413",
    of: "both",
    script: failure(413, "request_too_large"),
    outcome: "throw",
    code: "request_too_large",
  },
  {
    name: "408",
    of: "both",
    script: failure(408, "upstream_timeout"),
    outcome: "next",
    code: "upstream_timeout",
  },
  {
    name: "429",
    of: "both",
    script: failure(429, "rate_limit_exceeded"),
    outcome: "next",
    code: "rate_limit_exceeded",
  },
  {
    name: "500",
    of: "both",
    script: failure(500, "internal_error"),
    outcome: "next",
    code: "internal_error",
  },
  {
    name: "502",
    of: "both",
    script: failure(502, "upstream_error"),
    outcome: "next",
    code: "upstream_error",
  },
  {
    name: "503",
    of: "both",
    script: failure(503, "no_provider_available"),
    outcome: "next",
    code: "no_provider_available",
  },
  {
    name: "504",
    of: "both",
    script: failure(504, "upstream_timeout"),
    outcome: "next",
    code: "upstream_timeout",
  },
  { name: "connection reset", of: "both", script: refusal, outcome: "next", code: "connection_error" },
  { name: "no answer in time", of: "both", script: silence, outcome: "next", code: "timeout" },
  {
    name: "a 502 page of a proxy",
    of: "both",
    script: reply({ status: 502, headers: { "content-type": "text/html" }, body: "<html>" }),
    outcome: "next",
    code: "502",
  },
  { name: "a page with status 200", of: "both", script: page, outcome: "next", code: "connection_error" },
  {
    name: "a body that breaks off",
    of: "whole",
    script: reply({ headers: JSON_TYPE, body: wholeText.slice(0, 80), ending: "reset" }),
    outcome: "next",
    code: "connection_error",
  },
  {
    name: "a body that stalls",
    of: "whole",
    script: reply({ headers: JSON_TYPE, body: wholeText.slice(0, 80), ending: "stall" }),
    outcome: "next",
    code: "timeout",
  },
  {
    name: "a body that is no JSON",
    of: "whole",
    script: reply({ headers: JSON_TYPE, body: wholeText.slice(0, 80) }),
    outcome: "next",
    code: "connection_error",
  },
  {
    name: "a reset before content",
    of: "stream",
    script: eventReply([role], { ending: "reset" }),
    outcome: "next",
    code: "connection_error",
  },
  {
    name: "an end before content",
    of: "stream",
    script: eventReply([role]),
    outcome: "next",
    code: "connection_error",
  },
  {
    name: "silence before content",
    of: "stream",
    script: eventReply([role, ": keep-alive\n\n"], { ending: "stall" }),
    outcome: "next",
    code: "timeout",
  },
  {
    name: "an error event before content",
    of: "stream",
    script: eventReply([role, event(errorBody("upstream_error"))]),
    outcome: "next",
    code: "upstream_error",
  },
  {
    name: "an error event that is the caller's fault",
    of: "stream",
    script: eventReply([role, event(errorBody("invalid_request"))]),
    outcome: "throw",
    code: "invalid_request",
  },
  {
    name: "an event that is no JSON",
    of: "stream",
    script: eventReply([role, "data: {oops\n\n"]),
    outcome: "next",
    code: "connection_error",
  },
  {
    name: "an error event after content",
    of: "stream",
    script: eventReply([...streamOf("first").slice(0, 2), event(errorBody("upstream_error"))]),
    outcome: "throw",
    code: "upstream_error",
  },
  {
    name: "a reset after content",
    of: "stream",
    script: eventReply(streamOf("first").slice(0, 2), { ending: "reset" }),
    outcome: "throw",
    code: "connection_error",
  },
];

/** What happens when a model of three fails so, in each place of the row. */
const OUTCOMES: Readonly<Record<Fault["outcome"], string>> = {
  next: "2nd asked | 3rd asked | thrown",
  throw: "thrown | thrown | thrown",
};

/** The matrix as documentation shows it: fault × form × place. */
export function matrixTable(): string {
  const forms = { both: "whole, stream", whole: "whole", stream: "stream" };
  const rows = FAULTS.map(({ name, of, outcome }) => `| ${name} | ${forms[of]} | ${OUTCOMES[outcome]} |`);
  const head = [
    "| the model fails with | answer | as the 1st | as the 2nd | as the last |",
    "|---|---|---|---|---|",
  ];
  return [...head, ...rows].join("\n");
}
