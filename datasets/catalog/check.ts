/**
 * `npm run catalog:check`: ends with 1, and the list, when the newest SDKs of vendors or price packages name a chat model that
 * catalog/models.json lacks. A workflow runs it each week.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { missingModels, modelsOfSdk, SDKS } from "./named-models.js";
import { newestPackage } from "./packed-package.js";
import { piAiRecords } from "./pi-ai.js";

const within = mkdtempSync(join(tmpdir(), "catalog-"));
try {
  const sdks = SDKS.flatMap((sdk) => modelsOfSdk(sdk, newestPackage(sdk.package, within).folder));
  const piAi = newestPackage("@earendil-works/pi-ai", within);
  const listed = piAiRecords(piAi.folder, piAi.published).flatMap(({ provider, name, ofMaker, source }) =>
    ofMaker && provider !== null ? [{ provider, name, source }] : [],
  );
  const missing = missingModels([...sdks, ...listed], new Date());
  for (const { provider, name, source } of missing) console.error(`${provider}/${name} (${source})`);
  if (missing.length > 0)
    console.error(`${missing.length} chat models are not in the catalog: npm run catalog:update`);
  process.exitCode = missing.length > 0 ? 1 : 0;
} finally {
  rmSync(within, { recursive: true, force: true });
}
