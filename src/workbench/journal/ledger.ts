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
type SentEntry = z.infer<typeof sent>;
export type AnsweredEntry = z.infer<typeof answered>;
export type FailedEntry = z.infer<typeof failed>;

const isFault = ({ status, code }: FailedEntry): boolean =>
  code !== "overloaded" && (status === null || status >= 500);

/** What the entries of a journal say together. */
export class Ledger {
  readonly #answers = new Map<string, AnsweredEntry>();
  readonly #failures = new Map<string, FailedEntry>();
  readonly #open = new Map<string, SentEntry>();
  readonly #refusals = new Map<string, number>();
  readonly #faults = new Map<string, number>();
  #spentUsd = 0;
  #lostUsd = 0;
  #lostCalls = 0;
  #unpricedCalls = 0;

  apply(entry: JournalEntry): void {
    if (entry.type === "sent") {
      this.#lose(this.#open.get(entry.key));
      this.#open.set(entry.key, entry);
      return;
    }
    this.#open.delete(entry.key);
    if (entry.cost_usd === null) this.#unpricedCalls += 1;
    else this.#spentUsd += entry.cost_usd;
    if (entry.type === "answered") {
      this.#answers.set(entry.key, entry);
      this.#failures.delete(entry.key);
      return;
    }
    this.#failures.set(entry.key, entry);
    if (isFault(entry)) this.#faults.set(entry.key, (this.#faults.get(entry.key) ?? 0) + 1);
    if (entry.status !== null) this.#refusals.set(entry.key, (this.#refusals.get(entry.key) ?? 0) + 1);
  }

  /**
   * Counts calls that are still open as lost: to be called when the journal is read, and the process that made them is dead.
   *
   * @returns the keys of their questions
   */
  loseOpenCalls(): readonly string[] {
    const keys = [...this.#open.keys()];
    for (const entry of this.#open.values()) this.#lose(entry);
    this.#open.clear();
    return keys;
  }

  answer(key: string): AnsweredEntry | undefined {
    return this.#answers.get(key);
  }

  /** Models that answered something. */
  get models(): readonly string[] {
    return [...new Set([...this.#answers.values()].map(({ model }) => model))];
  }

  /** How the question failed last; undefined once it is answered. */
  failure(key: string): FailedEntry | undefined {
    return this.#failures.get(key);
  }

  /** Calls for the question that the provider failed: neither refused, nor asked to come back later. */
  faults(key: string): number {
    return this.#faults.get(key) ?? 0;
  }

  /**
   * The same for calls of which only one may be billed: it changes only after a reply that refused a call, because a provider
   * may repeat its reply, refusals included, to the same key.
   */
  idempotencyKey(key: string): string {
    return `sextant-${key}-${this.#refusals.get(key) ?? 0}`;
  }

  /** US dollars of all calls whose end is known. */
  get spentUsd(): number {
    return this.#spentUsd;
  }

  /** Calls that were in flight when a process was killed: whether they were billed is not known. */
  get lostCalls(): number {
    return this.#lostCalls;
  }

  /** What these may have cost at most, by the estimate before the call. */
  get lostUsd(): number {
    return this.#lostUsd;
  }

  /** Calls whose cost is not known, because no price is. */
  get unpricedCalls(): number {
    return this.#unpricedCalls;
  }

  #lose(entry: SentEntry | undefined): void {
    if (entry === undefined) return;
    this.#lostCalls += 1;
    this.#lostUsd += entry.reserved_usd ?? 0;
  }
}
