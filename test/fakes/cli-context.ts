import { Readable, Writable } from "node:stream";
import type { CliContext } from "../../src/cli/context.js";
import type { Router } from "../../src/engine/router/router.js";
import { SextantError } from "../../src/foundation/errors.js";
import type { TraceStore } from "../../src/gateway/traces/store.js";
import { FakeRouter } from "./router.js";

export interface CliRun {
  readonly context: CliContext;
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Resolves when standard output contains the text. */
  readonly printed: (text: string) => Promise<void>;
  readonly stop: () => void;
}

export interface CliRunOptions {
  readonly workingDirectory: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  readonly router?: Router;
  readonly nowMs?: number;
  readonly isTTY?: boolean;
  readonly traces?: TraceStore;
  readonly runProgram?: CliContext["runProgram"];
  /** Called instead of waiting; the wait is over when it resolves. */
  readonly onWait?: () => Promise<void> | void;
}

/** A command line without a process: what it reads is given, what it writes is kept. */
export function cliRun(options: CliRunOptions): CliRun {
  const stop = new AbortController();
  const stdout = recorder(options.isTTY ?? false);
  const stderr = recorder(options.isTTY ?? false);
  return {
    context: {
      environment: options.environment ?? {},
      workingDirectory: options.workingDirectory,
      stdin: Readable.from([options.stdin ?? ""]),
      stdout: stdout.stream,
      stderr: stderr.stream,
      now: () => options.nowMs ?? Date.UTC(2026, 0, 2),
      openRouter: async () => ({
        router: options.router ?? new FakeRouter(),
        embedder: {
          id: "fake",
          dimensions: 2,
          embed: async (texts) => texts.map(() => Float32Array.of(1, 0)),
        },
        notes: [],
        profileFilesVersion: () => "fake-1",
        setsInUse: () => [],
        reloadProfiles: () => Promise.reject(new Error("the fake router has no profiles to load")),
      }),
      openTraceStore: () => {
        if (options.traces === undefined) throw new SextantError("store_down", "There is no store.");
        return options.traces;
      },
      fetch,
      wait: async (_milliseconds, signal) => {
        await options.onWait?.();
        signal.throwIfAborted();
      },
      runProgram: options.runProgram ?? noPrograms,
      onHangup: () => {},
      signal: stop.signal,
    },
    stdout: stdout.text,
    stderr: stderr.text,
    printed: stdout.contains,
    stop: () => stop.abort(),
  };
}

const noPrograms = (): never => {
  throw new Error("there are no programs here");
};

function recorder(isTTY: boolean) {
  let written = "";
  const waiting = new Map<string, () => void>();
  const stream = new Writable({
    write(chunk, _encoding, done) {
      written += String(chunk);
      for (const [text, resolve] of waiting) if (written.includes(text)) resolve();
      done();
    },
  });
  return {
    stream: Object.assign(stream, { isTTY }),
    text: () => written,
    contains: (text: string) =>
      new Promise<void>((resolve) => {
        if (written.includes(text)) resolve();
        else waiting.set(text, resolve);
      }),
  };
}
