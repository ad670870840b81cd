/** Reports of the profile sets in use, made in a thread and kept until the sets are replaced. */
import type { Worker } from "node:worker_threads";
import type { SetInUse } from "../engine/open-router.js";
import type { SetReport } from "../engine/profiles/set-report.js";
import type { ModelFacts, ModelLookup } from "../engine/router/candidate.js";
import { SextantError } from "../foundation/errors.js";
import { startWorkerThread, WorkerThread } from "../foundation/workers/worker-thread.js";
import type { SetReports } from "../gateway/dependencies.js";
import type { ReportApi } from "../workbench/set-report/set-report.js";

interface SetReportsOptions {
  readonly setsInUse: () => readonly SetInUse[];
  readonly lookup: ModelLookup;
  /** Starts a thread that serves `ReportApi`. */
  readonly startWorker?: () => Worker;
}

/** Points on the map of a report: as many as a page draws at once without being slow. */
const MOST_POINTS = 2000;
const SEED = 0;

export interface OpenSetReports extends SetReports {
  close(): Promise<void>;
}

/** A report takes some seconds and the memory of a second copy of its set; the thread ends with it. One is made at a time. */
export function openSetReports({
  setsInUse,
  lookup,
  startWorker = startThread,
}: SetReportsOptions): OpenSetReports {
  const kept = new Map<string, Promise<SetReport>>();
  let last: Promise<unknown> = Promise.resolve();
  let thread: WorkerThread<ReportApi> | undefined;
  let isClosed = false;

  async function make(set: SetInUse): Promise<SetReport> {
    if (isClosed) throw STOPPED;
    const running = new WorkerThread<ReportApi>(startWorker(), { name: "the thread that makes reports" });
    thread = running;
    try {
      const { folder, version, embedder, models } = set;
      const efforts = models.flatMap(
        (model) => lookup(model).efforts?.variants.map((one) => one.model) ?? [],
      );
      const facts = new Map([...models, ...efforts].map((model) => [model, plainFacts(lookup(model))]));
      const question = { folder, version, embedder, models: facts, seed: SEED, maxPoints: MOST_POINTS };
      return await running.call("report", question);
    } finally {
      thread = undefined;
      await running.terminate(STOPPED);
    }
  }

  function reportOf(set: SetInUse): Promise<SetReport> {
    const key = keyOf(set);
    const known = kept.get(key);
    if (known !== undefined) return known;
    const inUse = new Set(setsInUse().map(keyOf));
    for (const other of kept.keys()) if (!inUse.has(other)) kept.delete(other);
    const made = last.then(() => make(set));
    last = made.catch(() => kept.delete(key));
    kept.set(key, made);
    return made;
  }

  return {
    sets: () => setsInUse().map(({ name, recommended }) => ({ name, recommended })),
    async report(name) {
      const sets = setsInUse();
      const set = name === undefined ? sets[0] : sets.find((one) => one.name === name);
      if (set === undefined) throw noSuchSet(name, sets);
      return reportOf(set);
    },
    async close() {
      isClosed = true;
      await thread?.terminate(STOPPED);
    },
  };
}

/** What a report shows and the version does not change with is the recommended cost weight. */
const keyOf = ({ version, recommended }: SetInUse): string => JSON.stringify([version, recommended]);

const startThread = (): Worker => startWorkerThread("workbench/set-report/worker", undefined);

const STOPPED = new SextantError("overloaded", "The server is stopping: no report is made.");

/** What decisions need: the catalog knows more of a model. */
const plainFacts = ({ provider, price, contextTokens, capabilities, efforts }: ModelFacts): ModelFacts => ({
  provider,
  price,
  contextTokens,
  capabilities,
  ...(efforts === undefined ? {} : { efforts }),
});

function noSuchSet(name: string | undefined, sets: readonly SetInUse[]): SextantError {
  if (sets.length === 0)
    return new SextantError("no_profiles_available", "No profile set is in use. Set SEXTANT_PROFILES.");
  const names = sets.map((set) => set.name).join(", ");
  return new SextantError(
    "not_found",
    `No profile set in use is named ${JSON.stringify(name?.slice(0, 80))}. Those in use: ${names}.`,
    { param: "set" },
  );
}
