/**
 * `npm run catalog:update [-- --from FILE|URL] [--as-of 2026-01-31] [--dry-run]`: writes catalog/models.json anew, of what it has, of the packages @pydantic/genai-prices
 * (installed) and @earendil-works/pi-ai (the newest of the registry), of api.json of models.dev where it is named, and of
 * datasets/catalog/reviewed.json, which counts before all of them.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { catalogSchema, reviewedSchema } from "../../src/engine/catalog/catalog-file.js";
import { PACKAGE_ROOT } from "../../src/foundation/package.js";
import { genaiHosts, genaiNotice, genaiVersion } from "./genai-prices.js";
import { newestPackage, publishedOn } from "./packed-package.js";
import { piAiRecords } from "./pi-ai.js";
import { parseSource } from "./source-records.js";
import { type UpdateReport, updatedCatalog } from "./update.js";
import { catalogText } from "./write-catalog.js";

const CATALOG = join(PACKAGE_ROOT, "catalog", "models.json");
const REVIEWED = join(PACKAGE_ROOT, "datasets", "catalog", "reviewed.json");
const within = mkdtempSync(join(tmpdir(), "catalog-"));

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { from: { type: "string" }, "as-of": { type: "string" }, "dry-run": { type: "boolean" } },
  });
  const asOf = values["as-of"] ?? new Date().toISOString().slice(0, "2026-01-31".length);
  const before = catalogSchema.parse(JSON.parse(await readFile(CATALOG, "utf8")));
  const reviewed = reviewedSchema.parse(JSON.parse(await readFile(REVIEWED, "utf8")));
  const piAi = newestPackage("@earendil-works/pi-ai", within);
  const records = [
    ...(values.from === undefined ? [] : parseSource(await textAt(values.from), values.from)),
    ...piAiRecords(piAi.folder, piAi.published),
  ];
  const { file, report } = updatedCatalog({
    before,
    reviewed,
    hosts: genaiHosts(),
    hostsAsOf: publishedOn("@pydantic/genai-prices", genaiVersion()),
    notices: [genaiNotice(), `@earendil-works/pi-ai ${piAi.version} (MIT)`],
    records,
    asOf,
  });
  console.log(textOf(report));
  if (values["dry-run"] !== true) await writeFile(CATALOG, catalogText(file));
}

async function textAt(from: string): Promise<string> {
  if (!/^https?:\/\//.test(from)) return readFile(from, "utf8");
  const reply = await fetch(from);
  if (!reply.ok) throw new Error(`${from} answered ${reply.status} ${reply.statusText}.`);
  return reply.text();
}

function textOf({ added, changed, unchanged, skipped, disagreements, prices }: UpdateReport): string {
  return [
    `${added.length} models added${added.length === 0 ? "" : `: ${added.join(", ")}`}`,
    `${changed.size} changed, ${unchanged} unchanged, ${skipped.length} names left out`,
    ...[...changed].map(([id, fields]) => `  ${id}: ${fields.join(", ")}`),
    `${disagreements.length} facts that a list has otherwise; those of the file stay`,
    ...disagreements.map((text) => `  ${text}`),
    `${prices.length} prices that a newer source has otherwise, and that hold from its day`,
    ...prices.map(({ host, name, before, now }) => `  ${host} ${name}: ${before} → ${now}`),
  ].join("\n");
}

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  rmSync(within, { recursive: true, force: true });
}
