import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { LengthsFile } from "../../../src/engine/lengths/lengths-file.js";
import { SavedLengths } from "../../../src/engine/lengths/saved-lengths.js";
import { FakeAccessLog } from "../../fakes/access-log.js";
import { ManualTime } from "../../fakes/manual-time.js";
import { until } from "../../gateway/traces/until.js";
import { folderForTest } from "../../support/folders.js";

let folder = "";
beforeEach(() => {
  folder = folderForTest();
});

const path = () => join(folder, "lengths.json");
const NOTHING = { model: "m", answers: 3, expected_tokens: 0, actual_tokens: 1 };
const observation = { model: "m", expectedTokens: 100, actualTokens: 500 };

async function open(version = "v1") {
  const time = new ManualTime();
  const log = new FakeAccessLog();
  const lengths = await SavedLengths.open({ file: new LengthsFile(folder), timers: time.timers, log });
  lengths.useProfiles(version);
  return { lengths, time, log };
}

/** Learns that many answers of `m`, five times as long as expected, and stops. */
async function learn(answers: number): Promise<number> {
  const { lengths } = await open();
  for (let answer = 0; answer < answers; answer++) lengths.observe(observation);
  await lengths.close();
  return lengths.ratioOf("m");
}

describe("Saved length corrections", () => {
  it("survive a restart", async () => {
    const ratio = await learn(40);
    expect(ratio).toBeGreaterThan(3);
    const { lengths, log } = await open();
    expect(lengths.corrections()).toEqual(new Map([["m", { ratio, answers: 40 }]]));
    expect(log.lines).toEqual([]);
  });

  it("are saved five seconds after the first unsaved answer, not at each answer", async () => {
    const { lengths, time } = await open();
    lengths.observe(observation);
    await time.advance(4999);
    lengths.observe(observation);
    expect(time.running).toBe(1);
    expect(existsSync(path())).toBe(false);
    await time.advance(1);
    await until(() => existsSync(path()));
    const saved = { version: 1, profile_version: "v1", models: [{ model: "m", answers: 2 }] };
    expect(JSON.parse(readFileSync(path(), "utf8"))).toMatchObject(saved);
    expect(time.running).toBe(0);
  });

  it("are not written when nothing changed", async () => {
    await learn(0);
    expect(existsSync(path())).toBe(false);
    await learn(1);
    const { mtimeMs, ino } = statSync(path());
    await learn(0);
    expect(statSync(path())).toMatchObject({ mtimeMs, ino });
  });

  it.each([
    ["half a file", '{"version":1,"profile_version":"v1","models":[{"mod'],
    ["another form", '{"version":2}'],
    ["a ratio of nothing", JSON.stringify({ version: 1, profile_version: "v1", models: [NOTHING] })],
    ["no JSON", "\u0000\u0000\u0000"],
  ])("are reset and replaced when the file is damaged (%s), with a log line", async (_, text) => {
    writeFileSync(path(), text);
    const { lengths, log } = await open();
    expect(lengths.corrections().size).toBe(0);
    expect(log.lines).toMatchObject([{ level: "warn", details: { file: path() } }]);
    lengths.observe(observation);
    await lengths.close();
    expect((await open()).log.lines).toEqual([]);
  });

  it("are reset, with a log line, when they belong to other profiles", async () => {
    await learn(40);
    const { lengths, log } = await open("v2");
    expect(lengths.ratioOf("m")).toBe(1);
    expect(log.of("info")).toEqual([
      "the profile files changed: answer lengths that were learned with the old ones are forgotten, and learned anew",
    ]);
    await lengths.close();
    // Nothing was learned with the others: those who go back to the old profiles find what was learned with them.
    expect((await open("v1")).lengths.ratioOf("m")).toBeGreaterThan(3);
  });

  it("stay in memory, with one log line, while they cannot be saved", async () => {
    const { lengths, time, log } = await open();
    const lock = `${path()}.lock`;
    rmSync(folder, { recursive: true, force: true });
    // A file where the folder should be.
    writeFileSync(folder, "");
    for (let save = 0; save < 2; save++) {
      lengths.observe(observation);
      await time.advance(5000);
      await until(() => log.lines.length > 0);
    }
    await lengths.close();
    expect(log.of("warn")).toEqual(["corrections of answer lengths not saved"]);
    expect(lengths.corrections().get("m")?.answers).toBe(2);
    rmSync(folder);
    await lengths.close();
    expect(existsSync(lock)).toBe(false);
    expect((await open()).lengths.corrections().get("m")?.answers).toBe(2);
  });
});
