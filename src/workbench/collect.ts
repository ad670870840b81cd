import { AnswerLengths } from "./asking/answer-lengths.js";
import { Asker } from "./asking/asker.js";
import {
  type AskingContext,
  type AskProgress,
  Budget,
  type PendingQuestion,
  type RoundEnding,
} from "./asking/asking-round.js";
import type { ModelCaller } from "./asking/model-caller.js";
import { type QuestionParameters, questionKey } from "./asking/question.js";
import type { CollectEstimate, CollectOptions, CollectProgress, CollectReport } from "./collect-options.js";
import {
  type AskingStyle,
  collectedRows,
  type FailedRow,
  type Row,
  type SortedRows,
  sortRows,
} from "./collected-answers.js";
import { CollectionFolder } from "./collection-folder.js";
import { estimateQuestions, knownSum } from "./estimate.js";
import { graderOf, scaleOf } from "./graders/grader.js";
import { containedReferences, type Grades, gradeAnswers, reportModels } from "./grading.js";
import { promptMessages, type WorkbenchPrompt } from "./prompts/prompt.js";
import { WorkbenchError } from "./workbench-error.js";

export interface CollectDependencies extends AskingContext {
  readonly caller: ModelCaller;
}

const DEFAULT_CONCURRENCY = 16;
const DEFAULT_PROVIDER_CONCURRENCY = 8;
const DEFAULT_TEMPERATURE = 0;
const NEVER = new AbortController().signal;

/**
 * Asks every model every prompt, grades the answers, and writes outcomes from which `sextant profile build` makes a profile set.
 *
 * The folder gets `journal.jsonl`, with every call; `prompts.jsonl` and `outcomes.jsonl`, which a build reads; `answers.jsonl`, the graded texts;
 * and `failed.jsonl`, what has no grade, when there is anything. A collection that was stopped or killed goes on where it was when it is
 * started again; what was answered is not asked again, also when it is graded in another way.
 *
 * @throws WorkbenchError, SextantError: something that is wrong before anything is asked; and when the journal cannot be written
 */
export async function collect(
  options: CollectOptions,
  dependencies: CollectDependencies,
): Promise<CollectReport> {
  checkCollection(options, dependencies.caller);
  const folder = await CollectionFolder.open(options.folder);
  try {
    return await new Collection(options, { ...dependencies, folder }).run();
  } finally {
    await folder.close();
  }
}

/**
 * Checks all that can be wrong before anything is asked.
 *
 * @throws WorkbenchError naming the option or the prompt; SextantError for a model that cannot be asked
 */
function checkCollection(options: CollectOptions, caller: ModelCaller): void {
  checkPrompts(options);
  const { models, prompts, grader, maxUsd } = options;
  const twice = models.find((model, index) => models.indexOf(model) !== index);
  if (twice !== undefined) throw new WorkbenchError(`\`models\` names ${twice} twice; name each model once`);
  for (const model of models) requireAskable(caller, model, "`models` ");
  const asked = [...models, ...judgesOf(prompts, { grader, caller })];
  const unpriced = asked.filter((model) => !caller.modelToAsk(model).isPriced);
  if (maxUsd === undefined || unpriced.length === 0) return;
  throw new WorkbenchError(
    `a limit of ${maxUsd} dollars cannot be kept: no price is known of ${unpriced.join(", ")}. ` +
      "Give it in the setting `prices`, or collect without a limit",
  );
}

/** @throws WorkbenchError for one that cannot be asked */
function judgesOf(
  prompts: readonly WorkbenchPrompt[],
  { grader, caller }: Pick<CollectOptions, "grader"> & { readonly caller: ModelCaller },
): readonly string[] {
  const graders = prompts.map((prompt) => graderOf(grader, prompt));
  const judges = [...new Set(graders.flatMap((one) => (one.kind === "judge" ? [one.model] : [])))];
  for (const judge of judges) requireAskable(caller, judge, "the judge cannot be asked: its model ");
  return judges;
}

/** @param called what messages say in place of the field `model` */
function requireAskable(caller: ModelCaller, model: string, called: string): void {
  try {
    caller.modelToAsk(model);
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    if (!message.startsWith("`model` ")) throw cause;
    throw new WorkbenchError(message.replace("`model` ", called), { cause });
  }
}

function checkPrompts({ prompts, grader }: CollectOptions): void {
  const ids = new Set<string>();
  for (const prompt of prompts) {
    const problem = ids.has(prompt.id)
      ? "has an id that an earlier prompt has too; give every prompt an id of its own"
      : (grader.problemWith?.(prompt) ?? graderOf(grader, prompt).problemWith?.(prompt));
    if (problem !== undefined) throw new WorkbenchError(`the prompt ${JSON.stringify(prompt.id)} ${problem}`);
    ids.add(prompt.id);
  }
}

class Collection {
  readonly #rows: readonly Row[];
  readonly #style: AskingStyle;

  constructor(
    private readonly options: CollectOptions,
    private readonly dependencies: CollectDependencies & { readonly folder: CollectionFolder },
  ) {
    this.#style = styleOf(options);
    this.#rows = collectedRows(options.prompts, options.models, this.#style);
  }

  async run(): Promise<CollectReport> {
    const { confirm = () => true, prompts } = this.options;
    const { caller, folder } = this.dependencies;
    const lengths = new AnswerLengths(
      await caller.expectedAnswerTokens(
        this.options.models,
        prompts.map((prompt) => promptMessages(prompt, this.#style)),
      ),
      (model) => caller.hiddenTokens(model),
    );
    for (const { entry } of this.#sorted().answered) lengths.observe(entry.model, entry.tokens_out);
    const asker = this.#asker(lengths);
    const pending = await asker.pending(this.#rows.map(({ question }) => question));
    if (!(await confirm(this.#estimate(pending, lengths))))
      return this.#report({ ending: "declined", asker });
    await folder.writeLines("prompts", prompts.map(promptLine));
    const ending = await asker.askAll(pending, this.#progressOf("ask"));
    return this.#grade(asker, ending);
  }

  async #grade(asker: Asker, asked: RoundEnding): Promise<CollectReport> {
    const { grader, signal = NEVER } = this.options;
    const { ledger } = this.#journal;
    const { answered, failed } = this.#sorted();
    let ending = asked;
    const grades = await gradeAnswers(answered, {
      grader,
      ask: async (questions) => {
        if (ending !== "finished") return;
        ending = await asker.askAll(await asker.pending(questions), this.#progressOf("judge"));
      },
      replyTo: (question) => ledger.answer(questionKey(question))?.answer,
      onProgress: this.#progressOf("grade"),
      signal,
    });
    if (signal.aborted) ending = "stopped";
    if (ending !== "stopped" || grades.ungraded.length === 0) await this.#write({ ...grades, failed });
    return this.#report({ ending, asker, grades, failed });
  }

  /** Everything that the journal has an answer to: of the models that are asked now, and of those that were asked before. */
  #sorted(): SortedRows {
    const { models, prompts } = this.options;
    const { ledger, lost } = this.#journal;
    const earlier = ledger.models.filter((model) => !models.includes(model));
    const other = sortRows(collectedRows(prompts, earlier, this.#style), { ledger, lost });
    const own = sortRows(this.#rows, { ledger, lost });
    return { answered: [...own.answered, ...other.answered], failed: own.failed };
  }

  async #write({
    graded,
    ungraded,
    failed,
  }: Grades & { readonly failed: readonly FailedRow[] }): Promise<void> {
    const { folder } = this.dependencies;
    const { ledger } = this.#journal;
    const unanswered = this.#rows.flatMap(({ key, prompt, model }) => {
      const failures = ledger.answer(key) === undefined ? ledger.faults(key) : 0;
      return failures === 0 ? [] : [{ id: prompt.id, model, score: null, failures }];
    });
    await folder.writeLines("outcomes", [
      ...graded.map(({ prompt, model, score, entry, key }) => ({
        id: prompt.id,
        model,
        score,
        tokens_in: entry.tokens_in,
        tokens_out: entry.tokens_out,
        cost_usd: entry.cost_usd,
        latency_ms: entry.latency_ms,
        failures: ledger.faults(key),
        scale: scaleOf(this.options.grader, prompt),
      })),
      ...unanswered,
    ]);
    await folder.writeLines(
      "answers",
      graded.map(({ prompt, model, score, entry }) => ({
        id: prompt.id,
        model,
        provider: entry.provider,
        score,
        answer: entry.answer,
        finish_reason: entry.finish_reason,
      })),
    );
    await folder.writeLines("failed", [...failed, ...ungraded]);
  }

  #report({ ending, asker, grades, failed = [] }: Ended): CollectReport {
    const { ledger } = this.#journal;
    const { graded = [], ungraded = [] } = grades ?? {};
    const models = [...new Set([...this.options.models, ...graded.map(({ model }) => model)])];
    return {
      ending,
      prompts: this.options.prompts.length,
      models: reportModels(models, graded),
      containedReferences: containedReferences(graded, this.options),
      scales: [...new Set(this.options.prompts.map((prompt) => scaleOf(this.options.grader, prompt)))],
      failed: [...failed, ...ungraded],
      gaveUp: asker.gaveUp,
      spentUsd: ledger.spentUsd,
      unpricedCalls: ledger.unpricedCalls,
      lost: { calls: ledger.lostCalls, usd: ledger.lostUsd },
    };
  }

  #estimate(pending: readonly PendingQuestion[], lengths: AnswerLengths): CollectEstimate {
    const { caller } = this.dependencies;
    const { ledger, lost } = this.#journal;
    const models = estimateQuestions(pending, { caller, lengths });
    return {
      models,
      costUsd: knownSum(models.map(({ costUsd }) => costUsd)),
      answered: new Set(
        this.#rows.filter(({ key }) => ledger.answer(key) !== undefined).map(({ key }) => key),
      ).size,
      spentUsd: ledger.spentUsd,
      lostCalls: pending.filter(({ key }) => lost.has(key)).length,
    };
  }

  #asker(lengths: AnswerLengths): Asker {
    const { maxUsd = Number.POSITIVE_INFINITY, lostCalls = "ask", signal = NEVER } = this.options;
    const { concurrency = DEFAULT_CONCURRENCY, providerConcurrency = DEFAULT_PROVIDER_CONCURRENCY } =
      this.options;
    const { ledger } = this.#journal;
    // What was in flight at a kill may have been billed.
    const budget = new Budget(maxUsd, ledger.spentUsd + ledger.lostUsd);
    const limits = { budget, lengths, concurrency, providerConcurrency, lostCalls, signal };
    return new Asker({ ...this.dependencies, ...limits, journal: this.#journal });
  }

  #progressOf(step: CollectProgress["step"]): (progress: AskProgress) => void {
    const { onProgress = () => {} } = this.options;
    return (progress) => onProgress({ ...progress, step, spentUsd: this.#journal.ledger.spentUsd });
  }

  get #journal() {
    return this.dependencies.folder.journal;
  }
}

interface Ended {
  readonly ending: CollectReport["ending"];
  readonly asker: Asker;
  readonly grades?: Grades;
  readonly failed?: readonly FailedRow[];
}

function styleOf({ system, temperature = DEFAULT_TEMPERATURE, maxTokens }: CollectOptions): AskingStyle {
  const parameters: QuestionParameters = {
    temperature,
    ...(maxTokens === undefined ? {} : { max_tokens: maxTokens }),
  };
  return { system, parameters };
}

/** As `sextant profile build` reads prompts. */
function promptLine({ id, prompt, benchmark, category }: WorkbenchPrompt): object {
  return {
    id,
    ...(benchmark === undefined || benchmark === null ? {} : { benchmark }),
    ...(category === undefined || category === null ? {} : { category }),
    ...(typeof prompt === "string" ? { prompt } : { messages: prompt }),
  };
}
