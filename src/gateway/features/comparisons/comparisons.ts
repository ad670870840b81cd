/** Has a share of the requests answered by another model too, after their reply, and judged blind. */
import { SextantError } from "../../../foundation/errors.js";
import { type Principal, UNLIMITED } from "../../access/principal.js";
import { AnswerText } from "../../run/answer-text.js";
import type { AnswerObserver, FinishedAnswer } from "../../run/dependencies.js";
import type { Inference } from "../../run/inference.js";
import type { NamedChoice, RequestContext, RoutedChoice } from "../../run/request.js";
import type { ComparisonEntry } from "../../settings.js";
import { type Attempt, COMPARISONS_SOURCE } from "../../traces/trace.js";
import { type BlindVerdict, gradedBy, type JudgeQuestion, judgedBy, NoVerdict } from "./blind-judge.js";
import { comparable, isFor, promptOf, type ServedAnswer } from "./comparable.js";
import type { ComparisonJournal } from "./journal.js";
import { type ComparisonResult, spentOn } from "./report.js";
import { NOT_COMPARED_REASONS, type NotComparedReason } from "./schema.js";

export interface ComparisonsOptions {
  /** Those of the settings as they are now. */
  readonly entries: () => readonly ComparisonEntry[];
  readonly inference: Pick<Inference, "run" | "decide">;
  /** How the `with` of an entry chooses. @throws SextantError for a name that is none */
  readonly choiceOf: (model: string) => NamedChoice | RoutedChoice;
  /** Who makes a model, so that no one judges what is their own. */
  readonly vendorOf: (model: string) => string;
  readonly journal: Pick<ComparisonJournal, "add" | "results" | "digestOf">;
  /** Texts as they may be shown to a judge; null where one cannot be. */
  readonly redact: (texts: readonly string[]) => Promise<readonly (string | null)[]>;
  /** Called with graded answers whose comparison asks for it. Never rejects. */
  readonly keepOutcome: (requestId: string, score: number, comparison: string) => Promise<void>;
  /** Whether texts of requests are stored. */
  readonly wantsContent: boolean;
  readonly newRequestId: () => string;
  readonly now: () => number;
  readonly clock: () => number;
  /** At least 0, below 1. */
  readonly random: () => number;
  /** Resolves when other work of the thread has run. */
  readonly yieldThread: () => Promise<void>;
  readonly log: { warn(fields: object, message: string): void };
}

/** Answers that wait; further ones are dropped and counted (guess). */
const MOST_WAITING = 64;
/** Comparisons under way at a time (guess). */
const AT_ONCE = 2;
/** Of a judge's reply, its reasoning included (guess). */
const JUDGE_TOKENS = 4096;
/** Of the other answer that a judge is shown. */
const MOST_CHARACTERS = 200_000;

/** Makes its own requests: without limits of a caller, under a source of its own. */
const COMPARER: Principal = {
  id: "comparisons",
  kind: "gateway",
  source: COMPARISONS_SOURCE,
  scopes: ["inference"],
  limits: UNLIMITED,
};

interface Waiting {
  readonly entry: ComparisonEntry;
  readonly answer: ServedAnswer;
}

type Spent = { answer: number; judge: number };

export class Comparisons implements AnswerObserver {
  readonly #waiting: Waiting[] = [];
  readonly #passedOver = new Map<string, Map<NotComparedReason, number>>();
  /** Prompts of this process that were compared or are now, where no content is stored. */
  readonly #prompts = new Set<string>();
  readonly #ended = new AbortController();
  readonly #workers = new Set<Promise<void>>();

  constructor(private readonly options: ComparisonsOptions) {}

  /** Draws and queues, nothing else: a few comparisons of words. */
  answered(finished: FinishedAnswer): void {
    if (finished.trace.kind === "comparison" || this.#ended.signal.aborted) return;
    for (const entry of this.options.entries()) {
      if (!isFor(entry, finished) || this.options.random() >= entry.share) continue;
      const answer = comparable(finished);
      if (typeof answer === "string") this.#passOver(entry, answer);
      else if (this.#waiting.length >= MOST_WAITING) this.#passOver(entry, "dropped");
      else this.#waiting.push({ entry, answer });
    }
    if (this.#waiting.length > 0 && this.#workers.size < AT_ONCE) this.#begin();
  }

  /** Waiting answers, and how many were passed over and why, by comparison; of this process. */
  state(comparison: string): {
    readonly waiting: number;
    readonly passedOver: Readonly<Record<NotComparedReason, number>>;
  } {
    const counted = this.#passedOver.get(comparison);
    return {
      waiting: this.#waiting.filter(({ entry }) => entry.name === comparison).length,
      passedOver: Object.fromEntries(
        NOT_COMPARED_REASONS.map((reason) => [reason, counted?.get(reason) ?? 0]),
      ) as Record<NotComparedReason, number>,
    };
  }

  /** Resolves once nothing waits or is under way. */
  async settled(): Promise<void> {
    while (this.#workers.size > 0) await Promise.all(this.#workers);
  }

  /** Begins nothing more, calls off what is under way, and waits for its end. */
  stop(): Promise<void> {
    this.#waiting.length = 0;
    this.#ended.abort();
    return this.settled();
  }

  #begin(): void {
    const working = this.#work().finally(() => this.#workers.delete(working));
    this.#workers.add(working);
  }

  #passOver({ name }: ComparisonEntry, reason: NotComparedReason): void {
    const counted = this.#passedOver.get(name) ?? new Map<NotComparedReason, number>();
    this.#passedOver.set(name, counted.set(reason, (counted.get(reason) ?? 0) + 1));
  }

  /** Until nothing waits. After the reply: what caused it is sent first. */
  async #work(): Promise<void> {
    await this.options.yieldThread();
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      await this.#compare(next).catch((fault: unknown) => {
        const { name } = next?.entry ?? {};
        this.options.log.warn({ comparison: name, fault: String(fault) }, "a comparison could not be kept");
      });
    }
  }

  async #compare({ entry, answer }: Waiting): Promise<void> {
    const { journal, now, wantsContent } = this.options;
    const results = await journal.results();
    const { today, most } = spentOn(results, { comparison: entry.name, atMs: now() });
    // Each of those under way may cost as much as the most expensive one did.
    if (today + this.#workers.size * most >= entry.max_usd_per_day)
      return this.#passOver(entry, "over_budget");
    const prompt = wantsContent ? undefined : await journal.digestOf(promptOf(answer));
    if (prompt !== undefined) {
      const isKnown = results.some((one) => one.comparison === entry.name && one.prompt === prompt);
      const own = `${entry.name} ${prompt}`;
      if (isKnown || this.#prompts.has(own)) return this.#passOver(entry, "repeated");
      this.#prompts.add(own);
    }
    const spent: Spent = { answer: 0, judge: 0 };
    const outcome = await this.#outcomeOf({ entry, answer }, spent).catch(failureOf);
    if (this.#ended.signal.aborted && outcome.outcome === "failed" && spent.answer + spent.judge === 0)
      return;
    if (outcome.outcome === "no_judge") return this.#passOver(entry, "no_judge");
    await journal.add({
      at: now(),
      comparison: entry.name,
      with: entry.with,
      request_id: answer.requestId,
      served: answer.model,
      served_usd: answer.costUsd,
      other_usd: null,
      difference: null,
      ...outcome,
      answer_spent_usd: spent.answer,
      judge_spent_usd: spent.judge,
      ...(prompt !== undefined && { prompt }),
    });
  }

  async #outcomeOf(
    { entry, answer }: Waiting,
    spent: Spent,
  ): Promise<
    | (Pick<ComparisonResult, "outcome" | "other"> & Partial<ComparisonResult>)
    | { readonly outcome: "no_judge" }
  > {
    const other = await this.#otherModel(entry, answer);
    if (other === answer.model) return { outcome: "same", other, difference: 0, other_usd: answer.costUsd };
    const judge = entry.judges?.find((model) => this.#mayJudge(model, [answer.model, other]));
    if (entry.command === undefined && judge === undefined) return { outcome: "no_judge" };
    const { effort } = answer.request;
    // Of a stream alone: refused without one.
    const { stream_options: _, ...body } = answer.request.body;
    const asked = { model: other, body, ...(effort !== undefined && { effort }) };
    const given = await this.#ask(entry, asked, (usd) => {
      spent.answer += usd;
    });
    const answered = { other, other_usd: given.costUsd };
    if (!given.isText) return { outcome: "failed", ...answered, reason: "other_not_text" };
    const served = answer.text();
    if (given.text === served) return { outcome: "same", ...answered, difference: 0 };
    const shown = await this.options.redact([promptOf(answer), served, given.text]);
    const [prompt, first, second] = shown;
    if (prompt == null || first == null || second == null)
      return { outcome: "failed", ...answered, reason: "not_redacted_in_time" };
    const pair = { prompt, served: first, other: second };
    try {
      const verdict = await this.#verdictOn(pair, { entry, judge, spent });
      if (entry.outcomes === true) {
        await this.options.keepOutcome(answer.requestId, verdict.scores.served, entry.name);
        await this.options.keepOutcome(given.requestId, verdict.scores.other, entry.name);
      }
      return { outcome: "judged", ...answered, difference: verdict.difference };
    } catch (fault) {
      return { ...failureOf(fault), ...answered };
    }
  }

  #mayJudge(judge: string, answerers: readonly string[]): boolean {
    const { vendorOf } = this.options;
    return !answerers.some((model) => vendorOf(model) === vendorOf(judge));
  }

  async #otherModel(entry: ComparisonEntry, { request, model }: ServedAnswer): Promise<string> {
    const choice = this.options.choiceOf(entry.with);
    if (choice.type === "named") return choice.model;
    const decision = { choice, body: request.body, metadata: tagOf(entry) };
    const { routing } = await this.options.inference.decide(decision, this.#context());
    return routing.selected_model ?? model;
  }

  async #verdictOn(
    pair: Parameters<typeof judgedBy>[1],
    {
      entry,
      judge,
      spent,
    }: { readonly entry: ComparisonEntry; readonly judge: string | undefined; readonly spent: Spent },
  ): Promise<BlindVerdict> {
    const { random } = this.options;
    const { signal } = this.#ended;
    if (entry.command !== undefined) return gradedBy(entry.command, pair, { random, signal });
    const ask = async ({ system, user }: JudgeQuestion): Promise<string> => {
      const messages = [
        { role: "system", content: system },
        { role: "user", content: user },
      ];
      const body = { messages, temperature: 0, max_tokens: JUDGE_TOKENS };
      const reply = await this.#ask(entry, { model: judge ?? "", body }, (usd) => {
        spent.judge += usd;
      });
      return reply.text;
    };
    return judgedBy(ask, pair, entry.rubric);
  }

  /** @param onBilled called with US dollars also where calls fail, as far as they are known to have used something */
  async #ask(
    entry: ComparisonEntry,
    { model, ...asked }: Pick<ServedAnswer["request"], "body" | "effort"> & { readonly model: string },
    onBilled: (usd: number) => void,
  ) {
    const context = this.#context();
    const choice = { type: "named", model, provider: undefined, conversation: { sticky: false } } as const;
    const common = { kind: "comparison", stream: false, fallbacks: [], metadata: tagOf(entry) } as const;
    const request = { ...common, choice, ...asked };
    const given = await this.options.inference.run(request, context).catch((fault: unknown) => {
      onBilled(billedBy(fault instanceof SextantError ? fault.extra.attempts : []));
      throw fault;
    });
    if (given.kind !== "completion") throw new TypeError("A stream came that was not asked for.");
    const { total_cost_usd: costUsd } = given.usage;
    onBilled((costUsd ?? 0) + billedBy(given.attempts.filter(({ code }) => code !== "ok")));
    const text = new AnswerText(MOST_CHARACTERS);
    text.addCompletion(given.completion);
    return {
      requestId: context.requestId,
      text: text.output(),
      isText: text.finishReason === "stop" || text.finishReason === "length",
      costUsd,
    };
  }

  #context(): RequestContext {
    const { newRequestId, now, clock } = this.options;
    return {
      requestId: newRequestId(),
      principal: COMPARER,
      source: COMPARISONS_SOURCE,
      arrivedMs: clock(),
      createdAtMs: now(),
      signal: this.#ended.signal,
    };
  }
}

/** On the traces of what a comparison asks. */
const tagOf = ({ name }: ComparisonEntry) => ({ comparison: name });

/** US dollars of failed calls. @param attempts as an answer or an error has them */
const billedBy = (attempts: unknown): number =>
  ((attempts ?? []) as readonly Attempt[]).reduce((sum, { usage }) => sum + (usage?.total_cost_usd ?? 0), 0);

/** A reason without any text of a request. */
const failureOf = (
  fault: unknown,
): { readonly outcome: "failed"; readonly other: null; readonly reason: string } => ({
  outcome: "failed",
  other: null,
  reason:
    fault instanceof NoVerdict
      ? fault.message
      : fault instanceof Error && "code" in fault
        ? String(fault.code)
        : "internal_error",
});
