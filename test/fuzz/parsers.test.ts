import { readFileSync } from "node:fs";
import { cp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { loadProfileSet, ProfileSetError } from "../../src/engine/profiles/load.js";
import { SettingsError } from "../../src/foundation/errors.js";
import { loadSettings } from "../../src/gateway/settings/load-settings.js";
import { SETTING_NAMES, variableOf } from "../../src/gateway/settings.js";
import { OutcomeDataError } from "../../src/workbench/outcomes/outcome-data-error.js";
import { readOutcomes } from "../../src/workbench/outcomes/read-outcomes.js";
import { buildPlanted, EMBEDDER, plantWorld } from "../engine/profiles/planted-set.js";
import { folderForTests } from "../support/folders.js";
import { FUZZ_TIMEOUT_MS, fuzz } from "./effort.js";
import { hostileText, hostileValue, mutatedBytes, mutatedText } from "./hostile-values.js";

const PARQUET = fileURLToPath(
  new URL("../workbench/outcomes/fixtures/two-row-groups.snappy.parquet", import.meta.url),
);
const folder = folderForTests();

/** Fails unless the work succeeds or is refused with that error, whose message is for a person. */
async function refusesOnlyWith(
  error: abstract new (...args: never[]) => Error,
  work: () => unknown,
): Promise<void> {
  try {
    await work();
  } catch (fault) {
    expect(fault).toBeInstanceOf(error);
    expect((fault as Error).message.length).toBeLessThan(5000);
  }
}

const run = (name: string, work: () => Promise<void>) => it(name, work, FUZZ_TIMEOUT_MS);

describe("Settings", () => {
  const variables = SETTING_NAMES.flatMap((name) => variableOf(name) ?? []);

  run("from any environment load or are refused by name", async () => {
    const value = fc.oneof(fc.constantFrom("1", "on", "true", "a,b", "127.0.0.1", "redis://x"), hostileText);
    const environments = fc.dictionary(fc.constantFrom(...variables), value, { maxKeys: 4 });
    await fuzz(
      fc.asyncProperty(environments, (environment) =>
        refusesOnlyWith(SettingsError, () => loadSettings(environment, { workingDirectory: folder })),
      ),
      { runs: 100 },
    );
  });

  run("from any file load or are refused by name", async () => {
    const price = { input_usd_per_mtok: 1, output_usd_per_mtok: 2 };
    const models = [{ id: "m", price }];
    const provider = { id: "p", type: "openai-compatible", base_url: "http://127.0.0.1:1/v1", models };
    const right = JSON.stringify({ port: 8080, providers: [provider], prices: { m: price } });
    const path = join(folder, "sextant.config.json");
    await fuzz(
      fc.asyncProperty(
        fc.oneof(
          mutatedText(right),
          hostileValue.map((value) => JSON.stringify(value)),
        ),
        async (text) => {
          await writeFile(path, text);
          await refusesOnlyWith(SettingsError, () =>
            loadSettings({ SEXTANT_CONFIG: path }, { workingDirectory: folder }),
          );
        },
      ),
      { runs: 60 },
    );
  });
});

describe("Outcome files", () => {
  const row = { id: "p1", model: "m", score: 1, tokens_in: 3, tokens_out: 4, cost_usd: 0.1 };
  const FILES = {
    "outcomes.jsonl": Buffer.from(`${JSON.stringify(row)}\n${JSON.stringify({ ...row, model: "n" })}\n`),
    "outcomes.parquet": readFileSync(PARQUET),
    "outcomes.csv": Buffer.from(`${Object.keys(row)}\n${Object.values(row)}\n"p,2",m,0,1,2,0.5\n`),
  };

  run("in any state are read, or refused with file, line and field", async () => {
    const cases = fc
      .constantFrom(...Object.entries(FILES))
      .chain(([name, right]) =>
        fc.tuple(
          fc.constant(name),
          fc.oneof(mutatedBytes(right), mutatedText(right.toString()).map(Buffer.from)),
        ),
      );
    await fuzz(
      fc.asyncProperty(cases, async ([name, bytes]) => {
        const file = join(folder, name);
        await writeFile(file, bytes);
        await refusesOnlyWith(OutcomeDataError, async () => {
          for await (const outcome of readOutcomes(file)) expect(outcome.model).toBeTypeOf("string");
        });
      }),
      { runs: 80 },
    );
  });
});

describe("A profile set", () => {
  run("with any file damaged is refused with the file's name, or loads", async () => {
    const models = [
      { model: "coder", skill: [0.9, 0.2, 0.2, 0.2, 0.2, 0.2] },
      { model: "plain", skill: [0.5, 0.5, 0.5, 0.5, 0.5, 0.5] },
    ];
    const built = await buildPlanted(plantWorld(models, { prompts: 120, seed: 3 }), folder);
    const names = (await readdir(built, { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
    const contents = new Map(
      await Promise.all(names.map(async (name) => [name, await readFile(name)] as const)),
    );
    const copy = join(folder, "set");
    const cases = fc
      .constantFrom(...contents.keys())
      .chain((name) => fc.tuple(fc.constant(name), mutatedBytes(contents.get(name) as Buffer)));
    await fuzz(
      fc.asyncProperty(cases, async ([name, bytes]) => {
        await rm(copy, { recursive: true, force: true });
        await cp(built, copy, { recursive: true });
        await writeFile(name.replace(built, copy), bytes);
        await refusesOnlyWith(ProfileSetError, () => loadProfileSet(copy, { embedder: EMBEDDER }));
      }),
      { runs: 15 },
    );
  });
});
