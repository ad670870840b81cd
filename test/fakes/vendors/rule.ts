import type { JsonObject } from "../../../src/gateway/providers/chat.js";

export type { JsonObject };

export type Vendor =
  | "openai"
  | "anthropic"
  | "google"
  | "mistral"
  | "deepseek"
  | "x-ai"
  | "openrouter"
  | "ollama"
  | "vllm";

/** The vendor's API that a request is for, told by the end of its path. */
export type VendorApi = "chat" | "responses" | "messages";

/** A request as the vendor gets it. */
export interface VendorRequest {
  readonly api: VendorApi;
  readonly model: string;
  readonly body: JsonObject;
  /** Of the body as it came; absent where it did not come over the wire. */
  readonly bytes?: number;
  /** Output of a response that the vendor keeps; undefined when it keeps none by that id. Absent where that is not known. */
  readonly keptOutput?: (id: string) => readonly JsonObject[] | undefined;
}

/** What a vendor answers to a request that it refuses. */
export interface Refusal {
  /** HTTP, 400 to 499. */
  readonly status: number;
  readonly body: unknown;
  /** The sentence of `body` that says why. */
  readonly text: string;
}

/** A request that a vendor is reported to refuse. */
export interface VendorRule {
  /** `vendor.what`, unique. */
  readonly id: string;
  readonly vendor: Vendor;
  /** What is refused, in a phrase for the table. */
  readonly refused: string;
  /** Where it was reported or is documented: an address, or `guess`. */
  readonly source: string;
  /** ISO day of the report; null for a guess. */
  readonly seen: string | null;
  /** Whether it lets streamed requests pass. */
  readonly wholeOnly?: true;
  /** A request in the vendor's own form that this rule refuses. */
  readonly example: VendorRequest;
  /** The refusal, or null when the rule lets the request pass. */
  readonly check: (request: VendorRequest) => Refusal | null;
}

export const list = (value: unknown): readonly JsonObject[] => (Array.isArray(value) ? value : []);

export const member = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? (value as JsonObject)[name] : undefined;

/** Whether the request has the field, with any value but null. */
export const has = (body: JsonObject, field: string): boolean => (body[field] ?? null) !== null;
