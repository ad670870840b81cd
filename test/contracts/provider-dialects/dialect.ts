import { expect } from "vitest";
import type { Provider, ProviderCall, ProviderFault } from "../../../src/gateway/providers/provider.js";
import type { TokenUsage } from "../../../src/gateway/providers/token-usage.js";
import type { Vendor } from "../../fakes/vendors/rule.js";

export const SECRET = "the moth is in drawer nine";
export const TOOL = { type: "function", function: { name: "weather", parameters: { type: "object" } } };

/** A chat that holds the secret. */
export const chatOf = (upstreamModel: string): ProviderCall => ({
  upstreamModel,
  api: "chat",
  body: { messages: [{ role: "user", content: `Say hello. ${SECRET}` }], temperature: 0.2, max_tokens: 20 },
  stream: false,
});

export const said = (content: string, finish = "stop"): AnswerChoice => ({ content, finish, toolCalls: [] });

/** A usage with these counts, whatever its details. */
export const counted = (counts: Partial<TokenUsage>): TokenUsage => expect.objectContaining(counts);

/** What one wire dialect looks like, for the contract of providers: fixtures in its documented form. */
export interface ProviderDialect {
  readonly name: string;
  /** Whose rules the upstream has: what a fixture sends must keep to them. */
  readonly vendor: Vendor;
  /** A provider that talks to the upstream at `origin` and sends `key`. */
  open(origin: string, options: { readonly key: string; readonly maxReplyBytes: number }): Provider;
  /** A chat whose answer is `wholeReplies[0]`; it holds the text `SECRET`. */
  readonly call: ProviderCall;
  readonly requests: readonly RequestFixture[];
  readonly wholeReplies: readonly WholeReplyFixture[];
  readonly streams: readonly [StreamFixture, ...StreamFixture[]];
  /** The dialect's body of an error reply with such a message. */
  errorBody(message: string): unknown;
  /** JSON that is no answer, though it came with a good status. */
  readonly strangeReplies: Readonly<Record<string, unknown>>;
  /** An event that reports an error in the middle of a stream. */
  readonly errorEvents: readonly { readonly bytes: string; readonly fault: ExpectedFault }[];
}

type ExpectedFault = Partial<
  Pick<ProviderFault, "code" | "status" | "retryAfterMs" | "upstreamCode" | "upstreamParam">
>;

/** What a call looks like on the wire. */
interface RequestFixture {
  readonly name: string;
  readonly call: ProviderCall;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The whole body. */
  readonly body: unknown;
}

/** An answer as far as clients see it. */
export interface Answer {
  readonly choices: readonly AnswerChoice[];
  readonly usage: TokenUsage | null;
}

export interface AnswerChoice {
  readonly content: string;
  readonly finish: string | null;
  readonly toolCalls: readonly { readonly id: string; readonly name: string; readonly arguments: string }[];
}

interface WholeReplyFixture {
  readonly name: string;
  readonly call: ProviderCall;
  readonly body: unknown;
  readonly answer: Answer;
}

export interface StreamFixture {
  readonly name: string;
  readonly call: ProviderCall;
  /** The stream, with `\n` as line end. */
  readonly bytes: string;
  readonly answer: Answer;
}
