import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pino } from "pino";
import { expect, it, onTestFinished } from "vitest";
import { composeConfiguration } from "../../src/compose/configuration.js";
import { shippedCatalogFile, useCatalogFile } from "../../src/engine/catalog/catalog-file.js";
import { SettingsSource } from "../../src/gateway/settings/settings-source.js";
import { folderForTest } from "../support/folders.js";

/** The settings of a server that runs with OpenAI's key, and its catalog. */
function serverSettings() {
  onTestFinished(() => useCatalogFile(shippedCatalogFile()));
  const workingDirectory = folderForTest();
  const source = new SettingsSource({ OPENAI_API_KEY: "k" }, { workingDirectory });
  const { settings } = source.current;
  const reloads = composeConfiguration(source.current, {
    source,
    use: async () => {},
    log: pino({ level: "silent" }),
  });
  const { catalog } = reloads;
  mkdirSync(settings.dataDir, { recursive: true });
  const stored = join(settings.dataDir, "catalog.json");
  return {
    reloads,
    catalog,
    stored,
    inputUsd: () => catalog.deployments("gpt-9")[0]?.price?.inputUsdPerMtok,
  };
}

const pricedAt = (input: unknown, day = "2027-05-01") =>
  JSON.stringify({
    ...shippedCatalogFile(),
    as_of: day,
    models: { "gpt-9": { maker: "openai" } },
    hosts: { openai: { models: [{ id: "gpt-9", prices: [{ input, output: 8 }] }] } },
  });

it("A reload takes a newer catalog of the data folder, and the shipped one when that is removed", async () => {
  const { reloads, catalog, stored, inputUsd } = serverSettings();
  expect([inputUsd(), catalog.lookup("gpt-9").price]).toEqual([undefined, null]);
  writeFileSync(stored, pricedAt(7));
  const { changed, next } = await reloads.prepare();
  next?.use();
  expect([changed, inputUsd(), catalog.lookup("gpt-9").price?.inputUsdPerMtok]).toEqual([["catalog"], 7, 7]);
  expect((await reloads.prepare()).changed).toEqual([]);
  rmSync(stored);
  (await reloads.prepare()).next?.use();
  expect(inputUsd()).toBeUndefined();
});

it("A reload that is given up, or refused, leaves the catalog in use", async () => {
  const { reloads, stored, inputUsd } = serverSettings();
  writeFileSync(stored, pricedAt(7));
  (await reloads.prepare()).next?.discard();
  expect(inputUsd()).toBeUndefined();
  writeFileSync(stored, pricedAt("7"));
  await expect(reloads.prepare()).rejects.toMatchObject({
    code: "settings_rejected",
    message: expect.stringMatching(
      /catalog\.json: `hosts\.openai\.models\[gpt-9\]\.prices\[0\]\.input` is "7".* The settings in use stay\./,
    ),
  });
  expect(inputUsd()).toBeUndefined();
});
