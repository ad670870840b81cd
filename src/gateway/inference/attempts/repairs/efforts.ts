import { isJsonObject, type JsonObject } from "../../../providers/chat.js";
import { type Change, type Finder, hasNone, withMember, without } from "./change.js";

/** Least first. */
const EFFORTS = ["none", "minimal", "low", "medium", "high", "xhigh", "max"] as const;
type Effort = (typeof EFFORTS)[number];

/** Whether it is a word for an effort that some vendor has. */
export const isRequestEffort = (value: string): value is Effort =>
  (EFFORTS as readonly string[]).includes(value);

const EFFORT_HOLDERS = ["reasoning", "output_config"] as const;

/** The effort that a body asks for, in the form of any API; undefined when it asks for none. */
export function effortIn(body: JsonObject): string | undefined {
  if (typeof body.reasoning_effort === "string") return body.reasoning_effort;
  for (const name of EFFORT_HOLDERS) {
    const holder = body[name];
    if (isJsonObject(holder) && typeof holder.effort === "string") return holder.effort;
  }
  return undefined;
}

const NAMES_EFFORT =
  /reasoning[_.]?effort|output_config\.effort|\beffort parameter|\bthink(?:ing)? (?:value|level)|does not support thinking/i;
const ALWAYS_THINKS = /reasoning is mandatory|only works in thinking mode/i;
const LISTS_EFFORTS = /(?:supported values are|must be one of|should be|expected one of)[:\s](.*)/is;
/** The field itself is not known, whatever its value. */
const HAS_NO_EFFORT =
  /unsupported parameter|support (?:the )?(?:effort )?parameter|support thinking|think value|extra inputs|unknown name/i;

/** An effort that the model has; none where it has none. */
export const otherEffort: Finder = (refused) => {
  const { text, param, sent } = refused;
  const asked = effortIn(sent);
  if (ALWAYS_THINKS.test(text)) return effortChange("none", (effort) => (effort === "none" ? null : effort));
  const isNamed = param === null ? NAMES_EFFORT.test(text) : param.endsWith("effort");
  if (asked === undefined || !isNamed || !isRequestEffort(asked)) return null;
  const listed: readonly string[] = LISTS_EFFORTS.exec(text)?.[1]?.match(/[a-z]+/g) ?? [];
  const accepted = EFFORTS.filter((effort) => effort !== asked && listed.includes(effort));
  if (accepted.length > 0)
    return effortChange("listed", (effort) =>
      isRequestEffort(effort) ? nearest(effort, accepted, asked) : effort,
    );
  if (!hasNone(refused)) return null;
  if (HAS_NO_EFFORT.test(text)) return effortChange("all", () => null);
  // Whoever has efforts has these two.
  const known = nearest(asked, ["low", "high"], asked);
  return effortChange(asked, (effort) => (effort === asked ? (known === asked ? null : known) : effort));
};

/** Of two that are equally near the lower one; thinking is not switched off for who asked for some. */
function nearest(effort: Effort, accepted: readonly Effort[], refused: Effort): Effort {
  if (effort !== refused && accepted.includes(effort)) return effort;
  const some = accepted.filter((one) => one !== "none");
  const choice = effort === "none" || some.length === 0 ? accepted : some;
  const distance = (one: Effort): number => {
    const steps = EFFORTS.indexOf(one) - EFFORTS.indexOf(effort);
    return steps > 0 ? steps + 0.5 : -steps;
  };
  return choice.reduce((best, one) => (distance(one) < distance(best) ? one : best));
}

/** Null: no effort is asked for. */
type Choose = (effort: string) => string | null;

const effortChange = (key: string, choose: Choose): Change => ({
  key: `effort ${key}`,
  scope: "always",
  apply: (body) => withEffort(body, choose),
});

function withEffort(body: JsonObject, choose: Choose): JsonObject {
  const chosen = (effort: unknown) => (typeof effort === "string" ? (choose(effort) ?? undefined) : effort);
  return EFFORT_HOLDERS.reduce(
    (whole, name) =>
      withMember(whole, name, (holder) => {
        if (!isJsonObject(holder)) return holder;
        // OpenRouter's way to say `none`.
        const isOff = name === "reasoning" && holder.enabled === false && choose("none") === null;
        const changed = isOff ? without(holder, "enabled") : withMember(holder, "effort", chosen);
        return changed !== holder && Object.keys(changed).length === 0 ? undefined : changed;
      }),
    withMember(body, "reasoning_effort", chosen),
  );
}
