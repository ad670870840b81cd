import { z } from "zod";

const amount = z.number().nonnegative();
/** ISO 8601. */
const at = z.string();

const sent = z.strictObject({
  type: z.literal("sent"),
  key: z.string(),
  model: z.string(),
  idempotency_key: z.string(),
  /** What the call was expected to cost at most; null where no price is known. */
  reserved_usd: amount.nullable(),
  at,
});

const answered = z.strictObject({
  type: z.literal("answered"),
  key: z.string(),
  model: z.string(),
  provider: z.string(),
  answer: z.string(),
  finish_reason: z.string().nullable(),
  tokens_in: amount,
  tokens_out: amount,
  /** Null where no price is known. */
  cost_usd: amount.nullable(),
  latency_ms: amount,
  /** The provider sent no count: tokens are by a tokenizer. */
  estimated: z.literal(true).optional(),
  at,
});

const failed = z.strictObject({
  type: z.literal("failed"),
  key: z.string(),
  model: z.string(),
  /** What went wrong: a code of docs/errors.md, or of an attempt. */
  code: z.string(),
  /** Of the provider's reply; null when there was none, so that the call may have been billed. */
  status: z.number().nullable(),
  message: z.string(),
  cost_usd: amount.nullable(),
  at,
});

/** One line of a journal. */
export const journalEntry = z.discriminatedUnion("type", [sent, answered, failed]);

export type JournalEntry = z.infer<typeof journalEntry>;
export type SentEntry = z.infer<typeof sent>;
export type AnsweredEntry = z.infer<typeof answered>;
export type FailedEntry = z.infer<typeof failed>;
