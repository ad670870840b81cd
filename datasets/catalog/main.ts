/** `npm run catalog:update -- --from FILE|URL`: brings a public list of models into catalog/models.json. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { catalogSchema } from "../../src/engine/catalog/models/catalog-data.js";
import { PACKAGE_ROOT } from "../../src/foundation/package.js";
import { type MergeReport, mergeRecords } from "./merge-records.js";
import { parseSource } from "./source-records.js";
import { catalogText } from "./write-catalog.js";

const CATALOG = join(PACKAGE_ROOT, "catalog", "models.json");
const USAGE = "Usage: npm run catalog:update -- --from FILE|URL [--as-of 2026-01-31] [--dry-run]";

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { from: { type: "string" }, "as-of": { type: "string" }, "dry-run": { type: "boolean" } },
  });
  if (values.from === undefined) throw new Error(USAGE);
  const asOf = values["as-of"] ?? new Date().toISOString().slice(0, "2026-01-31".length);
  const file = catalogSchema.parse(JSON.parse(await readFile(CATALOG, "utf8")));
  const records = parseSource(await textAt(values.from), values.from);
  const merged = mergeRecords(file, records, { at: new Date(asOf), asOf });
  // What is written is what will be read.
  const text = catalogText(catalogSchema.parse(merged.file));
  console.log(summary(merged.report));
  if (values["dry-run"] !== true) await writeFile(CATALOG, text);
}

async function textAt(from: string): Promise<string> {
  if (!/^https?:\/\//.test(from)) return readFile(from, "utf8");
  const reply = await fetch(from);
  if (!reply.ok) throw new Error(`${from} answered ${reply.status} ${reply.statusText}.`);
  return reply.text();
}

function summary({ added, changed, unchanged, skipped }: MergeReport): string {
  const lines = [...changed].map(([id, fields]) => `  ${id}: ${fields.join(", ")}`);
  return [
    `${added.length} added${added.length === 0 ? "" : `: ${added.join(", ")}`}`,
    `${changed.size} changed`,
    ...lines,
    `${unchanged} unchanged, ${skipped.length} names left out`,
  ].join("\n");
}

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
