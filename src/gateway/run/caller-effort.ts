import type { Deployment } from "../../engine/catalog/deployments/deployment.js";
import { type ChatBody, isJsonObject, type JsonObject } from "../providers/chat.js";
import { effortIn, isRequestEffort } from "./repairs/efforts.js";
import type { InferenceRequest, NativeForm } from "./request.js";

/** What of a request, or of a deployment's parameters, may name an effort. */
export interface EffortFields extends Pick<InferenceRequest, "native"> {
  readonly body: JsonObject;
  readonly effort?: string | null | undefined;
}

/**
 * How much reasoning a request itself asks for, whichever vendor's field it uses: the candidates are then judged at that effort, and no
 * candidate's own effort is sent. Undefined when it asks for none in particular: the effort is then part of the choice.
 *
 * Fields: https://platform.claude.com/docs/en/build-with-claude/extended-thinking, https://api-docs.deepseek.com/guides/thinking_mode,
 * https://help.aliyun.com/en/model-studio/deep-thinking, https://openrouter.ai/docs/use-cases/reasoning-tokens (read on 2026-11-25).
 */
export function callerEffort({ body, effort, native }: EffortFields): string | undefined {
  const named = effort ?? switchedOff(native) ?? effortIn(body);
  if (named !== undefined) return isRequestEffort(named) ? named : undefined;
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

/**
 * The documented default (API §2). The other defaults (`top_p` 1, penalties 0, `n` 1) are those of every provider, and
 * some models refuse these fields, so that they are not sent.
 */
const DEFAULT_TEMPERATURE = 0.7;

interface UpstreamBodyOptions {
  /** `effort` of the request. */
  readonly effort?: string | null | undefined;
}

/**
 * What is sent to a deployment: what the client sent, unchanged, over the fields that ask the model for the effort, over the
 * deployment's own parameters, over the default. The client's body is not changed, and is returned itself when nothing is to
 * be added.
 *
 * The default applies to clients without sampling fields: with `top_p` set, no temperature is added, because some
 * models accept only one of the two.
 */
export function upstreamBody(
  body: ChatBody,
  deployment: Deployment,
  { effort }: UpstreamBodyOptions = {},
): ChatBody {
  const { refuses } = deployment;
  // A second effort beside the client's is refused by some (OpenRouter, where `reasoning` and `reasoning_effort` differ).
  const own = callerEffort({ body, effort }) === undefined ? deployment.parameters : {};
  const parameters = { ...own, ...(typeof effort === "string" && effortFields(deployment, effort)) };
  const saysNothing = body.temperature === undefined && body.top_p === undefined;
  if (saysNothing && !refuses.includes("temperature")) {
    return { ...parameters, ...body, temperature: deployment.parameters.temperature ?? DEFAULT_TEMPERATURE };
  }
  return hasMembers(parameters) ? { ...parameters, ...body } : body;
}

/** An effort that no rule knows is for the provider to refuse. */
function effortFields({ effortParameters = {} }: Deployment, effort: string) {
  if (!hasMembers(effortParameters)) return {};
  return Object.hasOwn(effortParameters, effort) ? effortParameters[effort] : { reasoning_effort: effort };
}

function hasMembers(value: object): boolean {
  for (const _ in value) return true;
  return false;
}
