import type { Readable, Writable } from "node:stream";
import type { OpenRouter } from "../engine/open-router.js";
import { ExplainedError } from "../foundation/errors.js";
import type { Settings } from "../gateway/settings.js";
import type { TraceStore } from "../gateway/traces/store.js";
import { printable } from "./printable.js";

/** A stream that may be a terminal. */
export type Output = Writable & { readonly isTTY?: boolean; readonly columns?: number };

/** Everything a command takes from its process, so that tests can run one without a process. */
export interface CliContext {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly workingDirectory: string;
  readonly stdin: Readable;
  readonly stdout: Output;
  readonly stderr: Output;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly openRouter: OpenRouter;
  /** Opens the store that the settings name, to be read. @throws SextantError `store_down` when that is known at once; else its methods do */
  readonly openTraceStore: (settings: Settings) => TraceStore | Promise<TraceStore>;
  readonly fetch: typeof fetch;
  /** Resolves after that many milliseconds; rejects with the signal's reason. */
  readonly wait: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /**
   * Runs a program on this terminal, which gets the signals from then on.
   *
   * @returns its exit code; 128 and its number for a signal
   * @throws CommandFailure when it cannot be started
   */
  readonly runProgram: (
    program: string,
    parameters: readonly string[],
    environment: Readonly<Record<string, string | undefined>>,
  ) => Promise<number>;
  /** Calls back whenever the process gets SIGHUP, which from then on does not end it. */
  readonly onHangup: (callBack: () => void) => void;
  /** Aborts when the process is asked to stop. */
  readonly signal: AbortSignal;
}

/** A command that failed in a way it has explained. The message is printed as it is; the process ends with `exitCode`. */
export class CommandFailure extends ExplainedError {
  override readonly name = "CommandFailure";
  readonly exitCode: number;

  constructor(message: string, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Writes one line or several, without what would make a terminal do things, and waits while the reader is slow. */
export const writeLine = (output: Writable, line: string): Promise<void> =>
  writeOut(output, `${printable(line)}\n`);

/**
 * Writes text or bytes as they are, for files and other programs, and waits while the reader is slow.
 *
 * @throws what the system says when it cannot be written to: EPIPE when its reader has closed the pipe
 */
export async function writeOut(output: Writable, chunk: string | Uint8Array): Promise<void> {
  if (output.write(chunk)) return;
  await new Promise<void>((resolve, reject) => {
    const settle = (finish: () => void) => () => {
      output.off("drain", drained).off("error", failed).off("close", closed);
      finish();
    };
    const drained = settle(resolve);
    const closed = settle(resolve);
    const failed = (error: Error) => settle(() => reject(error))();
    output.on("drain", drained).on("error", failed).on("close", closed);
  });
}
