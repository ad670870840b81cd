import { isJsonObject, type JsonObject } from "../../providers/chat.js";

/** What a provider said, and the body that it said it about, in the form of any API. */
export interface Refused {
  readonly text: string;
  /** The field as the provider named it beside the text. */
  readonly param: string | null;
  readonly code: string | null;
  readonly sent: JsonObject;
}

/** What words that a provider said hold: all of them, then the parts that are captured. */
export type Said = readonly (string | undefined)[];

/** A change of request bodies. */
export interface Change {
  /** One of few: a later change with the same key takes this one's place. */
  readonly key: string;
  /** Kept for requests that think and choose tools as this one did; `sealed`: for the reasoning in this one; `now`: not kept. */
  readonly scope: "alike" | "sealed" | "now";
  /** Returns the body itself when it has nothing to change. */
  readonly apply: (body: JsonObject) => JsonObject;
}

export const isSet = (value: unknown): boolean => value !== undefined && value !== null;

/** The object with a member changed, or without it where that becomes undefined; itself when it has none, or the same one. */
export function withMember(
  holder: JsonObject,
  name: string,
  change: (member: unknown) => unknown,
): JsonObject {
  if (!(name in holder)) return holder;
  const { [name]: member, ...others } = holder;
  const changed = change(member);
  if (changed === member) return holder;
  return changed === undefined ? others : { ...holder, [name]: changed };
}

/** The object without a member; itself when it has none. */
export const without = (holder: JsonObject, name: string): JsonObject =>
  withMember(holder, name, () => undefined);

/** The list itself where it stays the same. */
export const changedList = <Item>(list: readonly Item[], changed: readonly Item[]): readonly Item[] =>
  changed.length === list.length && changed.every((item, at) => item === list[at]) ? list : changed;

/**
 * A list or an object with each member changed, without those that become undefined; itself when all stay the same.
 *
 * @param change gets the name of a member, which is empty for those of a list
 */
export function eachMember(value: unknown, change: (member: unknown, name: string) => unknown): unknown {
  if (Array.isArray(value)) {
    const changed = value.map((item: unknown) => change(item, ""));
    return changedList(
      value,
      changed.filter((item) => item !== undefined),
    );
  }
  if (!isJsonObject(value)) return value;
  return Object.keys(value).reduce<JsonObject>(
    (whole, name) => withMember(whole, name, (member) => change(member, name)),
    value,
  );
}
