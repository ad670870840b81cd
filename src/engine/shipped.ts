import { join } from "node:path";
import { PACKAGE_ROOT } from "../foundation/package.js";

/** Folder of the embedder that ships with the package. */
export const SHIPPED_EMBEDDER = join(PACKAGE_ROOT, "models", "sextant-static-v1");

/** Folder of the profile sets that ship with it. */
export const SHIPPED_PROFILES = join(PACKAGE_ROOT, "profiles");
