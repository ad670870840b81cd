import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createCatalog } from "../../src/engine/catalog/catalog.js";
import { shippedCatalogFile } from "../../src/engine/catalog/catalog-file.js";
import { openRouterFromSettings } from "../../src/engine/open-router.js";
import { loadSettings } from "../../src/gateway/settings/load-settings.js";

it("The README says how many models the shipped set can choose from", async () => {
  const folder = mkdtempSync(join(tmpdir(), "sextant-counts-"));
  const settings = loadSettings({ SEXTANT_DATA_DIR: folder }, { workingDirectory: folder });
  // On the day of the catalog: models are retired as time goes by.
  const { as_of: day } = shippedCatalogFile();
  const at = new Date(day);
  const catalog = createCatalog(settings, { at, now: () => at.getTime() });
  const { router } = await openRouterFromSettings(settings, { catalog });
  try {
    const { candidates } = router.modelCounts(() => true);
    const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8").replace(/\s+/g, " ");
    expect(readme).toContain(`chooses among up to ${candidates} models and reasoning efforts`);
    expect(readme).toContain(`among ${candidates} candidates`);
  } finally {
    await router.close();
    rmSync(folder, { recursive: true });
  }
});
