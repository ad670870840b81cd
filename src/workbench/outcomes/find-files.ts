import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { OutcomeDataError } from "./outcome-data-error.js";
import { OUTCOMES_FILE } from "./read-outcomes.js";
import { PROMPTS_FILE } from "./read-prompts.js";

type DataKind = "prompts" | "outcomes";

const READABLE: Readonly<Record<DataKind, RegExp>> = { prompts: PROMPTS_FILE, outcomes: OUTCOMES_FILE };

/**
 * The data files at the given paths: a file itself; for a folder its files that are named for the kind
 * (`prompts.jsonl`, `outcomes-2.parquet`) or, where there is none, all readable files that are not named for the other
 * kind; sorted by name. Prompts are looked for in JSONL first. Not recursive.
 *
 * @throws OutcomeDataError when a path does not exist or a folder has no such file
 */
export async function findDataFiles(paths: readonly string[], kind: DataKind): Promise<string[]> {
  const found: string[] = [];
  for (const path of paths) found.push(...(await filesOf(path, kind)));
  return found;
}

async function filesOf(path: string, kind: DataKind): Promise<readonly string[]> {
  const facts = await stat(path).catch((cause: unknown) => {
    throw new OutcomeDataError({ file: path }, `there is no such file or folder of ${kind}; check the path`, {
      cause,
    });
  });
  if (!facts.isDirectory()) return [path];
  const entries = await readdir(path, { withFileTypes: true });
  const files = entries.filter((entry) => !entry.isDirectory() && READABLE[kind].test(entry.name));
  const other = kind === "prompts" ? "outcomes" : "prompts";
  const names = files.map(({ name }) => name).filter((name) => !name.startsWith(other));
  // A table beside prompts in JSONL is most likely one of outcomes.
  const lines = names.filter((name) => kind === "prompts" && /\.jsonl(\.gz)?$/.test(name));
  const readable = (lines.length > 0 ? lines : names).sort();
  const named = readable.filter((name) => name.startsWith(kind));
  const chosen = named.length > 0 ? named : readable;
  if (chosen.length > 0) return chosen.map((name) => join(path, name));
  throw new OutcomeDataError(
    { file: path },
    `the folder holds no ${kind} (.parquet, .csv, .jsonl, .csv.gz or .jsonl.gz); name the right folder or file`,
  );
}
