/**
 * The workbench for notebooks and pipelines: what `sextant profile collect`, `build`, `eval`, `compare`, `tune`, `diff`, `label-next`,
 * `report` and `from-traces` and `sextant replay` do, in code. Settings and the keys of providers come from the environment, `.env` and the
 * settings file, as for the command line.
 */
import { basename, resolve } from "node:path";
import { buildPlannedSet } from "./compose/build-set.js";
import type { FromTracesOptions, LearnedFromTraces } from "./compose/from-traces.js";
import type { FinishedTrace } from "./compose/traced-answer.js";
import {
  decideGraded,
  type EvaluateSetOptions,
  readSet,
  type SetRouterOptions,
  settingsFor,
  textOfMessages,
  type WorkbenchSettings,
  withEmbedder,
  withRouter,
} from "./compose/workbench.js";
import {
  buildSetOptions,
  checkArgument,
  checkOptions,
  collectOptions,
  evaluateSetOptions,
  evaluation as evaluationSchema,
  fromTracesOptions,
  labelNextOptions,
  pastRequest,
  replayOptions,
  reportSetOptions,
  setFolder,
  tuneOptions,
} from "./compose/workbench-options.js";
import { recommendedWeightOf } from "./engine/index.js";
import type { SetReport } from "./engine/profiles/set-report.js";
import type { PastRequest } from "./gateway/features/replay/replay.js";
import type { ReplaySummary } from "./gateway/features/replay/replay-report.js";
import { Replay } from "./gateway/index.js";
import type { CollectOptions, CollectReport } from "./workbench/collect-options.js";
import type { ChosenWeight, WeightGoal } from "./workbench/evaluation/choose-weight.js";
import type { Comparison } from "./workbench/evaluation/compare.js";
import type { Evaluation } from "./workbench/evaluation/evaluate.js";
import type { SetDifference } from "./workbench/evaluation/set-difference.js";
import type { AnswerToGrade, Grader, LocalGrader, PromptGrader } from "./workbench/graders/grader.js";
import {
  chooseWeight,
  collect as collectWith,
  compareEvaluations,
  labelNext as labelNextWith,
  reportSet as reportLoadedSet,
  reportPage,
  saveChosenWeight,
  setDifference,
  setToSaveIn,
  withWeights,
} from "./workbench/index.js";
import type { ChooseLabelsOptions, LabelNextReport } from "./workbench/labels/label-next.js";

export type { FromTracesOptions, LearnedFromTraces } from "./compose/from-traces.js";
export type { FinishedTrace } from "./compose/traced-answer.js";
export type { EvaluateSetOptions, WorkbenchSettings } from "./compose/workbench.js";
export type { SetReport } from "./engine/profiles/set-report.js";
export type { Estimate } from "./foundation/bootstrap.js";
export type { PastRequest } from "./gateway/features/replay/replay.js";
export type { ReplaySummary } from "./gateway/features/replay/replay-report.js";
export type { LengthBasis } from "./workbench/asking/answer-lengths.js";
export type {
  CollectEstimate,
  CollectOptions,
  CollectProgress,
  CollectReport,
} from "./workbench/collect-options.js";
export type { FailedRow } from "./workbench/collected-answers.js";
export type { ModelEstimate } from "./workbench/estimate.js";
export type { ChosenWeight, WeightGoal } from "./workbench/evaluation/choose-weight.js";
export type { Comparison } from "./workbench/evaluation/compare.js";
export type { Evaluation } from "./workbench/evaluation/evaluate.js";
export type { SetDifference } from "./workbench/evaluation/set-difference.js";
export type { CommandOptions } from "./workbench/graders/command.js";
export type { AnswerToGrade, Grader, JudgeGrader, LocalGrader } from "./workbench/graders/grader.js";
export type { JsonSchemaOptions } from "./workbench/graders/json-schema.js";
export type { JudgeOptions } from "./workbench/graders/judge.js";
export type { NumberOptions } from "./workbench/graders/number.js";
export type { RegexOptions } from "./workbench/graders/regex.js";
export type { ModelReport } from "./workbench/grading.js";
export {
  choiceGrader,
  commandGrader,
  exactGrader,
  GradingError,
  jsonSchemaGrader,
  judgeGrader,
  numberGrader,
  OutcomeDataError,
  readPromptTable as readPrompts,
  regexGrader,
  samplePrompts,
  WorkbenchError,
} from "./workbench/index.js";
export type { LabelNextReport } from "./workbench/labels/label-next.js";
export type { ChatMessage, Reference, SampleOptions, WorkbenchPrompt } from "./workbench/prompts/prompt.js";
export type { PromptColumns, ReadPromptsOptions } from "./workbench/prompts/read-prompts.js";

/**
 * Asks every model every prompt, grades the answers, and writes outcomes from which `sextant profile build` makes a profile set: see
 * docs/workbench.md. A collection that was stopped goes on where it was when it is started again with the same folder.
 *
 * @throws WorkbenchError, SextantError, SettingsError: something that is wrong before anything is asked
 */
export async function collect(
  options: CollectOptions,
  settings: WorkbenchSettings = {},
): Promise<CollectReport> {
  checkOptions<CollectOptions>(collectOptions, options);
  // Loaded when it is called: the other functions need no providers.
  const { withModels } = await import("./compose/with-models.js");
  return withModels(settings, (asking) => collectWith(options, asking));
}

/** A grader of one's own. What it throws leaves an answer without a grade. */
export function customGrader(
  name: string,
  grade: (answer: AnswerToGrade) => number | Promise<number>,
): Grader {
  const grader: LocalGrader = { kind: "local", name, grade };
  return grader;
}

/** A table of several kinds of prompts: the answers to each are graded by the grader that the function gives for it. */
export function promptGrader(graderOf: PromptGrader["graderOf"]): Grader {
  const grader: PromptGrader = { kind: "by-prompt", name: "by prompt", graderOf };
  return grader;
}

/** What `buildSet` builds, from what, and where to. */
export interface BuildSetOptions {
  /** Files or folders, in the canonical layout: those that `collect` wrote, or the folder that holds them. */
  readonly prompts: readonly string[];
  readonly outcomes: readonly string[];
  /** Folder of the set. */
  readonly folder: string;
  /** Default: that of the folder. */
  readonly name?: string;
  /** Files of published scores. */
  readonly scores?: readonly string[];
  /** Replaces a set that is in the folder. Default: false. */
  readonly replace?: boolean;
  /** Models keep the names of the outcome files instead of their catalog ids. Default: false. */
  readonly keepNames?: boolean;
  /** Default: 0. */
  readonly seed?: number;
  /** Date that the set says of itself, ISO 8601. Default: now. */
  readonly builtAt?: string;
  /** Folder or hub id. Default: that of the settings. */
  readonly embedder?: string;
  readonly signal?: AbortSignal;
  /** `total` is 0 while it is unknown. */
  readonly onProgress?: (step: string, done: number, total: number) => void;
}

/** Builds a profile set from graded answers: `sextant profile build`. @throws WorkbenchError, OutcomeDataError, SettingsError */
export async function buildSet(
  asked: BuildSetOptions,
  settings: WorkbenchSettings = {},
): Promise<{ readonly name: string; readonly anchors: number; readonly models: readonly string[] }> {
  checkOptions<BuildSetOptions>(buildSetOptions, asked);
  const { prompts, outcomes, scores = [], ...options } = asked;
  const name = asked.name ?? basename(resolve(asked.folder));
  const source = { name, licence: null, commit: null, url: null, prompts, outcomes };
  const defaults = { replace: false, keepNames: false, seed: 0 };
  const plan = { name, sources: [source], scores };
  const { manifest, table } = await buildPlannedSet(plan, { ...defaults, ...options }, settings);
  return { name, anchors: manifest.anchors, models: table.models.map(({ model }) => model) };
}

/** What changed from one set to another, without prompts: `sextant profile diff`. @throws WorkbenchError, ProfileSetError */
export async function diffSets(first: string, second: string): Promise<SetDifference> {
  checkArgument("first", setFolder, first);
  checkArgument("second", setFolder, second);
  return setDifference(await readSet(first), await readSet(second));
}

/** Measures a set's decisions on held-out prompts: `sextant profile eval`. @throws WorkbenchError, OutcomeDataError, ProfileSetError, SettingsError */
export async function evaluateSet(
  options: EvaluateSetOptions,
  settings: WorkbenchSettings = {},
): Promise<Evaluation> {
  checkOptions<EvaluateSetOptions>(evaluateSetOptions, options);
  return decideGraded(options, { from: settings, use: async ({ evaluation }) => evaluation });
}

/** Two evaluations of the same prompts, the second minus the first: `sextant profile compare`. @throws WorkbenchError without a common prompt */
export function compareSets(first: Evaluation, second: Evaluation, { seed = 0 } = {}): Comparison {
  checkArgument("first", evaluationSchema, first);
  checkArgument("second", evaluationSchema, second);
  return compareEvaluations(first, second, { seed });
}

/** What `tuneCostWeight` evaluates, and what the chosen cost weight must keep to. */
export interface TuneOptions extends Omit<EvaluateSetOptions, "costWeight" | "candidates"> {
  readonly goal: WeightGoal;
  /** Writes the cost weight into the manifest of `set`, which is one set then. Default: false. */
  readonly save?: boolean;
}

/** The cost weight that fits a goal on held-out prompts: `sextant profile tune`. @throws as `evaluateSet`, and WorkbenchError without costs */
export async function tuneCostWeight(
  options: TuneOptions,
  settings: WorkbenchSettings = {},
): Promise<ChosenWeight> {
  checkOptions<TuneOptions>(tuneOptions, options);
  const { goal, save = false } = options;
  const set = save ? await setToSaveIn(options.set) : undefined;
  const { evaluation, sweep } = await decideGraded(
    { ...options, costWeight: 0 },
    { from: settings, use: async (evaluated) => evaluated },
  );
  const chosen = chooseWeight(sweep, goal, options);
  const { prompts } = evaluation;
  if (set !== undefined)
    await saveChosenWeight(set, chosen, { goal, prompts, savedAt: new Date().toISOString() });
  return chosen;
}

/** What `labelNext` chooses from, and how many prompts. */
export interface LabelNextOptions extends ChooseLabelsOptions {
  /** Folder or hub id. Default: that of the settings. */
  readonly embedder?: string | undefined;
}

/** Chooses the prompts to label next for a model: `sextant profile label-next`. @throws WorkbenchError, OutcomeDataError, ProfileSetError */
export async function labelNext(
  asked: LabelNextOptions,
  settings: WorkbenchSettings = {},
): Promise<LabelNextReport> {
  checkOptions<LabelNextOptions>(labelNextOptions, asked);
  const { embedder, ...options } = asked;
  return withEmbedder(
    { embedder, signal: options.signal },
    { from: settings, use: (opened) => labelNextWith(options, { embedder: opened, textOfMessages }) },
  );
}

/** The set that `reportSet` describes, and what it measures it on. */
export interface ReportSetOptions {
  /** Folder of one set. */
  readonly set: string;
  /** Of the sample and the map. Default: 0. */
  readonly seed?: number | undefined;
  /** Most anchors to draw on the map. Default: 3,000. */
  readonly maxPoints?: number | undefined;
  /** Held-out prompts with graded answers; without them there is no frontier and no calibration. */
  readonly heldOut?: Omit<EvaluateSetOptions, "set" | "seed"> | undefined;
}

/** What a set knows, and the page about it: `sextant profile report`. @throws as `evaluateSet` */
export async function reportSet(
  options: ReportSetOptions,
  settings: WorkbenchSettings = {},
): Promise<{
  readonly report: SetReport;
  readonly html: string;
  /** By the held-out prompts; null without them. */
  readonly evaluation: Evaluation | null;
}> {
  checkOptions<ReportSetOptions>(reportSetOptions, options);
  const { set, seed = 0, maxPoints, heldOut } = options;
  const loaded = await readSet(set);
  const tuned = recommendedWeightOf(loaded)?.cost_weight;
  const measured =
    heldOut === undefined
      ? null
      : await decideGraded(
          { ...heldOut, set, seed, including: tuned },
          { from: settings, use: async (evaluated) => evaluated },
        );
  const { lookup } = settingsFor({}, settings).catalog;
  const report = await reportLoadedSet(loaded, { seed, maxPoints, lookup });
  const html = reportPage(report, measured && withWeights(measured, { seed, tuned }));
  return { report, html, evaluation: measured?.evaluation ?? null };
}

/** How to decide past requests again. */
export interface ReplaySetOptions extends SetRouterOptions {
  /** 0 to 1, at least one. */
  readonly costWeights: readonly number[];
}

/** Decides past requests again by a set: `sextant replay`. @throws WorkbenchError on a wrong option or request, ProfileSetError, SettingsError */
export async function replay(
  requests: Iterable<PastRequest> | AsyncIterable<PastRequest>,
  options: ReplaySetOptions,
  settings: WorkbenchSettings = {},
): Promise<ReplaySummary> {
  checkOptions<ReplaySetOptions>(replayOptions, options);
  const { costWeights, ...way } = options;
  return withRouter(way, {
    from: settings,
    use: async (router) => {
      const replayed = new Replay(router, { costWeights });
      for await (const request of requests) {
        way.signal?.throwIfAborted();
        checkArgument("request", pastRequest, request);
        const { costUsd = null, promptTokens = null, feedback = null } = request;
        await replayed.add([{ ...request, costUsd, promptTokens, feedback }]);
      }
      return await replayed.summary();
    },
  });
}

/**
 * Writes what finished requests say of models as outcomes, and lets a set learn from them: `sextant profile from-traces`. Called again with
 * the same folder it pays no verdict of a judge twice.
 *
 * @param traces as `GET /v1/traces/{request_id}` and `sextant traces export` have them
 * @throws WorkbenchError, SextantError for a judge that cannot be asked, ProfileSetError, SettingsError
 */
export async function fromTraces(
  traces: Iterable<FinishedTrace> | AsyncIterable<FinishedTrace>,
  options: FromTracesOptions,
  settings: WorkbenchSettings = {},
): Promise<LearnedFromTraces> {
  checkOptions<FromTracesOptions>(fromTracesOptions, options);
  const { fromTracesWithSettings } = await import("./compose/from-traces.js");
  return fromTracesWithSettings(traces, options, settings);
}
