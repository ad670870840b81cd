/** Requests that a preset answers because a budget is used up. */
import type { BudgetSwitch } from "../../access/limits/limit-replies.js";
import type { JsonObject } from "../../providers/chat.js";
import type { Settings } from "../../settings/settings.js";
import type { InferenceRequest } from "../request.js";

/**
 * Whether another model could answer. Videos are not routed, what only some providers can do is not given up, and a
 * comparison is of the models that it names.
 */
export const isSwitchable = ({ kind, body, native, needsCompletions }: InferenceRequest): boolean =>
  kind !== "comparison" &&
  needsCompletions === undefined &&
  native?.use !== "required" &&
  !body.messages.some(
    ({ content }) => Array.isArray(content) && content.some((part) => part?.type === "video_url"),
  );

/**
 * The request as one for the preset. Providers that the caller named, and the caller's rules for them, still hold; fallbacks do not,
 * since they would cost what the budget no longer pays.
 */
export function switched(
  request: InferenceRequest,
  instead: BudgetSwitch,
  { presets, autoCostWeight }: Pick<Settings, "presets" | "autoCostWeight">,
): InferenceRequest {
  const preset = presets.find(({ name }) => name === instead.preset);
  // Settings that changed meanwhile: the budget of before named it.
  if (preset === undefined) return request;
  const { choice, body, native } = request;
  const { provider, hosts, conversation } = choice;
  const asked = choice.type === "named" ? ` instead of ${choice.model}` : "";
  const capped = (fields: JsonObject) => withinTokens(fields, preset.max_tokens);
  return {
    ...request,
    fallbacks: [],
    choice: {
      ...{ type: "routed", provider, hosts, conversation, preset: preset.name, models: preset.models },
      costWeight: preset.cost_weight ?? autoCostWeight,
      note: `the budget ${instead.budget} is used up, and the preset ${preset.name} answers${asked}`,
    },
    body: { ...body, ...capped({ max_tokens: undefined, ...limitsIn(body) }) },
    ...(native && {
      native: {
        ...native,
        request: {
          ...native.request,
          body: { ...native.request.body, ...capped(limitsIn(native.request.body)) },
        },
      },
    }),
  };
}

const LIMIT_FIELDS = ["max_tokens", "max_completion_tokens", "max_output_tokens"] as const;

const limitsIn = (body: JsonObject): JsonObject =>
  Object.fromEntries(
    LIMIT_FIELDS.flatMap((field) => (typeof body[field] === "number" ? [[field, body[field]]] : [])),
  );

/** The limits of tokens, each lowered to that of the preset; one that is undefined becomes it. */
const withinTokens = (limits: JsonObject, most: number | undefined): JsonObject =>
  most === undefined
    ? {}
    : Object.fromEntries(
        Object.entries(limits).map(([field, asked]) => [
          field,
          typeof asked === "number" ? Math.min(asked, most) : most,
        ]),
      );
