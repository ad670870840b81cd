/**
 * Removes from package.json what only this repository uses while `npm pack` and `npm publish` read it, and puts it back:
 * with `prepare` in it, npm would ask whoever installs the packed file to approve an install script.
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const MANIFEST = fileURLToPath(new URL("../package.json", import.meta.url));
const COMPLETE = fileURLToPath(new URL("../package.json.complete", import.meta.url));

const OF_THE_REPOSITORY = new Set(["scripts", "allowScripts", "devDependencies", "overrides"]);

function restore(): void {
  if (existsSync(COMPLETE)) renameSync(COMPLETE, MANIFEST);
}

function strip(): void {
  // What an interrupted run has left behind.
  restore();
  const complete = readFileSync(MANIFEST, "utf8");
  const entries = Object.entries(JSON.parse(complete)).filter(([name]) => !OF_THE_REPOSITORY.has(name));
  writeFileSync(COMPLETE, complete);
  writeFileSync(MANIFEST, `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`);
}

const COMMANDS: Readonly<Record<string, () => void>> = { strip, restore };
const command = COMMANDS[process.argv[2] ?? ""];
if (command === undefined) throw new Error("Usage: tsx scripts/packed-manifest.ts strip|restore");
command();
