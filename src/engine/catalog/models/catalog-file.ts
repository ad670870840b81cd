import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PACKAGE_ROOT } from "../../../foundation/package.js";

/** A file of the folder `catalog/`, which is shipped with the package. @throws an Error that names the file */
export function readCatalogFile(name: string): unknown {
  const path = join(PACKAGE_ROOT, "catalog", name);
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (cause) {
    throw new Error(`The catalog file ${path} cannot be read: ${String(cause)}. Reinstall the package.`, {
      cause,
    });
  }
}
