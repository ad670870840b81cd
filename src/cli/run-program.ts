import { spawn } from "node:child_process";
import { constants } from "node:os";
import { type CliContext, CommandFailure } from "./context.js";

/** Signals that a terminal, or who ends this process, means for the program that has the terminal. */
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Only for the process's own context: what this process does at a signal is left to the program from then on. */
export const runProgram: CliContext["runProgram"] = (program, parameters, environment) =>
  new Promise((resolve, reject) => {
    const child = spawn(program, parameters, { stdio: "inherit", env: { ...environment } });
    for (const signal of SIGNALS) {
      process.removeAllListeners(signal);
      // A terminal sends SIGINT to both, and a program may end at the second one.
      const cameToBoth = signal === "SIGINT" && process.stdin.isTTY;
      process.on(signal, () => cameToBoth || child.kill(signal));
    }
    child.on("error", ({ message }) => {
      reject(new CommandFailure(`${program} cannot be started: ${message}. Is it installed, and on PATH?`));
    });
    child.on("exit", (code, signal) => resolve(code ?? 128 + constants.signals[signal ?? "SIGKILL"]));
  });
