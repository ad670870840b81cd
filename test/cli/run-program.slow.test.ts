import { afterEach, expect, it } from "vitest";
import { runProgram } from "../../src/cli/run-program.js";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
const before = SIGNALS.map((signal) => [signal, process.listeners(signal)] as const);
afterEach(() => {
  for (const [signal, listeners] of before) {
    process.removeAllListeners(signal);
    for (const listener of listeners) process.on(signal, listener);
  }
});

it("passes the program's exit code on", async () => {
  expect(await runProgram(process.execPath, ["-e", "process.exit(7)"], process.env)).toBe(7);
});

it.each(SIGNALS)("passes %s on to a program that no terminal tells of it", async (signal) => {
  const waits = `process.on("${signal}", () => process.exit(42)); process.kill(process.ppid, "${signal}"); setInterval(() => {}, 1000)`;
  expect(await runProgram(process.execPath, ["-e", waits], process.env)).toBe(42);
});

it("says that a program is not there", async () => {
  await expect(runProgram("/nowhere/claude", [], {})).rejects.toThrow("Is it installed, and on PATH?");
});
