/** Reports of the profile sets in use: one for each generation of a set, made by a thread. */
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { openSetReports } from "../../src/compose/set-reports.js";
import { openRouterFromSettings, type SetInUse } from "../../src/engine/open-router.js";
import { setReportReplySchema } from "../../src/gateway/api/set-report.js";
import { loadSettings } from "../../src/gateway/settings/load-settings.js";
import { buildSet } from "../../src/workbench.js";
import { threadServing } from "../fakes/thread.js";
import { folderForTests } from "../support/folders.js";

const SAMPLE = fileURLToPath(new URL("../../datasets/sample", import.meta.url));
const folder = folderForTests();
const PATIENT = 120_000;

const PRICE = { inputUsdPerMtok: 1, outputUsdPerMtok: 4 };
const lookup = (model: string) => ({
  provider: null,
  price: model === "sample-large" ? PRICE : { inputUsdPerMtok: 0.1, outputUsdPerMtok: 0.4 },
  contextTokens: null,
  capabilities: { images: null, tools: null },
});

const openSet = async (name: string) => {
  const environment = { SEXTANT_PROFILES: join(folder, name), SEXTANT_DATA_DIR: join(folder, "data") };
  return openRouterFromSettings(loadSettings(environment, { workingDirectory: folder }));
};

beforeAll(async () => {
  const files = { prompts: [join(SAMPLE, "prompts.jsonl")], outcomes: [join(SAMPLE, "outcomes.jsonl")] };
  await buildSet({ ...files, folder: join(folder, "mine"), keepNames: true });
}, PATIENT);

describe("The report of a set in use", () => {
  it("says of all its models what the command line's report says", { timeout: PATIENT }, async () => {
    const opened = await openSet("mine");
    const reports = openSetReports({ setsInUse: opened.setsInUse, lookup });
    expect(reports.sets()).toEqual([{ name: "mine", recommended: null }]);
    const report = await reports.report(undefined);
    expect(await reports.report("mine")).toBe(report);
    const body = { object: "router.report", sets: ["mine"], ...report, request_id: "req_1" };
    const { models, frontier, calibration, map, thin_spots: spots } = setReportReplySchema.parse(body);
    expect(models.map(({ model }) => model)).toContain("sample-large");
    const { sweep = [], recommended } = frontier ?? {};
    const swept = sweep.map(({ cost_weight: weight }) => weight);
    expect([swept[0], swept[1], swept.at(-1)]).toEqual([0, 0.05, 1]);
    const costs = sweep.map(({ cost_usd: cost }) => cost);
    expect(costs).toEqual(costs.toSorted((a, b) => b - a));
    expect(recommended).toMatchObject({ cost_weight: 0.2, loss: expect.any(Number) });
    expect([map.length, calibration?.answers, spots.length > 0]).toEqual([120, 480, true]);
    await reports.close();
    await opened.router.close();
  });

  it("is refused when the files have changed since they were loaded", { timeout: PATIENT }, async () => {
    cpSync(join(folder, "mine"), join(folder, "changed"), { recursive: true });
    const opened = await openSet("changed");
    const path = join(folder, "changed", "manifest.json");
    const manifest = JSON.parse(readFileSync(path, "utf8")) as { parameters: { prior_weight: number } };
    manifest.parameters.prior_weight += 1;
    writeFileSync(path, JSON.stringify(manifest));
    const reports = openSetReports({ setsInUse: opened.setsInUse, lookup });
    await expect(reports.report(undefined)).rejects.toMatchObject({
      code: "profiles_rejected",
      message: expect.stringMatching(/have changed since they were loaded .* POST \/admin\/reload/),
    });
    await opened.router.close();
  });
});

describe("Reports of sets in use", () => {
  const set = (version: string, name = "one"): SetInUse => ({
    name,
    version,
    folder: name,
    models: ["a"],
    recommended: null,
    embedder: { id: "fake", fingerprint: "ab" },
  });

  /** A thread whose reports hold its number and the version that was asked for. */
  function counting(sets: readonly SetInUse[]) {
    const state = { sets, threads: 0 };
    const reports = openSetReports({
      setsInUse: () => state.sets,
      lookup,
      startWorker: () => {
        state.threads += 1;
        return threadServing(
          `{ methods: { report: ({ version }) => { if (version === "bad") throw new Error("broken"); return { version, thread: ${state.threads} }; } } }`,
        );
      },
    });
    return { state, reports };
  }

  it("are made once for each generation of a set, however many ask, and again for a saved cost weight and after a failure", async () => {
    const { state, reports } = counting([set("v1")]);
    const asked = await Promise.all([reports.report(undefined), reports.report("one")]);
    expect(asked).toEqual(Array(2).fill({ version: "v1", thread: 1 }));
    const recommended = { cost_weight: 0.3, rule: "knee", limit: null, prompts: 50 } as const;
    const saved = { ...recommended, saved_at: "2026-01-02T00:00:00Z", is_current: true };
    state.sets = [{ ...set("v1"), recommended: saved }];
    expect(await reports.report(undefined)).toEqual({ version: "v1", thread: 2 });
    expect(reports.sets()).toEqual([{ name: "one", recommended: saved }]);
    state.sets = [set("bad")];
    for (let attempt = 0; attempt < 2; attempt++)
      await expect(reports.report(undefined)).rejects.toThrow("broken");
    expect(state.threads).toBe(4);
  });

  it("name the sets in use when another is asked for", async () => {
    const { reports } = counting([set("v1"), set("v1-b", "two")]);
    await expect(reports.report("three")).rejects.toMatchObject({
      code: "not_found",
      message: 'No profile set in use is named "three". Those in use: one, two.',
    });
    await expect(counting([]).reports.report(undefined)).rejects.toMatchObject({
      code: "no_profiles_available",
    });
  });

  it("are not made any more once they are closed", async () => {
    const { reports, state } = counting([set("v1")]);
    await reports.close();
    await expect(reports.report(undefined)).rejects.toMatchObject({ code: "overloaded" });
    expect(state.threads).toBe(0);
  });
});
