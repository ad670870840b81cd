import { InvalidArgumentError } from "commander";
import { snakeCased } from "../../foundation/snake-case.js";
import { TOOL_LOOP_STATES, TRACE_KINDS, TRACE_STATUSES } from "../../gateway/index.js";
import { choice, flagOf, type OptionsOf, option, type Read } from "../command.js";
import { instant, wholeNumberWithin } from "../options.js";

/** Parameters of `GET /v1/traces` and `GET /admin/traces/stats`, as their query strings have them. */
export type TraceParameters = Readonly<Record<string, string | readonly string[]>>;

const YES_OR_NO = ["true", "false"] as const;

/** Those of `GET /v1/traces`, each an option of the same name. */
const FILTERS = {
  startDate: option(
    "<when>",
    "earliest arrival, inclusive: ISO 8601, UTC without a zone, or 24h ago",
    instant,
  ),
  endDate: option("<when>", "end of arrivals, exclusive", instant),
  source: option("<source>", "source of the request"),
  modelId: option("<id>", "model that answered or was tried last"),
  modelContains: option("<text>", "part of the model's name, answered or asked for, in any case"),
  requestedModel: option("<id>", "model as the request named it, such as auto"),
  provider: option("<id>", "provider that answered or was tried last"),
  status: choice("<status>", "outcome of the request", TRACE_STATUSES),
  kind: choice("<kind>", "kind of request", TRACE_KINDS),
  key: option("<id>", "id of the API key, or jwt: and the subject of a token"),
  errorCode: option("<code>", "code of the error that ended the request"),
  attemptCode: option(
    "<code>",
    "error code of an attempt, recovered ones included, or of the error that ended the request",
  ),
  executed: choice("<yes>", "false: only decisions that were not executed", YES_OR_NO),
  hasFeedback: choice("<yes>", "whether its client gave feedback", YES_OR_NO),
  otherModel: choice("<yes>", "whether a reply named another model", YES_OR_NO),
  toolLoop: choice("<state>", "tool loops in this state", TOOL_LOOP_STATES),
  effort: option("<effort>", "requested reasoning effort, such as high"),
  q: option("<text>", "text in the prompt or the answer, in any case"),
};

const keyAndValue: Read<readonly [string, string]> = (text) => {
  const end = text.indexOf("=");
  if (end > 0) return [text.slice(0, end), text.slice(end + 1)];
  throw new InvalidArgumentError("It must have the form key=value.");
};

export const FILTER_OPTIONS = {
  ...FILTERS,
  metadata: option(
    "<key=value>",
    "metadata value; may be repeated, and all must match",
    keyAndValue,
  ).repeated(),
};

export const SINCE_OPTION = { since: option("<when>", "the same as --start-date, such as 30d", instant) };

type FilterOptions = OptionsOf<typeof FILTER_OPTIONS & typeof SINCE_OPTION>;

/** The parameters of the options that are filters; others are left out. */
export function filterParameters({ since, ...options }: FilterOptions): TraceParameters {
  const given: Readonly<Record<string, unknown>> = { startDate: since, ...options };
  const parameters: Record<string, string | string[]> = {};
  for (const name of Object.keys(FILTERS)) {
    const value = given[name];
    if (typeof value === "string") Object.assign(parameters, snakeCased({ [name]: value }));
  }
  for (const [key, value] of options.metadata ?? []) {
    const name = `metadata.${key}`;
    parameters[name] = [parameters[name] ?? [], value].flat();
  }
  return parameters;
}

/** `start_date` → `--start-date`: how the command line calls a parameter. */
export const optionName = (parameter: string): string =>
  parameter.startsWith("metadata.") ? "--metadata" : flagOf(parameter.replaceAll("_", "-"));

/** A number that is handed on as text. */
export const countWithin = (from: number, to: number): Read<string> => {
  const read = wholeNumberWithin(from, to);
  return (text, context) => String(read(text, context));
};
