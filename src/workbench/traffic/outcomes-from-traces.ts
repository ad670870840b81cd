import { AnswerLengths } from "../asking/answer-lengths.js";
import { Asker } from "../asking/asker.js";
import { type AskingContext, type AskProgress, Budget, type RoundEnding } from "../asking/asking-round.js";
import type { ModelCaller } from "../asking/model-caller.js";
import { type Question, questionKey } from "../asking/question.js";
import { CollectionFolder } from "../collection-folder.js";
import { GradingError, type JudgeGrader } from "../graders/grader.js";
import { WorkbenchError } from "../workbench-error.js";

/** The answer of a finished request, as something can be learned from it. */
export interface UsableAnswer {
  readonly requestId: string;
  /** The same for every request with the same prompt. */
  readonly promptId: string;
  /** What the request is routed by, which is what a profile set embeds. */
  readonly prompt: string;
  /** The whole conversation as one text. */
  readonly input: string;
  /** Without reasoning. */
  readonly answer: string;
  readonly model: string;
  /** What its client gave it, in [0, 1]; null when nothing. */
  readonly feedback: number | null;
  readonly tokensIn: number | null;
  readonly tokensOut: number | null;
  /** Null also where failed calls before it are part of the cost. */
  readonly costUsd: number | null;
  readonly latencyMs: number;
  /** To the first content; null where it was not measured. */
  readonly ttftMs: number | null;
  /** Calls of this model that failed before the answer. */
  readonly failures: number;
  /** With which the router chose the model; null where the client named it, or another model failed first. */
  readonly probability: number | null;
  /** Whether the model was drawn at random. */
  readonly explored: boolean;
  /** Whether another one might have been drawn. */
  readonly explorable: boolean;
  /** What the decision for the model expected the answer to cost; null where it is not known, or the client named the model. */
  readonly expectedUsd: number | null;
}

export interface OutcomesFromTracesOptions {
  /** Of finished requests, in any order. */
  readonly answers: AsyncIterable<readonly UsableAnswer[]>;
  /** Folder of the outcomes: a new one, or one of an earlier run. */
  readonly folder: string;
  /** Grades every answer in the place of feedback. */
  readonly judging?: Judging | undefined;
  readonly onProgress?: ((progress: AskProgress & { readonly spentUsd: number }) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface Judging extends AskingContext {
  readonly grader: JudgeGrader;
  readonly caller: ModelCaller;
  /** Judges at most so many answers, chosen by the ids of their requests: the same ones in every run. */
  readonly sample?: number | undefined;
  /** Most that judging may cost, earlier runs included. */
  readonly maxUsd?: number | undefined;
}

export interface FromTracesReport {
  /** `budget`: some answers are not judged, because of `maxUsd`. */
  readonly ending: RoundEnding;
  readonly prompts: number;
  /** Graded answers, and how they were chosen. */
  readonly outcomes: number;
  readonly explored: number;
  /** Graded answers to requests that took part in exploration. */
  readonly explorable: number;
  /** Dollars of all answers over what their decisions expected; null where none are known. */
  readonly realOverExpected: number | null;
  /** Graded answers whose model the router did not choose with a known probability. */
  readonly unchosen: number;
  /** Answers without a grade: without feedback, or without a verdict of the judge. */
  readonly ungraded: number;
  readonly models: readonly ModelAnswers[];
  readonly spentUsd: number;
}

interface ModelAnswers {
  readonly model: string;
  /** All answers, and those with a grade. */
  readonly answers: number;
  readonly graded: number;
  /** Of the grades. */
  readonly meanScore: number;
}

const CONCURRENCY = { concurrency: 16, providerConcurrency: 8 } as const;
const NEVER = new AbortController().signal;

/**
 * Writes what finished requests say of models as outcomes that a build reads: `prompts.jsonl` and `outcomes.jsonl`, each answer with the
 * probability of its choice. Grades are those of clients, or of a judge, whose verdicts are kept in `journal.jsonl` and not paid
 * twice. Both files are replaced when they are complete. Memory: some 100 bytes a prompt; with a judge, the texts too.
 *
 * @throws WorkbenchError when another process uses the folder, or it holds something else; SextantError for a judge that cannot be asked
 */
export async function outcomesFromTraces(options: OutcomesFromTracesOptions): Promise<FromTracesReport> {
  checkJudge(options.judging);
  const folder = await CollectionFolder.open(options.folder);
  try {
    return options.judging === undefined
      ? await writeOutcomes(folder, options, scoredByFeedback(options.answers))
      : await writeJudged(folder, options, options.judging);
  } finally {
    await folder.close();
  }
}

function checkJudge(judging: Judging | undefined): void {
  if (judging === undefined) return;
  const { isPriced } = judging.caller.modelToAsk(judging.grader.model);
  if (isPriced || judging.maxUsd === undefined) return;
  throw new WorkbenchError(
    `a limit of ${judging.maxUsd} dollars cannot be kept: no price is known of ${judging.grader.model}. ` +
      "Give it in the setting `prices`, or judge without a limit",
  );
}

interface ScoredAnswer {
  readonly answer: UsableAnswer;
  /** Null without a grade. */
  readonly score: number | null;
}

async function* scoredByFeedback(
  batches: AsyncIterable<readonly UsableAnswer[]>,
): AsyncGenerator<ScoredAnswer> {
  for await (const batch of batches) for (const answer of batch) yield { answer, score: answer.feedback };
}

async function writeJudged(
  folder: CollectionFolder,
  options: OutcomesFromTracesOptions,
  { grader, caller, sample, maxUsd = Number.POSITIVE_INFINITY, ...context }: Judging,
): Promise<FromTracesReport> {
  const { signal = NEVER, onProgress = () => {} } = options;
  const { journal } = folder;
  const { ledger } = journal;
  const chosen = await sampled(options.answers, sample);
  const judged = chosen.map((answer) => ({ answer, questions: questionsFor(grader, answer) }));
  const asker = new Asker({
    ...context,
    ...CONCURRENCY,
    caller,
    journal,
    signal,
    lostCalls: "ask",
    budget: new Budget(maxUsd, ledger.spentUsd + ledger.lostUsd),
    lengths: new AnswerLengths(new Map()),
  });
  const ending = await asker.askAll(
    await asker.pending(judged.flatMap(({ questions }) => questions)),
    (progress) => onProgress({ ...progress, spentUsd: ledger.spentUsd }),
  );
  const scoreOf = (questions: readonly Question[]): number | null => {
    const replies = questions.flatMap((question) => ledger.answer(questionKey(question))?.answer ?? []);
    return replies.length < questions.length ? null : verdictOf(grader, replies);
  };
  async function* scored(): AsyncGenerator<ScoredAnswer> {
    for (const { answer, questions } of judged) yield { answer, score: scoreOf(questions) };
  }
  return { ...(await writeOutcomes(folder, options, scored())), ending, spentUsd: ledger.spentUsd };
}

/** The answers with the smallest ids of their requests by a hash, so that a larger sample contains the smaller. */
async function sampled(
  batches: AsyncIterable<readonly UsableAnswer[]>,
  sample = Number.POSITIVE_INFINITY,
): Promise<readonly UsableAnswer[]> {
  const all: { readonly answer: UsableAnswer; readonly key: string }[] = [];
  for await (const batch of batches)
    for (const answer of batch) all.push({ answer, key: reversed(answer.requestId) });
  return all
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .slice(0, sample)
    .map(({ answer }) => answer);
}

/** The end of an id is random, its beginning a time. */
const reversed = (id: string): string => [...id].reverse().join("");

const questionsFor = (grader: JudgeGrader, { promptId, model, input, answer }: UsableAnswer) =>
  grader.questionsFor({ id: promptId, model, prompt: input, answer, reference: null });

function verdictOf(grader: JudgeGrader, replies: readonly string[]): number | null {
  try {
    return grader.scoreOf(replies);
  } catch (error) {
    if (error instanceof GradingError) return null;
    throw error;
  }
}

async function writeOutcomes(
  folder: CollectionFolder,
  { signal }: Pick<OutcomesFromTracesOptions, "signal">,
  scored: AsyncIterable<ScoredAnswer>,
): Promise<FromTracesReport> {
  const tally = new Tally();
  const written = new Set<string>();
  const prompts = await folder.openLines("prompts");
  const outcomes = await folder.openLines("outcomes");
  try {
    for await (const { answer, score } of scored) {
      signal?.throwIfAborted();
      tally.add(answer, score);
      if (score === null) continue;
      if (!written.has(answer.promptId)) await prompts.add({ id: answer.promptId, prompt: answer.prompt });
      written.add(answer.promptId);
      await outcomes.add(outcomeRow(answer, score));
    }
    await prompts.finish();
    await outcomes.finish();
  } finally {
    await prompts.discard();
    await outcomes.discard();
  }
  return tally.report(written.size);
}

const outcomeRow = (answer: UsableAnswer, score: number) => ({
  id: answer.promptId,
  model: answer.model,
  score,
  tokens_in: answer.tokensIn,
  tokens_out: answer.tokensOut,
  cost_usd: answer.costUsd,
  latency_ms: answer.latencyMs,
  ttft_ms: answer.ttftMs,
  failures: answer.failures,
  probability: answer.probability,
});

class Tally {
  readonly #models = new Map<string, { answers: number; graded: number; sum: number }>();
  #explored = 0;
  #explorable = 0;
  #unchosen = 0;
  #realUsd = 0;
  #expectedUsd = 0;

  add(answer: UsableAnswer, score: number | null): void {
    const { model, probability, explored, explorable, costUsd, expectedUsd } = answer;
    if (costUsd !== null && expectedUsd !== null) {
      this.#realUsd += costUsd;
      this.#expectedUsd += expectedUsd;
    }
    const sums = this.#models.get(model) ?? { answers: 0, graded: 0, sum: 0 };
    this.#models.set(model, sums);
    sums.answers += 1;
    if (score === null) return;
    sums.graded += 1;
    sums.sum += score;
    if (probability === null) this.#unchosen += 1;
    if (explored) this.#explored += 1;
    if (explorable) this.#explorable += 1;
  }

  report(prompts: number): FromTracesReport {
    const models = [...this.#models]
      .map(([model, { answers, graded, sum }]) => ({ model, answers, graded, meanScore: sum / graded }))
      .sort((a, b) => b.answers - a.answers);
    const outcomes = models.reduce((sum, { graded }) => sum + graded, 0);
    const answers = models.reduce((sum, each) => sum + each.answers, 0);
    return {
      ending: "finished",
      prompts,
      outcomes,
      models,
      spentUsd: 0,
      ungraded: answers - outcomes,
      explored: this.#explored,
      explorable: this.#explorable,
      unchosen: this.#unchosen,
      realOverExpected: this.#expectedUsd > 0 ? this.#realUsd / this.#expectedUsd : null,
    };
  }
}
