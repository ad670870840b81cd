/** What callers of the embedded router pass. */
import { z } from "zod";
import { closedObject } from "../../foundation/closed-object.js";
import { invalidRequest } from "../../foundation/issue-text.js";
import {
  latencyWeight,
  type MaxLatencyField,
  maxLatencyMs,
  timesAsked,
} from "../../foundation/latency-fields.js";
import type { PreviousAnswer, RouteRequest } from "../router/decision.js";
import type { ConversationMessage } from "../router/routing-text.js";

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

const ROLES = ["system", "developer", "user", "assistant", "tool"] as const;
const badContent = { error: "it must be a string, a list of parts with a `type`, or null" };
const message = z.looseObject(
  {
    role: z.enum(ROLES, { error: `it must be one of ${ROLES.join(", ")}` }),
    content: z.union([z.string(), z.array(z.looseObject({ type: z.string() })), z.null()], badContent),
  },
  { error: "it must be an object with `role` and `content`" },
);

const messages = z.array(message).min(1, { error: "it must hold at least one message" });
const prompt = z.union([z.string(), messages], { error: "it must be a string or a list of messages" });

const isObject = (value: unknown): boolean => typeof value === "object" && value !== null;
const isFunction = (value: unknown): boolean => typeof value === "function";

const number = (error: string) => z.number({ error });
const model = z.string({ error: "it must be a model id" }).min(1, { error: "it must be a model id" });
const weight = "it must be a number of at least 0";
const dollars = "it must be a number of US dollars above 0";
const tokens = "it must be a whole number of at least 1";
const flag = z.boolean({ error: "it must be true or false" });

const options = closedObject(
  {
    models: z.array(model, { error: "it must be a list of at least two model ids" }).optional(),
    costWeight: number(weight).min(0, { error: weight }).optional(),
    maxMeanCostUsd: number(dollars).positive({ error: dollars }).optional(),
    maxLatencyMs,
    latencyWeight,
    maxTokens: z.int({ error: tokens }).min(1, { error: tokens }).optional(),
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
