/** Requests that a preset answers because a budget is used up. */
import type { BudgetSwitch } from "../access/limits/limit-replies.js";
import type { Settings } from "../settings.js";
import { autoWeight } from "./auto-weight.js";
import { withOutputCap } from "./caps.js";
import type { InferenceRequest } from "./request.js";

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

interface SwitchOptions {
  readonly settings: Pick<Settings, "presets" | "autoCostWeight">;
  /** Of the caller's API key. */
  readonly keyWeight: number | null | undefined;
}

/**
 * The request as one for the preset. Providers that the caller named, and the caller's rules for them, still hold; fallbacks do not,
 * since they would cost what the budget no longer pays.
 */
export function switched(
  request: InferenceRequest,
  instead: BudgetSwitch,
  { settings, keyWeight }: SwitchOptions,
): InferenceRequest {
  const preset = settings.presets.find(({ name }) => name === instead.preset);
  // Settings that changed meanwhile: the budget of before named it.
  if (preset === undefined) return request;
  const { choice, body, functionsOnly, native } = request;
  const { provider, hosts, conversation } = choice;
  const named = choice.type === "named" ? choice : choice.effortOf;
  const asked = named === undefined ? "" : ` instead of ${named.model}`;
  const most = preset.max_tokens;
  return {
    ...request,
    fallbacks: [],
    choice: {
      type: "routed",
      provider,
      hosts,
      conversation,
      preset: preset.name,
      models: preset.models,
      costWeight: autoWeight(settings, { preset, keyWeight }),
      note: `the budget ${instead.budget} is used up, and the preset ${preset.name} answers${asked}`,
    },
    body: withOutputCap(body, most, "chat"),
    ...(functionsOnly && {
      functionsOnly: { ...functionsOnly, body: withOutputCap(functionsOnly.body, most, "chat") },
    }),
    ...(native && {
      native: {
        ...native,
        request: {
          ...native.request,
          body: withOutputCap(native.request.body, most, native.request.api),
        },
      },
    }),
  };
}
