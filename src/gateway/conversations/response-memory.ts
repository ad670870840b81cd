import { createHash } from "node:crypto";

type JsonObject = Readonly<Record<string, unknown>>;

/** A response that a provider keeps. */
export interface StoredResponse {
  readonly id: string;
  readonly provider: string;
  /** As the request named it. */
  readonly model: string;
  /** Name of the key that made it, where the provider has several: they may be of different accounts. */
  readonly providerKey?: string | undefined;
  readonly keptAtMs: number;
  /** It was deleted. */
  readonly deleted?: boolean | undefined;
}

/** How long each is remembered. OpenAI keeps responses for 30 days; clients refer to items within a conversation. */
export const RESPONSE_TTL_MS = { item: 3_600_000, stored: 30 * 86_400_000 };

/** What is remembered of responses, by kind: items of their output, and where those are that a provider keeps. */
export interface KeptKinds {
  readonly item: JsonObject;
  readonly stored: StoredResponse;
}

export type KeptValue = {
  readonly [Kind in keyof KeptKinds]: {
    readonly kind: Kind;
    readonly key: string;
    readonly value: KeptKinds[Kind];
  };
}[keyof KeptKinds];

/**
 * Remembers what clients of the Responses API refer to by its id. Items are in memory for a while, as far as there is room; where
 * stored responses are is kept on disk, or in Redis, as long as the provider keeps them.
 */
export interface ResponseMemory {
  /** Never rejects: undefined also when it cannot be asked. */
  find<Kind extends keyof KeptKinds>(kind: Kind, key: string): Promise<KeptKinds[Kind] | undefined>;
  /** Replaces what there was. Never throws and is not waited for. */
  keep(kept: KeptValue): void;
  close(): Promise<void>;
}

/** Remembers nothing. */
export const NO_RESPONSES: ResponseMemory = {
  find: async () => undefined,
  keep() {},
  close: async () => {},
};

/** The key of an id, which differs for each principal: no one finds what another's requests made. */
export const keptKey = (principal: string, id: string): string =>
  createHash("sha256").update(`${principal}\n${id}`).digest("base64url");
