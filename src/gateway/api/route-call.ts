/** What callers of the embedded router pass. */
import { z } from "zod";
import type { PreviousAnswer, RouteRequest } from "../../engine/router/decision.js";
import type { ConversationMessage } from "../../engine/router/routing-text.js";
import { closedObject } from "../../foundation/closed-object.js";
import {
  latencyWeight,
  type MaxLatencyField,
  maxLatencyMs,
  timesAsked,
} from "../../foundation/latency-fields.js";
import { costWeight, flag, maxMeanCostUsd, model, tokenLimit } from "./fields.js";
import { invalidRequest } from "./issue-text.js";
import { MESSAGE_ROLES } from "./messages.js";

/** How a prompt is to be decided. */
export interface RouteOptions
  extends Pick<
    RouteRequest,
    | "models"
    | "costWeight"
    | "maxMeanCostUsd"
    | "latencyWeight"
    | "maxTokens"
    | "per"
    | "promptTokens"
    | "explain"
    | "needsTools"
    | "previous"
    | "canRun"
  > {
  /** Milliseconds that nine of ten answers may take, or as `max_latency_ms` of POST /v1/router; models that are slower or were not timed are left out. */
  readonly maxLatencyMs?: MaxLatencyField;
  readonly signal?: AbortSignal;
}

export type Prompt = string | readonly ConversationMessage[];

const badContent = { error: "it must be a string, a list of parts with a `type`, or null" };
const message = z.looseObject(
  {
    role: z.enum(MESSAGE_ROLES, { error: `it must be one of ${MESSAGE_ROLES.join(", ")}` }),
    content: z.union([z.string(), z.array(z.looseObject({ type: z.string() })), z.null()], badContent),
  },
  { error: "it must be an object with `role` and `content`" },
);

const messages = z.array(message).min(1, { error: "it must hold at least one message" });
const prompt = z.union([z.string(), messages], { error: "it must be a string or a list of messages" });

const isObject = (value: unknown): boolean => typeof value === "object" && value !== null;
const isFunction = (value: unknown): boolean => typeof value === "function";

const options = closedObject(
  {
    models: z.array(model, { error: "it must be a list of at least two model ids" }).optional(),
    costWeight,
    maxMeanCostUsd,
    maxLatencyMs,
    latencyWeight,
    maxTokens: tokenLimit.optional(),
    per: z.enum(["call", "task"], { error: 'it must be "call" or "task"' }).optional(),
    promptTokens: z
      .number({ error: "it must be a number of tokens" })
      .min(0, { error: "it must be at least 0" })
      .optional(),
    needsTools: flag.optional(),
    explain: flag.optional(),
    previous: z
      .custom<PreviousAnswer>(isObject, { error: "it must be an object about the answer before" })
      .optional(),
    canRun: z
      .custom<RouteRequest["canRun"]>(isFunction, { error: "it must be a function of a model's id" })
      .optional(),
    signal: z.instanceof(AbortSignal, { error: "it must be an AbortSignal" }).optional(),
  },
  "it must be an object, such as `{ costWeight: 0.3 }`",
).default({});

const call = z.object({ prompt, options });
const manyCall = z.object({
  prompts: z.array(prompt, { error: "it must be a list of prompts" }),
  options,
});

/** As the router takes it. */
interface Cancellation {
  readonly signal?: AbortSignal;
}

/** @throws SextantError `invalid_request`, which names the argument or its field and says what it must be */
export function routeCall(
  prompt: Prompt,
  options: RouteOptions | undefined,
): { readonly request: RouteRequest; readonly cancellation: Cancellation } {
  check(call, { prompt, options });
  const { signal, ...asked } = options ?? {};
  return { request: requestOf(prompt, asked), cancellation: cancellationOf(signal) };
}

/** @throws SextantError as `routeCall` */
export function routeManyCall(
  prompts: readonly Prompt[],
  options: RouteOptions | undefined,
): { readonly requests: readonly RouteRequest[]; readonly cancellation: Cancellation } {
  check(manyCall, { prompts, options });
  const { signal, ...asked } = options ?? {};
  return {
    requests: prompts.map((prompt) => requestOf(prompt, asked)),
    cancellation: cancellationOf(signal),
  };
}

function check(schema: z.ZodType, given: unknown): void {
  const checked = schema.safeParse(given);
  if (!checked.success) throw invalidRequest(checked.error, given);
}

const requestOf = (
  prompt: Prompt,
  { maxLatencyMs: limited, latencyWeight: weight, ...asked }: Omit<RouteOptions, "signal">,
): RouteRequest => ({
  ...asked,
  ...timesAsked(limited, weight),
  messages: typeof prompt === "string" ? [{ role: "user", content: prompt }] : prompt,
});

const cancellationOf = (signal: AbortSignal | undefined): Cancellation =>
  signal === undefined ? {} : { signal };
