import { createHash } from "node:crypto";
import type { Settings } from "../settings.js";
import type { Store } from "../storage/store.js";
import { RecentValues, type RecentValuesOptions } from "./recent-values.js";

/** Clients refer to items within a conversation. */
const ITEM_TTL_MS = 3_600_000;
/** At xAI 30 days (docs.x.ai/developers/model-capabilities/text/generate-text), at OpenAI too (quoted in community.openai.com/t/1355501); 2026-11-29. */
const RESPONSE_TTL_MS = 30 * 86_400_000;
const MOST_RESPONSES = 100_000;
/** About that number of them. */
const RESPONSE_BYTES = 20_000_000;

/** A response that a provider keeps. */
export interface StoredResponse {
  readonly provider: string;
  /** As the request named it. */
  readonly model: string;
  /** Name of the key that made it, where the provider has several: they may be of different accounts. */
  readonly providerKey?: string | undefined;
}

/** What clients of the Responses API refer to by its id, under `keptKey` of that. */
export interface ResponseMemory {
  /** Items of the output. */
  readonly items: Pick<RecentValues<Readonly<Record<string, unknown>>>, "find" | "remember">;
  readonly stored: Pick<RecentValues<StoredResponse>, "find" | "remember" | "forget">;
}

interface ResponseSources extends Pick<RecentValuesOptions, "now" | "timers"> {
  /** Where responses are that providers keep, for as long as they do. */
  readonly store: Pick<Store, "get" | "put"> | undefined;
  /** Has items too, unless content must not be stored: then they are in the memory of this process alone. */
  readonly fleet?: Pick<Store, "get" | "put"> | undefined;
}

export function openResponses(
  { responseItemsMaxBytes: maxBytes, traceContent }: Pick<Settings, "responseItemsMaxBytes" | "traceContent">,
  { store, fleet, now, timers }: ResponseSources,
): ResponseMemory {
  return {
    items: new RecentValues({
      kind: "response-item",
      ttlMs: ITEM_TTL_MS,
      maxBytes,
      store: traceContent && maxBytes > 0 ? fleet : undefined,
      now,
      timers,
    }),
    stored: new RecentValues({
      kind: "response",
      ttlMs: RESPONSE_TTL_MS,
      maxBytes: RESPONSE_BYTES,
      store,
      kept: MOST_RESPONSES,
      now,
      timers,
    }),
  };
}

/** The key of an id, which differs for each principal: no one finds what another's requests made. */
export const keptKey = (principal: string, id: string): string =>
  createHash("sha256").update(`${principal}\n${id}`).digest("base64url");
