/**
 * Removes from a package.json what only this repository uses while `npm pack` and `npm publish` read it, and puts it back:
 * with `prepare` in it, npm would ask whoever installs the packed file to approve an install script.
 *
 * The engine's package, in `src/engine`, also gets what it ships beside its code, which lies in the root.
 */
import { cpSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../", import.meta.url));
const ENGINE = join("src", "engine");

const OF_THE_REPOSITORY = new Set(["scripts", "allowScripts", "devDependencies", "overrides", "workspaces"]);

/** The engine has code in folders of the same names. */
const SHIPPED_WITH_THE_ENGINE = [
  "LICENSE",
  "catalog/dataset-names.json",
  "catalog/hidden-tokens.json",
  "catalog/models.json",
  "models",
  "profiles/README.md",
  "profiles/default",
];

const [command, folder = "."] = process.argv.slice(2);
const manifest = join(ROOT, folder, "package.json");
const complete = `${manifest}.complete`;

function restore(): void {
  if (existsSync(complete)) renameSync(complete, manifest);
  if (folder !== ENGINE) return;
  for (const path of [...SHIPPED_WITH_THE_ENGINE, "types"])
    rmSync(join(ROOT, folder, path), { recursive: true, force: true });
}

function strip(): void {
  // What an interrupted run has left behind.
  restore();
  const text = readFileSync(manifest, "utf8");
  const entries = Object.entries(JSON.parse(text)).filter(([name]) => !OF_THE_REPOSITORY.has(name));
  writeFileSync(complete, text);
  writeFileSync(manifest, `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`);
  if (folder !== ENGINE) return;
  for (const path of SHIPPED_WITH_THE_ENGINE)
    cpSync(join(ROOT, path), join(ROOT, folder, path), { recursive: true });
}

const COMMANDS: Readonly<Record<string, () => void>> = { strip, restore };
const run = COMMANDS[command ?? ""];
if (run === undefined) throw new Error("Usage: tsx scripts/packed-manifest.ts strip|restore [folder]");
run();
