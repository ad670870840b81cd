import { SingleBar } from "cli-progress";

export interface Progress {
  /** Sets how much of the whole is done. */
  update(done: number): void;
  /** To be called in the end, also after a fault. */
  stop(): void;
}

/** Shows a progress bar on standard error if it is a terminal; otherwise a line at the start. */
export function showProgress(what: string, total: number): Progress {
  const stream = process.stderr;
  if (!stream.isTTY) {
    stream.write(`${what} …\n`);
    return { update: () => {}, stop: () => {} };
  }
  const bar = new SingleBar({
    stream,
    format: `${what.padEnd(34)} {bar} {percentage} %, {value} of {total}, {duration_formatted}`,
    hideCursor: true,
    clearOnComplete: true,
    barsize: 30,
  });
  bar.start(Math.max(1, total), 0);
  return { update: (done) => bar.update(done), stop: () => bar.stop() };
}
