import { SextantError } from "../../../foundation/errors.js";
import { editDistance } from "../../../foundation/nearest-name.js";

const MOST_SHOWN = 40;
/** Whoever sends more unknown fields than that has not mistyped one of ours, and comparing each takes 50 µs. */
const MOST_COMPARED = 100;

/**
 * Fields of OpenAI's API and of widespread servers that speak it: they belong to the model, however much one resembles a
 * field that is checked here.
 */
const PROVIDER_FIELDS: ReadonlySet<string> = new Set([
  ...["audio", "function_call", "functions", "logit_bias", "logprobs", "max_completion_tokens", "max_tokens"],
  ...["frequency_penalty", "modalities", "moderation", "n", "parallel_tool_calls", "prediction"],
  ...["presence_penalty", "prompt_cache_key", "prompt_cache_options", "prompt_cache_retention"],
  ...["reasoning_effort", "response_format", "safety_identifier", "seed", "service_tier", "stop", "store"],
  ...["stream_options", "temperature", "tool_choice", "tools", "top_logprobs", "top_p", "user", "verbosity"],
  ...["web_search_options"],
  ...["min_p", "min_tokens", "top_a", "top_k", "tool", "typical_p"],
]);

export interface FieldNames {
  /** Fields of the route's schema. */
  readonly known: readonly string[];
  /** Fields of other routes that people put here, and what to do instead. */
  readonly misplaced?: Readonly<Record<string, string>>;
}

/**
 * A field that is nearly one of ours is a mistake that would otherwise go unnoticed. Other fields pass: they belong to
 * the model that executes the request.
 *
 * @throws SextantError `invalid_request`
 */
export function refuseMisspeltFields(body: object, { known, misplaced = {} }: FieldNames): void {
  const names = [...known, ...Object.keys(misplaced)];
  let compared = 0;
  for (const field in body) {
    if (known.includes(field) || PROVIDER_FIELDS.has(field)) continue;
    compared += 1;
    if (compared > MOST_COMPARED) return;
    const remedy = Object.hasOwn(misplaced, field) ? misplaced[field] : hintFor(field, { names, misplaced });
    if (remedy === undefined) continue;
    const param = field.slice(0, MOST_SHOWN);
    throw new SextantError("invalid_request", `\`${param}\` is not a field of this route. ${remedy}`, {
      param,
    });
  }
}

interface Hints {
  readonly names: readonly string[];
  readonly misplaced: Readonly<Record<string, string>>;
}

function hintFor(field: string, { names, misplaced }: Hints): string | undefined {
  const nearest = names.find((name) => editDistance(field.slice(0, MOST_SHOWN), name) <= tolerance(name));
  if (nearest === undefined) return undefined;
  const remedy = Object.hasOwn(misplaced, nearest) ? ` ${misplaced[nearest]}` : "";
  return `Did you mean \`${nearest}\`?${remedy}`;
}

/** Short names are near to too much. */
const tolerance = (name: string): number => (name.length < 4 ? 0 : name.length < 6 ? 1 : 2);
