import { isJsonObject } from "../../providers/chat.js";
import { effortsIn, isEffort } from "../attempts/repairs/efforts.js";
import type { InferenceRequest, NativeForm } from "../request.js";

/** What of a request may name an effort. */
export type EffortFields = Pick<InferenceRequest, "body" | "native"> & {
  readonly effort?: string | null | undefined;
};

/**
 * How much reasoning a request itself asks for, whichever vendor's field it uses: the candidates are then judged at that effort, and no
 * candidate's own effort is sent. Undefined when it asks for none in particular: the effort is then part of the choice.
 *
 * Fields: https://platform.claude.com/docs/en/build-with-claude/extended-thinking, https://api-docs.deepseek.com/guides/thinking_mode,
 * https://help.aliyun.com/en/model-studio/deep-thinking, https://openrouter.ai/docs/use-cases/reasoning-tokens (read on 2026-11-25).
 */
export function callerEffort({ body, effort, native }: EffortFields): string | undefined {
  const named = effort ?? switchedOff(native) ?? effortsIn(body)[0];
  if (named !== undefined) return isEffort(named) ? named : undefined;
  const { thinking, reasoning, enable_thinking, chat_template_kwargs } = body;
  if (isJsonObject(thinking)) return thinking.type === "disabled" ? "none" : "high";
  const template = isJsonObject(chat_template_kwargs) ? chat_template_kwargs.enable_thinking : undefined;
  const isOn = isJsonObject(reasoning) ? reasoning.enabled : (enable_thinking ?? template);
  if (typeof isOn !== "boolean") return undefined;
  return isOn ? "high" : "none";
}

/** The effort of a request in the form of Anthropic's API that switches thinking off: its translation says nothing of that. */
export function switchedOff(native: NativeForm | undefined): "none" | undefined {
  const { thinking } = native?.request.body ?? {};
  return isJsonObject(thinking) && thinking.type === "disabled" ? "none" : undefined;
}
