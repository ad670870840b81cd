import type { PreviousAnswer } from "../../engine/router/decision.js";
import type { ConversationMemory, ConversationRecord } from "../conversations/conversation-memory.js";
import type { ChatBody } from "../providers/chat.js";
import type { TokenUsage } from "../providers/token-usage.js";
import type { Settings } from "../settings.js";
import {
  beginningDigest,
  type ConversationDigests,
  conversationDigests,
  nameDigest,
} from "./conversation-digests.js";
import type { InferenceRequest } from "./request.js";
import { isInToolLoop } from "./tool-loop.js";

interface StickyConversationsOptions {
  readonly memory: ConversationMemory;
  readonly settings: Pick<Settings, "sticky" | "stickyMetadataKey">;
}

export interface ConversationRequest extends Pick<InferenceRequest, "metadata"> {
  readonly choice: InferenceRequest["choice"];
  readonly body: ChatBody;
}

export interface TurnOptions {
  /** Id of the principal: conversations of different ones are never the same. */
  readonly principal: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Of the whole request, as `RouteRequest.promptTokens`. */
  readonly promptTokens: number;
}

/** A request in a conversation. */
export interface Turn {
  /** Undefined when no answer before it is remembered. */
  readonly previous: PreviousAnswer | undefined;
  /** Of that answer. */
  readonly host: AnsweringHost;
  /**
   * Remembers the answer once it is complete.
   *
   * @param tokens as the provider counted them; null when it did not, or nothing was executed
   */
  answered(by: AnsweredBy, tokens: TokenUsage | null): void;
}

/** What beside the provider an answer came from: where its prompt cache is. */
export type AnsweringHost = Pick<ConversationRecord, "upstream" | "key">;

interface AnsweredBy extends AnsweringHost {
  readonly model: string;
  readonly provider: string | null;
}

/** Finds the conversation of a request, and the model that answered before in it. */
export class StickyConversations {
  constructor(private readonly options: StickyConversationsOptions) {}

  /** Undefined, at once, for a request that is decided on its own. Never rejects. */
  turnOf(request: ConversationRequest, options: TurnOptions): Promise<Turn> | undefined {
    const isSticky = request.choice.conversation?.sticky ?? this.options.settings.sticky === "on";
    return isSticky ? this.#findTurn(request, options) : undefined;
  }

  /** What the client calls the conversation. Sub-agents, which begin with another prompt, have conversations of their own. */
  #nameOf({ choice: { conversation }, metadata, body }: ConversationRequest): string | undefined {
    const tag = metadata[this.options.settings.stickyMetadataKey];
    const name = conversation?.name ?? (tag === undefined ? undefined : String(tag));
    const session = conversation?.session;
    return name ?? (session === undefined ? undefined : `${session}\n${beginningDigest(body.messages)}`);
  }

  async #findTurn(
    request: ConversationRequest,
    { principal, now, promptTokens }: TurnOptions,
  ): Promise<Turn> {
    const { messages } = request.body;
    const name = this.#nameOf(request);
    const digests = conversationDigests(messages, principal);
    const named = name === undefined ? undefined : nameDigest(name, principal);
    const found = named ?? digests.answered;
    const { memory } = this.options;
    const record = found === undefined ? undefined : await memory.find(found);
    const inToolLoop = isInToolLoop(messages);
    return {
      previous: record && previousAnswer(record, { digests, inToolLoop, nowMs: now() }),
      host: { upstream: record?.upstream, key: record?.key },
      answered({ model, provider, upstream, key }, tokens) {
        memory.remember(named ?? digests.asked, {
          model,
          provider,
          digest: digests.asked,
          promptTokens,
          billedTokens: tokens?.promptTokens ?? promptTokens,
          reportedTokens: tokens === null ? 0 : tokens.cacheReadTokens + tokens.cacheWriteTokens,
          answeredAtMs: now(),
          ...(upstream !== undefined && { upstream }),
          ...(key !== undefined && { key }),
        });
      },
    };
  }
}

interface Continued {
  readonly digests: ConversationDigests;
  readonly inToolLoop: boolean;
  readonly nowMs: number;
}

/** Nothing of the earlier prompt is expected in a cache when the request does not begin with it. */
function previousAnswer(
  record: ConversationRecord,
  { digests, inToolLoop, nowMs }: Continued,
): PreviousAnswer {
  const { model, provider, promptTokens, billedTokens, reportedTokens } = record;
  return {
    model,
    provider,
    promptTokens: record.digest === digests.answered ? promptTokens : 0,
    billedTokens,
    reportedTokens,
    ageMs: Math.max(0, nowMs - record.answeredAtMs),
    inToolLoop,
  };
}
