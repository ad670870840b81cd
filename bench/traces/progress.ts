import { SingleBar } from "cli-progress";

export interface Progress {
  add(count: number): void;
  stop(): void;
}

/** A bar on standard error while it is looked at; a line at the start otherwise. */
export function showProgress(what: string, total: number): Progress {
  if (!process.stderr.isTTY) {
    process.stderr.write(`${what} …\n`);
    return { add: () => {}, stop: () => {} };
  }
  const bar = new SingleBar({
    stream: process.stderr,
    format: `{bar} {percentage}% | ${what} | {value} of {total} | {duration_formatted}`,
    hideCursor: true,
    clearOnComplete: true,
  });
  bar.start(total, 0);
  return { add: (count) => bar.increment(count), stop: () => bar.stop() };
}
