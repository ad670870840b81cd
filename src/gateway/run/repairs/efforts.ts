import { isJsonObject, type JsonObject, memberOf } from "../../providers/chat.js";
import { type Said, withMember, without } from "./change.js";

/** Least first. */
const EFFORTS = ["none", "minimal", "low", "medium", "high", "xhigh", "max"] as const;
type Effort = (typeof EFFORTS)[number];

/** Whether it is a word for an effort that some vendor has. */
export const isRequestEffort = (value: unknown): value is Effort => EFFORTS.includes(value as Effort);

const EFFORT_HOLDERS = ["reasoning", "output_config"] as const;

/** The effort that a body asks for, in the form of any API; undefined when it asks for none. */
export function effortIn(body: JsonObject): string | undefined {
  if (typeof body.reasoning_effort === "string") return body.reasoning_effort;
  for (const name of EFFORT_HOLDERS) {
    const effort = memberOf(body[name], "effort");
    if (typeof effort === "string") return effort;
  }
  return undefined;
}

function withEffort(body: JsonObject, change: (effort: unknown) => unknown): JsonObject {
  const inHolder = (holder: unknown): unknown => {
    if (!isJsonObject(holder)) return holder;
    const changed = withMember(holder, "effort", change);
    return changed !== holder && Object.keys(changed).length === 0 ? undefined : changed;
  };
  const changed = withMember(body, "reasoning_effort", change);
  return EFFORT_HOLDERS.reduce((whole, name) => withMember(whole, name, inHolder), changed);
}

export const withoutEffort = (body: JsonObject): JsonObject => withEffort(body, () => undefined);

/** Without what switches thinking off: OpenRouter has a member of its own for that. */
export function withThoughts(body: JsonObject): JsonObject {
  const on = withMember(body, "reasoning", (reasoning) =>
    isJsonObject(reasoning) && reasoning.enabled === false ? without(reasoning, "enabled") : reasoning,
  );
  return withEffort(on, (effort) => (effort === "none" ? undefined : effort));
}

/** The nearest effort of those that are listed. */
export function withListedEffort(body: JsonObject, [, list = ""]: Said): JsonObject {
  const words: readonly string[] = list.match(/[a-z]+/g) ?? [];
  const listed = EFFORTS.filter((effort) => words.includes(effort));
  return withEffort(body, (effort) => (isRequestEffort(effort) ? nearest(effort, listed) : effort));
}

/** Of two that are equally near the lower one; thinking is not switched off for who asked for some. */
function nearest(effort: Effort, listed: readonly Effort[]): Effort {
  const some = listed.filter((one) => one !== "none");
  const choice = effort === "none" || some.length === 0 ? listed : some;
  const distance = (one: Effort): number => {
    const steps = EFFORTS.indexOf(one) - EFFORTS.indexOf(effort);
    return steps > 0 ? steps + 0.5 : -steps;
  };
  return choice.toSorted((one, other) => distance(one) - distance(other))[0] ?? effort;
}
