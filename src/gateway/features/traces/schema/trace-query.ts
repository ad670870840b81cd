import { z } from "zod";
import { SextantError } from "../../../../foundation/errors.js";
import { nearestName } from "../../../../foundation/nearest-name.js";
import { isMetadataDimension, type TraceDimension } from "../../../traces/series.js";
import {
  type MetadataMatch,
  SORT_DIRECTIONS,
  TRACE_SORTS,
  type TraceFilter,
  type TracePage,
  type TraceSort,
} from "../../../traces/store.js";
import { TOOL_LOOP_STATES, TRACE_KINDS, TRACE_STATUSES } from "../../../traces/trace.js";
import { parseInstant } from "./instant.js";

/** What `GET /v1/traces` asks for. */
export interface TraceQuery {
  readonly filter: TraceFilter;
  readonly page: TracePage;
}

/** A query string, decoded: a parameter that came several times has a list. */
export type RawQuery = Readonly<Record<string, string | readonly string[] | undefined>>;

export const MAX_PAGE = 1000;
export const DEFAULT_PAGE = 100;

const METADATA = "metadata.";

interface Parameter {
  /** One sentence for the documentation. */
  readonly description: string;
  readonly read: (
    text: string,
    name: string,
  ) => { readonly filter?: TraceFilter; readonly page?: Partial<TracePage> };
}

const filterBy = <Member extends keyof TraceFilter>(
  member: Member,
  read: (text: string, name: string) => TraceFilter[Member],
  description: string,
): Parameter => ({ description, read: (text, name) => ({ filter: { [member]: read(text, name) } }) });

/** The parameters of `GET /v1/traces`, beside `metadata.<key>`. */
export const TRACE_PARAMETERS: Readonly<Record<string, Parameter>> = {
  limit: {
    description: `Maximum number of traces to answer with, 1 to ${MAX_PAGE}; default ${DEFAULT_PAGE}.`,
    read: (text, name) => ({ page: { limit: wholeNumber(text, name, { from: 1, to: MAX_PAGE }) } }),
  },
  offset: {
    description: "Traces to pass over, from the newest; default 0.",
    read: (text, name) => ({
      page: { offset: wholeNumber(text, name, { from: 0, to: Number.MAX_SAFE_INTEGER }) },
    }),
  },
  start_date: filterBy(
    "startMs",
    instant,
    "Earliest arrival, inclusive: an ISO 8601 date or time, UTC without a zone.",
  ),
  end_date: filterBy(
    "endMs",
    instant,
    "End of arrivals, exclusive: an ISO 8601 date (its first moment) or time, UTC without a zone.",
  ),
  source: filterBy("source", filled, "Source of the request."),
  model_id: filterBy("model", filled, "Model that answered or was tried last."),
  model_contains: filterBy(
    "modelPart",
    filled,
    "Part of the name of the model that answered or was asked for, in any case.",
  ),
  requested_model: filterBy(
    "requestedModel",
    filled,
    "Model as the request named it: also a deployment, `auto` or a preset.",
  ),
  provider: filterBy("provider", filled, "Provider that answered or was tried last."),
  status: filterBy("status", oneOf(TRACE_STATUSES), `How the request ended: ${TRACE_STATUSES.join(", ")}.`),
  kind: filterBy("kind", oneOf(TRACE_KINDS), `What was asked for: ${TRACE_KINDS.join(", ")}.`),
  key: filterBy(
    "principals",
    (text, name) => [filled(text, name)],
    "Who asked: the id of an API key (`key_…`), or `jwt:` and the subject of a token. May be repeated; any may match.",
  ),
  error_code: filterBy("errorCode", filled, "Code of the error that ended the request."),
  attempt_code: filterBy(
    "attemptCode",
    filled,
    "Code of an attempt, also of one that a retry or a fallback recovered, or of the error that ended the request; `model_id` and `provider` are then those of that attempt.",
  ),
  executed: filterBy(
    "executed",
    yesOrNo,
    "Whether anything was run: false for decisions alone, true for all others.",
  ),
  has_feedback: filterBy("hasFeedback", yesOrNo, "Whether its client gave feedback: true, false."),
  other_model: filterBy(
    "otherModel",
    yesOrNo,
    "Whether a reply named another model than was asked for: true, false.",
  ),
  tool_loop: filterBy(
    "toolLoop",
    oneOf(TOOL_LOOP_STATES),
    `Part of a tool loop in that state: ${TOOL_LOOP_STATES.join(", ")}.`,
  ),
  effort: filterBy(
    "effort",
    filled,
    "Effort of reasoning that was asked for, such as high, by the caller, the decision or the model's settings.",
  ),
  q: filterBy(
    "text",
    filled,
    "Part of the prompt or of the answer, in any case; nothing is a wildcard. Reasoning is not searched.",
  ),
};

/** Description of the routes that take these parameters. */
export const TRACE_QUERY_DESCRIPTION =
  "Besides the parameters below: `metadata.<key>=<value>`: a metadata value, compared as text. May be repeated; all must match.";

/** What a search of traces may be asked, and how it is read. */
export interface SearchQuery<Asked> {
  /**
   * For the OpenAPI document alone: `parse` checks the parameters, with messages of its own. `metadata.<key>`, which has no
   * one name, is in the description of the routes.
   */
  readonly schema: z.ZodObject;
  /** @throws SextantError `invalid_request` that names the parameter, its value and the remedy */
  parse(raw: RawQuery): Asked;
}

const described = (
  parameters: Readonly<Record<string, Pick<OwnParameter<unknown>, "description" | "required">>>,
) =>
  Object.fromEntries(
    Object.entries(parameters).map(([name, { description, required }]) => [
      name,
      required === true ? z.string().describe(description) : z.string().optional().describe(description),
    ]),
  );

const { limit: _limit, offset: _offset, ...FILTERS } = TRACE_PARAMETERS;

/** The query string of `GET /v1/traces`. */
export const traceQuery: SearchQuery<TraceQuery> = {
  schema: z.object(described(TRACE_PARAMETERS)),
  parse: parseTraceQuery,
};

/** The query string of `GET /admin/traces`: that of `GET /v1/traces`, `sort` and `order`. */
export const operatorQuery: SearchQuery<TraceQuery> = {
  schema: traceQuery.schema.extend(
    described({
      sort: {
        description: `What to order by: ${TRACE_SORTS.join(", ")}. Default: created_at. Unknown figures come last.`,
      },
      order: { description: `${SORT_DIRECTIONS.join(" or ")}; default desc.` },
    }),
  ),
  parse({ sort, order, ...rest }) {
    const { filter, page } = parseTraceQuery(rest);
    if (sort === undefined && order === undefined) return { filter, page };
    const by = nameIn(TRACE_SORTS, joinedValue(sort ?? "created_at"), { param: "sort", ...ONE_OF });
    const direction = nameIn(SORT_DIRECTIONS, joinedValue(order ?? "desc"), { param: "order", ...ONE_OF });
    return { filter, page: { ...page, order: { by, direction } } };
  },
};

export type { TraceSort };

/** A parameter beside the filters. */
interface OwnParameter<Value> {
  /** One sentence for the documentation. */
  readonly description: string;
  readonly required?: true;
  /** What is read when it is left out; default: the empty text. */
  readonly default?: string;
  /** @param text what comes several times is joined by commas */
  readonly read: (text: string) => Value;
}

/** The filters of `GET /v1/traces` for all that match, and parameters of a route's own. Those of a page are refused. */
export function searchQuery<Own extends object>(
  own: {
    readonly [Name in keyof Own]: OwnParameter<Own[Name]>;
  },
): SearchQuery<Own & { readonly filter: TraceFilter }> {
  const parameters = Object.entries(own) as [string, OwnParameter<unknown>][];
  return {
    schema: z.object({ ...described(own), ...described(FILTERS) }),
    parse(raw) {
      const filters = Object.entries(raw).filter(([name]) => !Object.hasOwn(own, name));
      const filter = filterOf(Object.fromEntries(filters));
      const values = parameters.map(([name, parameter]) => [
        name,
        parameter.read(joinedValue(raw[name] ?? parameter.default)),
      ]);
      return { ...(Object.fromEntries(values) as Own), filter };
    },
  };
}

const joinedValue = (value: RawQuery[string] = ""): string => [value].flat().join(",");

function filterOf(raw: RawQuery): TraceFilter {
  const paging = ["limit", "offset"].find((name) => raw[name] !== undefined);
  if (paging === undefined) return parseTraceQuery(raw).filter;
  throw invalidParameter(paging, `\`${paging}\` does not go here: all that match are taken. Leave it out.`);
}

/**
 * Reads and checks the query string of `GET /v1/traces`.
 *
 * @throws SextantError `invalid_request` that names the parameter, its value and the remedy
 */
export function parseTraceQuery(raw: RawQuery): TraceQuery {
  let filter: TraceFilter = {};
  let page: TracePage = { limit: DEFAULT_PAGE, offset: 0 };
  const metadata: MetadataMatch[] = [];
  const principals: string[] = [];
  for (const [name, value] of Object.entries(raw)) {
    if (value === undefined) continue;
    if (name.startsWith(METADATA)) {
      metadata.push(...metadataMatches(name, value));
      continue;
    }
    const parameter = knownParameter(name);
    for (const text of name === "key" ? [value].flat() : [single(value, name)]) {
      const read = parameter.read(text, name);
      principals.push(...(read.filter?.principals ?? []));
      filter = { ...filter, ...read.filter, ...(principals.length > 0 && { principals }) };
      page = { ...page, ...read.page };
    }
  }
  return { filter: metadata.length > 0 ? { ...filter, metadata } : filter, page };
}

/** Names of the forms in which traces leave; each is also the usual extension of such files. */
export const EXPORT_FORMAT_NAMES = ["jsonl", "csv"] as const;

export type ExportFormatName = (typeof EXPORT_FORMAT_NAMES)[number];

/** The query string of `GET /admin/traces/export`. */
export const exportQuery = searchQuery<{ format: ExportFormatName }>({
  format: {
    description: `Form of the file: ${EXPORT_FORMAT_NAMES.join(", ")}. Default: jsonl.`,
    default: "jsonl",
    read: (text) =>
      nameIn(EXPORT_FORMAT_NAMES, text, {
        param: "format",
        fault: (value) => `is ${value}, which is not a format.`,
      }),
  },
});

interface Naming {
  readonly param: string;
  /** What is wrong with a value that is none of the names. */
  readonly fault: (value: string) => string;
  /** Comes before the names when none of them is near. */
  readonly remedy?: string;
}

/** Of a parameter that has to be one of the names. */
export const ONE_OF = { fault: (value: string) => `is ${value}.`, remedy: "It must be one of" } as const;

/** @throws SextantError `invalid_request` that names the nearest of the names, or all of them */
export function nameIn<Name extends string>(
  names: readonly Name[],
  text: string,
  { param, fault, remedy = "Known are" }: Naming,
): Name {
  const name = names.find((known) => known === text);
  if (name !== undefined) return name;
  const typed = text.slice(0, 40);
  const nearest = nearestName(typed, names);
  const hint = nearest === undefined ? `${remedy} ${names.join(", ")}.` : `Did you mean "${nearest}"?`;
  throw invalidParameter(param, `\`${param}\` ${fault(JSON.stringify(typed))} ${hint}`);
}

/** As `nameIn`, of a dimension: one of the names, or `metadata.` and a key. */
export function dimensionIn<Name extends string>(
  names: readonly Name[],
  text: string,
  naming: Naming,
): Name | Extract<TraceDimension, `metadata.${string}`> {
  if (isMetadataDimension(text)) return text;
  return nameIn([...names, "metadata.<key>" as Name], text, naming);
}

function metadataMatches(name: string, value: string | readonly string[]): MetadataMatch[] {
  const key = name.slice(METADATA.length);
  if (key === "") throw invalidParameter(name, "`metadata.` lacks a key. Write `metadata.<key>=<value>`.");
  return [value].flat().map((text) => ({ key, value: text }));
}

function knownParameter(name: string): Parameter {
  const parameter = Object.hasOwn(TRACE_PARAMETERS, name) ? TRACE_PARAMETERS[name] : undefined;
  if (parameter !== undefined) return parameter;
  const known = Object.keys(TRACE_PARAMETERS);
  const meant = ["metadata.<key>", ...known].find(
    (parameter) => parameter.startsWith(`${name}_`) || parameter.startsWith(`${name}.`),
  );
  const nearest = meant ?? nearestName(name, known);
  const remedy =
    nearest === undefined
      ? `Known are ${known.join(", ")} and metadata.<key>.`
      : `Did you mean \`${nearest}\`?`;
  throw invalidParameter(name, `\`${shortened(name)}\` is not a parameter. ${remedy}`);
}

function single(value: string | readonly string[], name: string): string {
  if (typeof value === "string") return value;
  const [only, ...further] = value;
  if (only !== undefined && further.length === 0) return only;
  throw invalidParameter(name, `\`${name}\` is given ${value.length} times. Give it once.`);
}

function wholeNumber(text: string, name: string, { from, to }: { from: number; to: number }): number {
  const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= from && value <= to) return value;
  const range = to === Number.MAX_SAFE_INTEGER ? `${from} or more` : `from ${from} to ${to}`;
  throw invalidParameter(
    name,
    `\`${name}\` ${shown(text)}: it must be a whole number ${range}. Correct it, or leave it out.`,
  );
}

function instant(text: string, name: string): number {
  const parsed = parseInstant(text);
  if ("ms" in parsed) return parsed.ms;
  throw invalidParameter(
    name,
    `\`${name}\` ${shown(text)}: it ${parsed.fault}. Correct it, or leave it out.`,
  );
}

function oneOf<Value extends string>(values: readonly Value[]) {
  return (text: string, name: string): Value => {
    const value = values.find((allowed) => allowed === text);
    if (value !== undefined) return value;
    throw invalidParameter(
      name,
      `\`${name}\` ${shown(text)}: it must be one of ${values.join(", ")}. Correct it, or leave it out.`,
    );
  };
}

function yesOrNo(text: string, name: string): boolean {
  return oneOf(["true", "false"])(text, name) === "true";
}

function filled(text: string, name: string): string {
  if (text !== "") return text;
  throw invalidParameter(name, `\`${name}\` is empty. Give it a value, or leave it out.`);
}

export const invalidParameter = (param: string, message: string): SextantError =>
  new SextantError("invalid_request", message, { param: shortened(param) });

const shown = (text: string): string => (text === "" ? "is empty" : `is ${JSON.stringify(shortened(text))}`);

const shortened = (text: string): string => (text.length > 40 ? `${text.slice(0, 40)}…` : text);
