import { type Command, InvalidArgumentError, Option } from "commander";
import { TOOL_LOOP_STATES, TRACE_KINDS, TRACE_STATUSES } from "../../gateway/index.js";
import { parseSpan, wholeNumberWithin } from "../option-values.js";

/** Parameters of `GET /v1/traces` and `GET /admin/traces/stats`, as their query strings have them. */
export type TraceParameters = Readonly<Record<string, string | readonly string[]>>;

export interface FilterOptions {
  readonly startDate?: string;
  readonly endDate?: string;
  readonly source?: string;
  readonly modelId?: string;
  readonly provider?: string;
  readonly status?: string;
  readonly kind?: string;
  readonly key?: string;
  readonly errorCode?: string;
  readonly attemptCode?: string;
  readonly executed?: string;
  readonly hasFeedback?: string;
  readonly otherModel?: string;
  readonly toolLoop?: string;
  readonly effort?: string;
  readonly q?: string;
  readonly metadata?: readonly (readonly [string, string])[];
}

const YES_OR_NO = ["true", "false"];

/** The filters of `GET /v1/traces`, each an option of the same name. */
export function addFilterOptions(command: Command, now: () => number): Command {
  const when = (text: string) => instantText(text, now());
  return command
    .option(
      "--start-date <when>",
      "earliest arrival, inclusive: ISO 8601, UTC without a zone, or 24h ago",
      when,
    )
    .option("--end-date <when>", "end of arrivals, exclusive", when)
    .option("--source <source>", "source of the request")
    .option("--model-id <id>", "model that answered or was tried last")
    .option("--provider <id>", "provider that answered or was tried last")
    .addOption(new Option("--status <status>", "how it ended").choices(TRACE_STATUSES))
    .addOption(new Option("--kind <kind>", "what was asked for").choices(TRACE_KINDS))
    .option("--key <id>", "API key that asked, by its id; or jwt: and the subject of a token")
    .option("--error-code <code>", "code of the error that ended it")
    .option(
      "--attempt-code <code>",
      "code of an attempt, also of a rescued one, or of the error that ended it",
    )
    .addOption(new Option("--executed <yes>", "false: decisions alone").choices(YES_OR_NO))
    .addOption(new Option("--has-feedback <yes>", "whether its client gave feedback").choices(YES_OR_NO))
    .addOption(new Option("--other-model <yes>", "whether a reply named another model").choices(YES_OR_NO))
    .addOption(
      new Option("--tool-loop <state>", "part of a tool loop in that state").choices(TOOL_LOOP_STATES),
    )
    .option("--effort <effort>", "effort of reasoning that was asked for, such as high")
    .option("--q <text>", "part of the prompt or of the answer; case counts")
    .option("--metadata <key=value>", "a metadata value; may be repeated, all must match", collectMatch);
}

export interface ServerOptions {
  readonly url?: string;
}

export function addServerOption(command: Command): Command {
  return command.option(
    "--url <url>",
    "address of a running server to ask, with SEXTANT_API_KEY; default: SEXTANT_BASE_URL, else the store itself",
  );
}

export function filterParameters(options: FilterOptions): TraceParameters {
  const given = {
    start_date: options.startDate,
    end_date: options.endDate,
    source: options.source,
    model_id: options.modelId,
    provider: options.provider,
    status: options.status,
    kind: options.kind,
    key: options.key,
    error_code: options.errorCode,
    attempt_code: options.attemptCode,
    executed: options.executed,
    has_feedback: options.hasFeedback,
    other_model: options.otherModel,
    tool_loop: options.toolLoop,
    effort: options.effort,
    q: options.q,
  };
  const parameters: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(given)) if (value !== undefined) parameters[name] = value;
  for (const [key, value] of options.metadata ?? []) {
    const name = `metadata.${key}`;
    parameters[name] = [parameters[name] ?? [], value].flat();
  }
  return parameters;
}

/** `start_date` → `--start-date`: how the command line calls a parameter. */
export const optionName = (parameter: string): string =>
  parameter.startsWith("metadata.") ? "--metadata" : `--${parameter.replaceAll("_", "-")}`;

function collectMatch(text: string, before: FilterOptions["metadata"] = []) {
  const end = text.indexOf("=");
  if (end > 0) return [...before, [text.slice(0, end), text.slice(end + 1)] as const];
  throw new InvalidArgumentError("It must have the form key=value.");
}

/** A time ago as a date and time; anything else as it is, for the store to read. */
export function instantText(text: string, nowMs: number): string {
  const span = parseSpan(text);
  return span === undefined ? text : new Date(nowMs - span).toISOString();
}

/** Checks a number that is handed on as text. */
export const parseWholeNumber =
  (from: number, to: number) =>
  (text: string): string =>
    String(wholeNumberWithin(from, to)(text));
