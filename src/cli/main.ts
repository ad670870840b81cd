#!/usr/bin/env node
/** The process: the only place that ends it. */
import { closeSync, openSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import type { CliContext } from "./context.js";
import { runCli } from "./program.js";
import { runProgram } from "./run-program.js";

const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.on(signal, () => {
    // A second signal does not wait for the first to be obeyed.
    if (stop.signal.aborted) process.exit(signal === "SIGINT" ? 130 : 143);
    stop.abort(signal);
  });
}

/** A terminal that is closed sends SIGHUP, too: then whoever started this process is gone. */
function hasLostTerminal(): boolean {
  if (!process.stdout.isTTY && !process.stderr.isTTY) return false;
  try {
    closeSync(openSync("/dev/tty", "r"));
    return false;
  } catch {
    return true;
  }
}

// A reader that has seen enough (`| head`) closes the pipe: no fault of anyone. The next write rejects, which ends a command
// in order; ending the process here would cut off requests, and crash it where the library of the traces is at work.
for (const output of [process.stdout, process.stderr]) output.on("error", () => {});

const context: CliContext = {
  environment: process.env,
  workingDirectory: process.cwd(),
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  now: Date.now,
  openRouter: async (...given) => (await import("../engine/open-router.js")).openRouterFromSettings(...given),
  openTraceStore: async (settings) => (await import("./open-stored-traces.js")).openStoredTraces(settings),
  fetch,
  wait: async (milliseconds, signal) => {
    await setTimeout(milliseconds, undefined, { signal });
  },
  runProgram,
  onHangup: (callBack) => {
    process.on("SIGHUP", () => (hasLostTerminal() ? stop.abort("SIGHUP") : callBack()));
  },
  signal: stop.signal,
};

const exitCode = await runCli(process.argv.slice(2), context);
// What is still in the pipe is delivered before the process ends.
process.stdout.write("", () => process.exit(exitCode));
