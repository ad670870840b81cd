import type { z } from "zod";
import { SextantError } from "./errors.js";
import { numberText } from "./exact-numbers.js";
import { pathText, valueAt } from "./value-path.js";

type Issue = z.core.$ZodIssue;

/** Fields that can hold a prompt, an answer or a secret: of their values only roles and part types are ever repeated. */
const CONTENT_FIELDS: ReadonlySet<PropertyKey> = new Set([
  "messages",
  "input",
  "system",
  "prompt",
  "prompts",
  "suffix",
  "stop",
  "stop_sequences",
  "tools",
  "providers",
]);

/**
 * What is wrong with a request, as an error that names the field, its value and the remedy.
 *
 * Schemas give their issues messages of the form "it must be …".
 */
export function invalidRequest(error: z.ZodError, input: unknown): SextantError {
  const issue = error.issues.map(mostSpecific).sort((left, right) => depth(right) - depth(left))[0];
  if (issue === undefined) return new SextantError("invalid_request", "The request is not valid.");
  if (issue.code === "unrecognized_keys") return unknownField(issue);
  const value = valueAt(input, issue.path);
  if (issue.path.length === 0) {
    const fault = input === undefined || input === null ? "is missing" : kindOf(value);
    return new SextantError("invalid_request", `The body ${fault}. Send a JSON object.`);
  }
  const param = pathText(issue.path);
  const text = `\`${param}\` ${shown(value, issue.path)}: ${issue.message}.`;
  return new SextantError("invalid_request", text, { param });
}

/** `closedObject` gives such an issue its remedy as message. */
function unknownField({ path, keys, message }: z.core.$ZodIssueUnrecognizedKeys): SextantError {
  const param = pathText([...path, keys[0] ?? ""]);
  return new SextantError("invalid_request", `\`${param}\` is not known here. ${message}`, { param });
}

/** Issues of the branch of a union that came furthest, with paths from the root. */
function mostSpecific(issue: Issue): Issue {
  if (issue.code === "invalid_key") return { ...issue, message: issue.issues[0]?.message ?? issue.message };
  if (issue.code !== "invalid_union") return issue;
  const nested = issue.errors.flat().map(mostSpecific);
  const unknown = nested.find(({ code }) => code === "unrecognized_keys");
  const deepest = nested.sort((left, right) => right.path.length - left.path.length)[0];
  if (unknown !== undefined && deepest?.path.length === unknown.path.length)
    return { ...unknown, path: [...issue.path, ...unknown.path] };
  if (deepest === undefined || deepest.path.length === 0) return issue;
  return { ...deepest, path: [...issue.path, ...deepest.path] };
}

const depth = (issue: Issue): number => (issue.code === "custom" ? 0 : 1);

function shown(value: unknown, path: readonly PropertyKey[]): string {
  const last = path.at(-1);
  const isSecret = /^url$|_env$/.test(String(last)) || (path[0] === "alerts" && typeof value === "string");
  const mayShow = last === "role" || last === "type" || !(isSecret || CONTENT_FIELDS.has(path[0] ?? ""));
  if (typeof value === "string" && mayShow) {
    const text = numberText(value);
    const short = text.length > 40 ? `${text.slice(0, 40)}…` : text;
    return `is ${text === value ? JSON.stringify(short) : short}`;
  }
  if ((typeof value === "number" || typeof value === "boolean") && mayShow) return `is ${value}`;
  return kindOf(value);
}

function kindOf(value: unknown): string {
  if (value === undefined) return "is missing";
  if (value === null) return "is null";
  if (Array.isArray(value)) return value.length === 0 ? "is an empty list" : `is a list of ${value.length}`;
  return typeof value === "object" ? "is an object" : `is a ${typeof value}`;
}
