import { SingleBar } from "cli-progress";
import type { Output } from "../context.js";
import { printable, printableLine } from "../printable.js";

export interface BuildProgress {
  /** `total` is 0 while it is not known. `detail` is shown beside the figures. */
  update(step: string, done: number, total: number, detail?: string): void;
  note(text: string): void;
  /** To be called in the end, also after a fault. */
  stop(): void;
}

const STEP_TITLES: Readonly<Record<string, string>> = {
  read: "Reading outcomes",
  ask: "Asking models",
  grade: "Grading answers",
  judge: "Asking the judge",
  embed: "Embedding prompts",
  expect: "Estimating what was expected",
  fit: "Taking prompt difficulty out",
  profiles: "Writing profiles",
  index: "Building IVF lists",
  tune: "Tuning by leave-one-out",
  graph: "Building the HNSW graph",
  decide: "Deciding",
};

/** A terminal gets a bar per step, anything else lines. */
export function showProgress(stream: Output): BuildProgress {
  return stream.isTTY ? new ProgressBars(stream) : new ProgressLines(stream);
}

class ProgressBars implements BuildProgress {
  readonly #stream: Output;
  #step: string | undefined;
  #bar: SingleBar | undefined;

  constructor(stream: Output) {
    this.#stream = stream;
  }

  update(step: string, done: number, total: number, detail = ""): void {
    if (step !== this.#step) this.#begin(step, total);
    if (total > 0) this.#bar?.setTotal(total);
    const share = total > 0 ? `${Math.floor((100 * done) / total)}%` : "";
    this.#bar?.update(done, { share, detail: detail === "" ? "" : `, ${printableLine(detail)}` });
  }

  note(text: string): void {
    this.stop();
    this.#stream.write(`${printable(text)}\n`);
  }

  stop(): void {
    this.#bar?.stop();
    this.#bar = undefined;
    this.#step = undefined;
  }

  #begin(step: string, total: number): void {
    this.stop();
    this.#step = step;
    const title = (STEP_TITLES[step] ?? step).padEnd(30);
    const format = total > 0 ? `${title}{bar} {share}, {value} of {total}{detail}` : `${title}{value} rows`;
    this.#bar = new SingleBar({ format, stream: this.#stream, hideCursor: true, barsize: 30, fps: 10 });
    this.#bar.start(Math.max(total, 1), 0, { share: "", detail: "" });
  }
}

class ProgressLines implements BuildProgress {
  readonly #stream: Output;
  #last: { readonly step: string; readonly done: number } | undefined;
  #tenths = 0;

  constructor(stream: Output) {
    this.#stream = stream;
  }

  update(step: string, done: number, total: number, detail?: string): void {
    if (this.#last !== undefined && this.#last.step !== step) this.#end();
    if (this.#last?.step !== step) this.#stream.write(`${STEP_TITLES[step] ?? step} …\n`);
    if (detail !== undefined) this.#tenth({ done, total, detail });
    else this.#last = { step, done: total > 1 ? total : done };
    this.#last ??= { step, done: 0 };
  }

  /** A line for each tenth, for steps that take long and say more. */
  #tenth({ done, total, detail }: { done: number; total: number; detail: string }): void {
    const tenth = Math.floor((10 * done) / Math.max(total, 1));
    if (tenth > this.#tenths) this.#stream.write(`  ${done} of ${total}, ${printableLine(detail)}\n`);
    this.#tenths = tenth;
  }

  note(text: string): void {
    this.#stream.write(`${printable(text)}\n`);
  }

  stop(): void {
    this.#end();
  }

  #end(): void {
    if (this.#last !== undefined && this.#last.done > 1) this.#stream.write(`  ${this.#last.done} done\n`);
    this.#last = undefined;
  }
}
