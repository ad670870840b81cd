/** The package this code is part of. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** Folder that holds package.json, catalog/, models/ and profiles/, wherever the process was started. */
export const PACKAGE_ROOT = folderAbove(
  dirname(fileURLToPath(import.meta.url)),
  join("catalog", "models.json"),
);

function folderAbove(folder: string, file: string): string {
  return existsSync(join(folder, file)) ? folder : folderAbove(dirname(folder), file);
}

/** Version of the package, from its package.json. */
export function packageVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(join(PACKAGE_ROOT, "package.json"), "utf8"));
  const { version } = manifest as { version?: unknown };
  return typeof version === "string" ? version : "unknown";
}
