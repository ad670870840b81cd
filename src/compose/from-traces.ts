import { basename, resolve } from "node:path";
import type { Catalog } from "../engine/catalog/catalog.js";
import type { Embedder } from "../engine/embedding/embedder.js";
import type { AskProgress } from "../workbench/asking/asking-round.js";
import type { JudgeGrader } from "../workbench/graders/grader.js";
import { updateSet } from "../workbench/learning/extend-set.js";
import {
  type FromTracesReport,
  outcomesFromTraces,
  type UsableAnswer,
} from "../workbench/traffic/outcomes-from-traces.js";
import { OptionError } from "../workbench/workbench-error.js";
import { catalogAlone, requireFreeFolder, storeMeanCosts } from "./build-set.js";
import { type FinishedTrace, type UnusableTrace, usableAnswer } from "./traced-answer.js";
import { withModels } from "./with-models.js";
import { dateOf, type WorkbenchSettings, withEmbedder } from "./workbench.js";

export interface FromTracesOptions {
  /** Folder of the outcomes: a new one, or one of an earlier run. */
  readonly outcomes: string;
  /** Grades every answer, in the place of feedback. */
  readonly judge?: JudgeOptions | undefined;
  /** A set that learns from the outcomes. */
  readonly update?: UpdateOptions | undefined;
  readonly signal?: AbortSignal | undefined;
  /** `total` is 0 while it is unknown; `spentUsd` is what judging cost so far. */
  readonly onProgress?: ((step: string, done: number, total: number, spentUsd?: number) => void) | undefined;
  /** Called with a sentence for the user. */
  readonly onNote?: ((note: string) => void) | undefined;
}

interface JudgeOptions {
  readonly grader: JudgeGrader;
  /** Judges at most so many answers, chosen at random and the same in every run. Default: all. */
  readonly sample?: number | undefined;
  /** Most US dollars that judging may cost, earlier runs included. Default: no limit. */
  readonly maxUsd?: number | undefined;
}

interface UpdateOptions {
  /** Folder of the set that learns; it is left as it is. */
  readonly set: string;
  /** Folder of the set that has learned. */
  readonly folder: string;
  /** Default: that of the folder. */
  readonly name?: string | undefined;
  /** Replaces a set that is in the folder. Default: false. */
  readonly replace?: boolean | undefined;
  /** Of clustering. Default: 0. */
  readonly seed?: number | undefined;
  /** Folder or hub id. Default: that of the settings. */
  readonly embedder?: string | undefined;
  /** Date that the set says of itself, ISO 8601. Default: now. */
  readonly builtAt?: string | undefined;
}

export interface LearnedFromTraces extends FromTracesReport {
  /** Traces without an answer, and without their texts. */
  readonly leftOut: LeftOutTraces;
  /** Null without `update`, and when nothing was graded or not all was judged. */
  readonly set: LearnedSet | null;
}

interface LearnedSet {
  readonly name: string;
  /** Prompts of the set, those of the traffic included. */
  readonly anchors: number;
  /** Graded answers that it learned from, and topics of the traffic. */
  readonly answers: number;
  readonly topics: number;
  /** Dollars of these answers over what the set expects of each prompt without its own answer; null where none are known. */
  readonly realOverExpected: number | null;
  /** Models of the traffic that the set does not have, whose answers were left out. */
  readonly unknownModels: readonly string[];
}

/** How many traces nothing can be learned from, by the reason. */
type LeftOutTraces = Record<UnusableTrace, number>;

/** Outcomes from finished requests, and a set that has learned from them. @throws as `fromTraces` of `sextant/workbench` */
export async function fromTracesWithSettings(
  traces: Iterable<FinishedTrace> | AsyncIterable<FinishedTrace>,
  options: FromTracesOptions,
  from: WorkbenchSettings,
): Promise<LearnedFromTraces> {
  if (options.update !== undefined) await checkUpdate(options.update);
  const leftOut: LeftOutTraces = { failed: 0, text: 0 };
  const report = await writeOutcomes(usableAnswers(traces, leftOut), options, from);
  const isWhole = report.ending === "finished" && report.outcomes > 0;
  const set = isWhole && options.update !== undefined ? await learn(options.update, options, from) : null;
  return { ...report, leftOut, set };
}

async function checkUpdate({ set, folder, replace = false }: UpdateOptions): Promise<void> {
  if (resolve(set) === resolve(folder))
    throw new OptionError(
      "`update.folder` is the set of `update.set`, which is left as it is; name another folder",
    );
  await requireFreeFolder(folder, { replace, field: "update.folder" });
}

/** @param leftOut is counted up as the traces are read */
async function* usableAnswers(
  traces: Iterable<FinishedTrace> | AsyncIterable<FinishedTrace>,
  leftOut: LeftOutTraces,
): AsyncGenerator<readonly UsableAnswer[]> {
  for await (const trace of traces) {
    const answer = usableAnswer(trace);
    if (typeof answer === "string") leftOut[answer] += 1;
    else yield [answer];
  }
}

function writeOutcomes(
  answers: ReturnType<typeof usableAnswers>,
  { outcomes: folder, judge, signal, onProgress }: FromTracesOptions,
  from: WorkbenchSettings,
): Promise<FromTracesReport> {
  const common = {
    answers,
    folder,
    signal,
    onProgress: ({ done, total, spentUsd }: AskProgress & { readonly spentUsd: number }) =>
      onProgress?.("judge", done, total, spentUsd),
  };
  if (judge === undefined) return outcomesFromTraces(common);
  return withModels(from, (asking) => outcomesFromTraces({ ...common, judging: { ...judge, ...asking } }));
}

function learn(
  { set, folder, name = basename(resolve(folder)), seed = 0, embedder, builtAt }: UpdateOptions,
  { outcomes, signal, onProgress, onNote }: FromTracesOptions,
  from: WorkbenchSettings,
): Promise<LearnedSet> {
  const use = async (opened: Embedder, { lookup }: Catalog): Promise<LearnedSet> => {
    const at = dateOf(builtAt, from);
    const { manifest, learned, realOverExpected, unknownModels } = await updateSet(set, outcomes, {
      folder,
      name,
      seed,
      signal,
      onProgress,
      onNote,
      embedder: opened,
      builtAt: at,
      rename: (model) => lookup(model).profile ?? model,
    });
    await storeMeanCosts({ folder }, { embedder: opened, catalog: catalogAlone(at, from) });
    const { answers, topicCount: topics } = learned;
    return { name, anchors: manifest.anchors, answers, topics, realOverExpected, unknownModels };
  };
  return withEmbedder({ embedder, signal }, { from, use });
}
