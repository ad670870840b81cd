import type { Cancel, Clock, Timers } from "../../foundation/timers.js";
import type { Journal } from "../journal/journal.js";
import type { AnswerLengths } from "./answer-lengths.js";
import { CallFault, type ModelAnswer, type ModelCaller } from "./model-caller.js";
import type { ProviderSlots } from "./provider-slots.js";
import type { Question } from "./question.js";

/** Why a round ended: `budget` when the next question would have exceeded it, `stopped` by its signal. */
export type RoundEnding = "finished" | "budget" | "stopped";

/** Where time and chance come from. */
export interface AskingContext {
  readonly clock: Clock;
  /** They keep the process alive. */
  readonly timers: Pick<Timers, "after">;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** At least 0, below 1. */
  readonly random: () => number;
}

export interface RoundDependencies extends AskingContext {
  readonly caller: ModelCaller;
  readonly journal: Journal;
  readonly budget: Budget;
  readonly lengths: AnswerLengths;
  /** Most calls in flight, of all providers together. */
  readonly concurrency: number;
  readonly slotsOf: (provider: string) => ProviderSlots;
  /** Aborting it starts no further call, and lets those in flight end. */
  readonly signal: AbortSignal;
}

/** A question that is to be asked. */
export interface PendingQuestion {
  readonly question: Question;
  readonly key: string;
  readonly promptTokens: number;
}

export interface AskProgress {
  readonly done: number;
  readonly total: number;
}

interface Task extends PendingQuestion {
  readonly slots: ProviderSlots;
  /** Position among all questions. */
  readonly order: number;
  failures: number;
  /** Earliest time of the next call. */
  dueMs: number;
}

/** Calls of one question that may fail otherwise than by a wait that its provider asks for. */
const MOST_FAILURES = 4;
/** First wait of a question after a failure, doubled with each further one. */
const FIRST_BACKOFF_MS = 1_000;

/** Asks a list of questions. */
export class AskingRound {
  readonly #tasks = new Map<ProviderSlots, Task[]>();
  readonly #total: number;
  #done = 0;
  #inFlight = 0;
  #isShort = false;
  #broken: { readonly error: unknown } | undefined;
  #cancelTimer: Cancel = () => {};
  #finish: (ending: RoundEnding) => void = () => {};
  #fail: (error: unknown) => void = () => {};

  constructor(
    pending: readonly PendingQuestion[],
    private readonly dependencies: RoundDependencies,
    private readonly onProgress: (progress: AskProgress) => void,
  ) {
    this.#total = pending.length;
    // Last first: the next one is taken from the end.
    for (const [order, one] of [...pending.entries()].reverse()) {
      const { provider } = dependencies.caller.modelToAsk(one.question.model);
      const slots = dependencies.slotsOf(provider);
      const tasks = this.#tasks.get(slots) ?? [];
      tasks.push({ ...one, slots, order, failures: 0, dueMs: Number.NEGATIVE_INFINITY });
      this.#tasks.set(slots, tasks);
    }
  }

  run(): Promise<RoundEnding> {
    const { signal } = this.dependencies;
    const proceed = () => this.#proceed();
    signal.addEventListener("abort", proceed);
    return new Promise<RoundEnding>((resolve, reject) => {
      this.#finish = resolve;
      this.#fail = reject;
      this.#report();
      this.#proceed();
    }).finally(() => {
      this.#cancelTimer();
      signal.removeEventListener("abort", proceed);
    });
  }

  /** Begins all calls that may begin now, and ends the round when there is nothing left to wait for. */
  #proceed(): void {
    this.#cancelTimer();
    const isStopping = this.dependencies.signal.aborted || this.#broken !== undefined;
    while (!isStopping && this.#inFlight < this.dependencies.concurrency) {
      const task = this.#nextTask();
      if (task === undefined || !this.#begin(task)) break;
    }
    if (this.#inFlight > 0) {
      this.#wakeUp();
      return;
    }
    if (this.#broken !== undefined) this.#fail(this.#broken.error);
    else if (isStopping) this.#finish("stopped");
    else if (this.#isShort) this.#finish("budget");
    else if (this.#earliestMs() === Number.POSITIVE_INFINITY) this.#finish("finished");
    else this.#wakeUp();
  }

  /** Takes the first question, in order, whose provider may be called now. */
  #nextTask(): Task | undefined {
    const now = this.dependencies.clock();
    let next: { readonly tasks: Task[]; readonly index: number; readonly task: Task } | undefined;
    for (const [slots, tasks] of this.#tasks) {
      if (slots.nextCallMs > now) continue;
      const index = tasks.findLastIndex(({ dueMs }) => dueMs <= now);
      const task = tasks[index];
      if (task !== undefined && (next === undefined || task.order < next.task.order))
        next = { tasks, index, task };
    }
    next?.tasks.splice(next.index, 1);
    return next?.task;
  }

  /** @returns false when the budget does not suffice; the question then waits again */
  #begin(task: Task): boolean {
    const reservedUsd = this.#reservation(task);
    if (!this.dependencies.budget.reserve(reservedUsd ?? 0)) {
      this.#isShort = true;
      this.#return(task);
      return false;
    }
    this.#isShort = false;
    this.#inFlight += 1;
    void this.#call(task, reservedUsd)
      .catch((error: unknown) => {
        this.#broken ??= { error };
      })
      .finally(() => {
        this.#inFlight -= 1;
        this.#report();
        this.#proceed();
      });
    return true;
  }

  async #call(task: Task, reservedUsd: number | null): Promise<void> {
    const { journal, budget, now } = this.dependencies;
    const { key, slots, question } = task;
    const startedMs = slots.begin();
    let spentUsd = 0;
    try {
      const idempotencyKey = journal.ledger.idempotencyKey(key);
      const { model } = question;
      const at = new Date(now()).toISOString();
      const sent = { key, model, idempotency_key: idempotencyKey, reserved_usd: reservedUsd, at } as const;
      await journal.append({ type: "sent", ...sent });
      const outcome = await this.#outcome(task, idempotencyKey);
      spentUsd = outcome.costUsd ?? 0;
      if (outcome instanceof CallFault) await this.#failed(task, { fault: outcome, startedMs });
      else await this.#answered(task, outcome);
    } finally {
      budget.settle(reservedUsd ?? 0, spentUsd);
      slots.end();
    }
  }

  #outcome({ question }: Task, idempotencyKey: string): Promise<ModelAnswer | CallFault> {
    // A call in flight is waited for, also when the round is asked to stop: it will be billed.
    const signal = new AbortController().signal;
    return this.dependencies.caller.ask(question, { idempotencyKey, signal }).catch((error: unknown) => {
      if (error instanceof CallFault) return error;
      throw error;
    });
  }

  async #answered({ key, slots, question: { model } }: Task, answer: ModelAnswer): Promise<void> {
    const { journal, lengths, now } = this.dependencies;
    slots.answered();
    lengths.observe(model, answer.tokensOut);
    await journal.append({
      type: "answered",
      key,
      model,
      provider: answer.provider,
      answer: answer.text,
      finish_reason: answer.finishReason,
      tokens_in: answer.tokensIn,
      tokens_out: answer.tokensOut,
      cost_usd: answer.costUsd,
      latency_ms: answer.latencyMs,
      ...(answer.isEstimated ? { estimated: true } : {}),
      at: new Date(now()).toISOString(),
    });
    this.#done += 1;
  }

  async #failed(
    task: Task,
    { fault, startedMs }: { readonly fault: CallFault; readonly startedMs: number },
  ): Promise<void> {
    const { journal, now, clock } = this.dependencies;
    const { key, slots } = task;
    const { code, status, message, costUsd } = fault;
    const entry = { key, model: task.question.model, code, status, message, cost_usd: costUsd } as const;
    const isWritten = journal.append({ type: "failed", ...entry, at: new Date(now()).toISOString() });
    switch (fault.kind) {
      case "busy":
        slots.refused(message, { startedMs, retryAfterMs: fault.retryAfterMs });
        this.#return(task);
        break;
      case "provider":
        slots.giveUp(message);
        this.#return(task);
        break;
      case "passing":
        slots.failed(message);
        task.failures += 1;
        task.dueMs = clock() + FIRST_BACKOFF_MS * 2 ** (task.failures - 1);
        if (task.failures < MOST_FAILURES) this.#return(task);
        else this.#done += 1;
        break;
      case "question":
        this.#done += 1;
    }
    await isWritten;
  }

  /** Puts a question back, in its order. */
  #return(task: Task): void {
    const tasks = this.#tasks.get(task.slots) ?? [];
    const index = tasks.findLastIndex(({ order }) => order > task.order);
    tasks.splice(index + 1, 0, task);
  }

  /** What the call may cost at most, as far as that is known before. */
  #reservation({ question, promptTokens }: Task): number | null {
    const { caller, lengths } = this.dependencies;
    const answerTokens = lengths.atMost(question.model, question.parameters.max_tokens);
    return caller.costUsd(question.model, { promptTokens, answerTokens });
  }

  #wakeUp(): void {
    const earliestMs = this.#earliestMs();
    const { clock, timers, concurrency, signal } = this.dependencies;
    const waitsForEnd = this.#isShort || this.#inFlight >= concurrency || signal.aborted;
    if (waitsForEnd || earliestMs === Number.POSITIVE_INFINITY) return;
    this.#cancelTimer = timers.after(Math.max(0, Math.ceil(earliestMs - clock())), () => this.#proceed());
  }

  /** Earliest time of a call; infinity when none can be made before another ends, or ever. */
  #earliestMs(): number {
    let earliest = Number.POSITIVE_INFINITY;
    for (const [slots, tasks] of this.#tasks) {
      for (let index = tasks.length - 1; index >= 0; index--) {
        const dueMs = tasks[index]?.dueMs ?? 0;
        earliest = Math.min(earliest, Math.max(dueMs, slots.nextCallMs));
        // Those before it have not been asked yet: they may be asked as soon.
        if (dueMs === Number.NEGATIVE_INFINITY) break;
      }
    }
    return earliest;
  }

  #report(): void {
    this.onProgress({ done: this.#done, total: this.#total });
  }
}

/** Dollars that a collection may cost, over all its runs. What calls in flight may cost is reserved. */
export class Budget {
  readonly #limitUsd: number;
  #spentUsd: number;
  #reservedUsd = 0;

  /**
   * @param limitUsd infinity for no limit
   * @param spentUsd what earlier runs cost
   */
  constructor(limitUsd: number, spentUsd: number) {
    this.#limitUsd = limitUsd;
    this.#spentUsd = spentUsd;
  }

  /** Reserves an amount. @returns whether there was that much left */
  reserve(usd: number): boolean {
    if (this.#spentUsd + this.#reservedUsd + usd > this.#limitUsd) return false;
    this.#reservedUsd += usd;
    return true;
  }

  /** Replaces what was reserved for a call by what it cost. */
  settle(reservedUsd: number, spentUsd: number): void {
    this.#reservedUsd -= reservedUsd;
    this.#spentUsd += spentUsd;
  }
}
