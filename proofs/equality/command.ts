import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Command } from "commander";
import { showProgress } from "../../bench/report/progress.js";
import { differences, rendered } from "./compare.js";
import { type Recording, record } from "./record.js";

interface Options {
  readonly before?: string;
  readonly after: string;
  readonly record?: string;
}

/** `equality`: whether two builds answer alike. proofs/README.md says what is compared. Exit status 1 when they differ. */
export const equalityCommand = (): Command =>
  new Command("equality")
    .description("Do two builds answer alike?")
    .option("--before <dir>", "a checkout with dist and node_modules, or a file that --record wrote")
    .option("--after <dir>", "the same", ".")
    .option("--record <file>", "write what --after answers to a file, and compare nothing")
    .action(async ({ before, after, record: file }: Options) => {
      if (file !== undefined) return recordInto(file, after);
      if (before === undefined) throw new Error("Name what to compare with: --before DIR.");
      const [first, second] = [await recordingOf(before), await recordingOf(after)];
      const found = differences(first, second);
      if (found.length > 0) console.log(`${rendered(found)}\n`);
      console.log(`${Object.keys(second.exchanges).length} exchanges, ${found.length} differences.`);
      process.exitCode = found.length === 0 ? 0 : 1;
    });

async function recordInto(file: string, built: string): Promise<void> {
  const progress = showProgress("requests", 1500);
  const recording = await record(resolve(built), progress.update);
  progress.stop();
  await writeFile(file, JSON.stringify(recording, null, 1));
}

/** In a process of its own: ids that the fake vendors give count from the start. */
async function recordingOf(source: string): Promise<Recording> {
  if (source.endsWith(".json")) return JSON.parse(await readFile(source, "utf8"));
  const folder = await mkdtemp(join(tmpdir(), "sextant-equality-"));
  try {
    const file = join(folder, "recording.json");
    const program = ["--import", "tsx", join(import.meta.dirname, "..", "main.ts")];
    const args = [...program, "equality", "--after", source, "--record", file];
    const child = spawn(process.execPath, args, { stdio: ["ignore", "inherit", "inherit"] });
    const [code] = await once(child, "exit");
    if (code !== 0) throw new Error(`Recording ${source} failed.`);
    return JSON.parse(await readFile(file, "utf8"));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
