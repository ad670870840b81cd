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
  /** Where it was reported or is documented. */
  readonly source: string;
  /** ISO day of the report. */
  readonly seen: string;
  /** Whether it lets streamed requests pass. */
  readonly wholeOnly?: true;
  /** The refusal, or null when the rule lets the request pass. */
  readonly check: (request: VendorRequest) => Refusal | null;
}

type Answer = Refusal | false | null | undefined;

interface Row extends Pick<VendorRule, "refused" | "wholeOnly"> {
  /** Address and day: `https://… (2026-07-24)`. */
  readonly reported: string;
  /** The refusal; anything else lets the request pass. */
  readonly check?: (request: VendorRequest) => Answer;
  /** In place of `check`: what is refused, and how. */
  readonly when?: (request: VendorRequest) => boolean;
  readonly says?: Answer | ((request: VendorRequest) => Answer);
}

/** A vendor's table of rules, by what they are about. */
export const rulesOf = (vendor: Vendor, rows: Readonly<Record<string, Row>>): readonly VendorRule[] =>
  Object.entries(rows).map(([what, { reported, check, when, says, ...row }]) => {
    const [source = "", day = ""] = reported.split(" ");
    const answer = check ?? (typeof says === "function" ? says : () => says);
    const refusalOf = (asked: VendorRequest) => ((when?.(asked) ?? true) && answer(asked)) || null;
    return { ...row, id: `${vendor}.${what}`, vendor, source, seen: day.slice(1, -1), check: refusalOf };
  });

// Chat completions, which most vendors have

/** Where the first function is whose name breaks a pattern; −1 when none does. */
export const misnamed = (body: JsonObject, pattern: RegExp): number =>
  list(body.tools).findIndex(({ function: named }) => !pattern.test(String(member(named, "name"))));

/** What OpenAI says of such a name. */
export const OF_LETTERS = /^[a-zA-Z0-9_-]+$/;
export const notOfLetters = (param: string): string =>
  `Invalid '${param}': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`;

export const list = (value: unknown): readonly JsonObject[] => (Array.isArray(value) ? value : []);

export const member = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? (value as JsonObject)[name] : undefined;

/** Whether the request has the field, with any value but null. */
export const has = (body: JsonObject, field: string): boolean => (body[field] ?? null) !== null;
