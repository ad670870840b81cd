import type { JsonObject } from "../../../providers/chat.js";

/** What a provider said, and the body that it said it about, in the form of any API. */
export interface Refused {
  readonly text: string;
  /** The field as the provider named it beside the text. */
  readonly param: string | null;
  readonly code: string | null;
  readonly sent: JsonObject;
}

/** A change of request bodies. */
export interface Change {
  /** What is changed, for the log: never a value of the caller's. */
  readonly field: string;
  /** One of few: a later change with the same key takes this one's place. */
  readonly key: string;
  /**
   * `alike`: for requests alone that think and choose tools as this one did; `once`: for the reasoning that this one carries;
   * `now`: for this one alone.
   */
  readonly scope: "always" | "alike" | "once" | "now";
  /** Returns the body itself when it has nothing to change. */
  readonly apply: (body: JsonObject) => JsonObject;
}

export type Finder = (refused: Refused) => Change | null;

/** One change, for refusals of these words. */
export const whenSaid =
  (words: RegExp, change: Change): Finder =>
  ({ text }) =>
    words.test(text) ? change : null;

/** A provider knows no such field, or one value of it for this model. */
const HAS_NONE =
  /n[o']t support(?:ed)?\b|unsupported|is deprecated for|unknown (?:name|parameter|field)|unrecognized|extra inputs|not permitted|only (?:the default|1 is|be set to)/i;

const UNKNOWN = new Set<unknown>(["unsupported_parameter", "unsupported_value", "unknown_parameter"]);

/** Whether the provider says that it has no such field, or no such value of it. */
export const hasNone = ({ text, code }: Refused): boolean => UNKNOWN.has(code) || HAS_NONE.test(text);

export const isSet = (value: unknown): boolean => value !== undefined && value !== null;

/** The object without a member; itself when it has none. */
export function without(holder: JsonObject, name: string): JsonObject {
  if (!(name in holder)) return holder;
  const { [name]: _left, ...rest } = holder;
  return rest;
}
