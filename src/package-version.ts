import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PACKAGE_ROOT } from "./settings.js";

/** Version of the package, from its package.json. */
export function packageVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(join(PACKAGE_ROOT, "package.json"), "utf8"));
  const { version } = manifest as { version?: unknown };
  return typeof version === "string" ? version : "unknown";
}
