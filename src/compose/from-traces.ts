import { basename, resolve } from "node:path";
import { targetProblem } from "../engine/profiles/set-folder.js";
import { waitingTimers } from "../foundation/timers.js";
import { loadSettings, readEnvironment } from "../gateway/settings/load-settings.js";
import type { JudgeGrader } from "../workbench/graders/grader.js";
import { updateSet } from "../workbench/learning/update-set.js";
import {
  type FromTracesReport,
  type Judging,
  outcomesFromTraces,
} from "../workbench/traffic/outcomes-from-traces.js";
import { WorkbenchError } from "../workbench/workbench-error.js";
import { openModels } from "./open-models.js";
import type { FinishedTrace } from "./traced-answer.js";
import { type LeftOutTraces, usableAnswers } from "./usable-answers.js";
import { type WorkbenchSettings, withEmbedder } from "./workbench.js";

export interface FromTracesOptions {
  /** Folder of the outcomes: a new one, or one of an earlier run. */
  readonly outcomes: string;
  /** Grades every answer, in the place of feedback. */
  readonly judge?: JudgeOptions;
  /** A set that learns from the outcomes. */
  readonly update?: UpdateOptions;
  readonly signal?: AbortSignal | undefined;
  /** `total` is 0 while it is unknown. */
  readonly onProgress?: (step: string, done: number, total: number) => void;
}

interface JudgeOptions {
  readonly grader: JudgeGrader;
  /** Judges at most so many answers, chosen at random and the same in every run. Default: all. */
  readonly sample?: number;
  /** Most US dollars that judging may cost, earlier runs included. Default: no limit. */
  readonly maxUsd?: number;
}

interface UpdateOptions {
  /** Folder of the set that learns; it is left as it is. */
  readonly set: string;
  /** Folder of the set that has learned. */
  readonly folder: string;
  /** Default: that of the folder. */
  readonly name?: string;
  /** Replaces a set that is in the folder. Default: false. */
  readonly replace?: boolean;
  /** Of clustering. Default: 0. */
  readonly seed?: number;
  /** Folder or hub id. Default: that of the settings. */
  readonly embedder?: string;
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
  /** Models of the traffic that the set does not have, whose answers were left out. */
  readonly unknownModels: readonly string[];
}

/** Outcomes from finished requests, and a set that has learned from them. @throws as `fromTraces` of `sextant/workbench` */
export async function fromTracesWithSettings(
  traces: Iterable<FinishedTrace> | AsyncIterable<FinishedTrace>,
  options: FromTracesOptions,
  from: WorkbenchSettings,
): Promise<LearnedFromTraces> {
  if (options.update !== undefined) await checkUpdate(options.update);
  const leftOut: LeftOutTraces = { failed: 0, text: 0 };
  const report = await writeOutcomes(usableAnswers(oneByOne(traces), leftOut), options, from);
  const isWhole = report.ending === "finished" && report.outcomes > 0;
  const set = isWhole && options.update !== undefined ? await learn(options.update, options, from) : null;
  return { ...report, leftOut, set };
}

async function checkUpdate({ set, folder, replace = false }: UpdateOptions): Promise<void> {
  if (resolve(set) === resolve(folder))
    throw new WorkbenchError(
      `update.folder is ${folder}, the set that learns, which is left as it is. Name another one.`,
    );
  const problem = await targetProblem(folder, { replace, option: "`replace`" });
  if (problem !== undefined) throw new WorkbenchError(`update.folder ${folder} ${problem}`);
}

async function* oneByOne(
  traces: Iterable<FinishedTrace> | AsyncIterable<FinishedTrace>,
): AsyncGenerator<readonly FinishedTrace[]> {
  for await (const trace of traces) yield [trace];
}

async function writeOutcomes(
  answers: ReturnType<typeof usableAnswers>,
  { outcomes: folder, judge, signal, onProgress }: FromTracesOptions,
  { workingDirectory = process.cwd(), environment = process.env }: WorkbenchSettings,
): Promise<FromTracesReport> {
  const common = {
    ...{ answers, folder, signal },
    onProgress: ({ done, total }: { done: number; total: number }) => onProgress?.("judge", done, total),
  };
  if (judge === undefined) return outcomesFromTraces(common);
  const settings = loadSettings(environment, { workingDirectory });
  const caller = openModels(settings, { environment: readEnvironment(environment, { workingDirectory }) });
  const judging: Judging = {
    ...judge,
    caller,
    ...{ clock: () => performance.now(), timers: waitingTimers, now: Date.now, random: Math.random },
  };
  try {
    return await outcomesFromTraces({ ...common, judging });
  } finally {
    await caller.close();
  }
}

async function learn(
  { set, folder, name = basename(resolve(folder)), seed = 0, embedder }: UpdateOptions,
  { outcomes, signal, onProgress }: FromTracesOptions,
  from: WorkbenchSettings,
): Promise<LearnedSet> {
  return withEmbedder(
    { embedder, signal },
    {
      from,
      use: async (opened, { lookup }) => {
        const { manifest, learned, unknownModels } = await updateSet(set, outcomes, {
          ...{ folder, name, seed, signal, embedder: opened },
          builtAt: new Date().toISOString(),
          rename: (model) => lookup(model).profile ?? model,
          ...(onProgress === undefined ? {} : { onProgress }),
        });
        const { answers, topicCount: topics } = learned;
        return { name, anchors: manifest.anchors, answers, topics, unknownModels };
      },
    },
  );
}
