/** The catalog file that `sextant catalog update` puts into the data folder: it counts instead of the shipped one, unless that is newer. */
import { copyFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { z } from "zod";
import { shortened } from "../../foundation/bounded-text.js";
import { SettingsError } from "../../foundation/errors.js";
import { PARSE_ONCE } from "../../foundation/parse-once.js";
import { makePrivateFolder } from "../../foundation/private-folder.js";
import { replaceFile } from "../../foundation/replace-file.js";
import { valueAt } from "../../foundation/value-path.js";
import { parseWrittenJson } from "../../foundation/written-json.js";
import { type CatalogFile, catalogSchema, shippedCatalogFile } from "./catalog-file.js";

export const storedCatalogPath = (dataDir: string): string => join(dataDir, "catalog.json");

/** @throws SettingsError when the stored one is newer and cannot be used */
export function newestCatalogFile(dataDir: string): CatalogFile {
  const path = storedCatalogPath(dataDir);
  const shipped = shippedCatalogFile();
  if (!existsSync(path)) return shipped;
  const text = readFileSync(path, "utf8");
  // One of an earlier version need not be as this one expects.
  const [, day = shipped.as_of] = /"as_of":\s*"(\d{4}-\d{2}-\d{2})"/.exec(text) ?? [];
  return day < shipped.as_of ? shipped : checkedCatalog(text, path);
}

/** @param from file or address, for the message @throws SettingsError that names row, field, value and remedy */
export function checkedCatalog(text: string, from: string): CatalogFile {
  const remedy =
    "Correct it, or run `sextant catalog update` with one that `npm run catalog:update` of this version has written.";
  const content = parseWrittenJson(
    () => text,
    (detail) => new SettingsError(`${from} cannot be read as JSON (${detail}). ${remedy}`),
  );
  const parsed = catalogSchema.safeParse(content, PARSE_ONCE);
  if (parsed.success) return parsed.data;
  const [{ path, message }] = parsed.error.issues as [z.core.$ZodIssue];
  const value = valueAt(content, path);
  const shown = value === undefined ? "is missing" : `is ${shortened(JSON.stringify(value))}`;
  throw new SettingsError(`${from}: \`${placeOf(content, path)}\` ${shown}: ${message}. ${remedy}`);
}

/** As a path, with the ids of rows: `hosts.google.models[gemini-4-argon].prices[0].input`. */
function placeOf(root: unknown, path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, step, at) => {
    if (typeof step !== "number") return text === "" ? String(step) : `${text}.${String(step)}`;
    const id = valueAt(root, [...path.slice(0, at + 1), "id"]);
    return `${text}[${typeof id === "string" ? shortened(id) : step}]`;
  }, "");
}

/** Stores a checked file, and keeps the one before as `catalog.previous.json`. @returns where it is */
export async function storeCatalog(dataDir: string, text: string): Promise<string> {
  const path = storedCatalogPath(dataDir);
  makePrivateFolder(dataDir);
  if (existsSync(path)) copyFileSync(path, join(dataDir, "catalog.previous.json"));
  await replaceFile(path, text);
  return path;
}
