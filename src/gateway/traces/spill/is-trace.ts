import { isJsonObject } from "../../providers/chat.js";
import type { Trace } from "../trace.js";

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === "string";
const isNumber: Check = (value) => typeof value === "number";
const isBoolean: Check = (value) => typeof value === "boolean";
const isNullOr =
  (check: Check): Check =>
  (value) =>
    value === null || check(value);
const isScalar: Check = (value) => isText(value) || isNumber(value) || isBoolean(value);

/** The last moment that a date can have, in milliseconds since the epoch. */
const LAST_MS = 8.64e15;

const isTime: Check = (value) => Number.isInteger(value) && Math.abs(Number(value)) <= LAST_MS;

const isUsage: Check = (value) =>
  isJsonObject(value) &&
  isNumber(value.prompt_tokens) &&
  isNumber(value.completion_tokens) &&
  isNullOr(isNumber)(value.total_cost_usd);

const isAttempt: Check = (value) =>
  isJsonObject(value) &&
  isText(value.provider) &&
  isText(value.model) &&
  (value.usage === undefined || isUsage(value.usage));

const isMessage: Check = (value) =>
  isJsonObject(value) &&
  isText(value.role) &&
  (isNullOr(isText)(value.content) || (Array.isArray(value.content) && value.content.every(isJsonObject))) &&
  (value.tool_calls === undefined ||
    (Array.isArray(value.tool_calls) && value.tool_calls.every(isJsonObject)));

/** What a store has to be able to write. */
const CHECKS: {
  readonly [Field in keyof Omit<Trace, "feedback" | "toolLoop" | "effort" | "savings">]: Check;
} = {
  requestId: isText,
  kind: isText,
  model: isNullOr(isText),
  provider: isNullOr(isText),
  source: isText,
  principal: isText,
  status: isText,
  createdAtMs: isTime,
  latencyMs: isNumber,
  ttftMs: isNullOr(isNumber),
  streamed: isBoolean,
  finishReason: isNullOr(isText),
  usage: isNullOr(isUsage),
  attempts: (value) => Array.isArray(value) && value.every(isAttempt),
  routing: isNullOr(isJsonObject),
  error: isNullOr((value) => isJsonObject(value) && isText(value.code) && isText(value.message)),
  metadata: (value) => isJsonObject(value) && Object.values(value).every(isScalar),
  content: isNullOr(
    (value) =>
      isJsonObject(value) &&
      (isText(value.input) || (Array.isArray(value.input) && value.input.every(isMessage))) &&
      isText(value.output) &&
      (value.reasoning === undefined || isText(value.reasoning)),
  ),
};

/** Whether a value that came as JSON has every member of a trace with its type, so that a store can take it. */
export const isTrace = (value: unknown): value is Trace =>
  isJsonObject(value) &&
  Object.entries(CHECKS).every(([field, check]) => check(value[field])) &&
  (value.effort === undefined || isText(value.effort)) &&
  (value.toolLoop === undefined || (isJsonObject(value.toolLoop) && isText(value.toolLoop.state))) &&
  (value.savings === undefined ||
    (isJsonObject(value.savings) &&
      isNumber(value.savings.baseline_cost_usd) &&
      isNumber(value.savings.saved_usd)));
