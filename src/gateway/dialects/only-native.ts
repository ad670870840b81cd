import type { ChatBody } from "../providers/chat.js";

/** Something in a request that only the provider's own API of this format can serve. */
export interface OnlyNative {
  /** Path of the field, `tools[1].type`. */
  readonly param: string;
  /** What it is, in words that follow "asks for": `the server tool web_search_20250305`. */
  readonly what: string;
  /** Ids of providers that have the API and cannot serve it either. */
  readonly notBy?: Pick<ReadonlySet<string>, "has">;
}

/** A request of another API as a chat request. */
export interface TranslatedRequest {
  /** Without `model`, `stream`, `metadata` and the fields that are ours. */
  readonly body: ChatBody;
  /** How much the model is to reason, `low` or `high`; null when the request does not say. Not in the body. */
  readonly effort: string | null;
  /** When not null, the body lacks it: only the provider's own API may answer, from the request as it came. */
  readonly onlyNative: OnlyNative | null;
}

/** A translation, and what of the request it lacks without being refused for it: fields, types of tools and of items. */
export interface Translation {
  readonly body: ChatBody;
  readonly leftOut: readonly string[];
}

/** Collects what a translation meets and cannot say; the first is what the caller is told. */
export class OnlyNativeNotes {
  #first: OnlyNative | null = null;

  get first(): OnlyNative | null {
    return this.#first;
  }

  add(param: string, what: string, notBy = this.#first?.notBy): void {
    this.#first = { ...(this.#first ?? { param, what }), ...(notBy && { notBy }) };
  }
}

const MOST_SHOWN = 60;

/** The type of a block, tool or source as a message may repeat it. */
export const shownType = (type: string): string => type.slice(0, MOST_SHOWN);
