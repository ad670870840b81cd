import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { runCli } from "../../../src/cli/program.js";
import { cliRun } from "../../fakes/cli-context.js";
import { folderForTest, folderForTests } from "../../support/folders.js";
import { ALL_OF_SAMPLE, jsonLines, SAMPLE, sextant } from "./sample-commands.js";

const BUILD = `build ${ALL_OF_SAMPLE} --out set`;

const built = folderForTests();
let printed: Awaited<ReturnType<typeof sextant>>;
beforeAll(async () => {
  printed = await sextant(built, `profile ${BUILD}`);
});

let folder = "";
beforeEach(() => {
  folder = folderForTest();
});

const profile = (line: string, given = {}) => sextant(folder, `profile ${line}`, given);
const write = (name: string, rows: readonly object[]) => writeFileSync(join(folder, name), jsonLines(rows));
/** The built set as `set` in the test's folder. */
const copySet = () => cpSync(join(built, "set"), join(folder, "set"), { recursive: true });
const manifestOf = (place: string) => readFileSync(join(place, "set/manifest.json"), "utf8");

describe("sextant profile build", () => {
  it("builds a set, reports its steps on standard error and a summary on standard output", () => {
    expect(printed.exitCode).toBe(0);
    expect(printed.stdout).toMatch(
      /^Built profile set "set" in .*set: 4 models on 120 prompts, \d+ kB, in 0\.0 s\n$/,
    );
    expect(printed.stderr).toContain("Embedding prompts …\n  120 done\n");
    expect(printed.stderr).toContain("Tuning by leave-one-out …\n");
  });

  it("leaves no file beside the set, and no prompt in it", () => {
    expect(readdirSync(built)).toEqual(["set"]);
    const entries = readdirSync(built, { recursive: true, withFileTypes: true });
    for (const entry of entries.filter((one) => one.isFile()))
      expect(readFileSync(join(entry.parentPath, entry.name), "latin1")).not.toContain("baker");
  });

  it("is deterministic to the byte, and draws progress bars on a terminal", async () => {
    const { stderr } = await profile(BUILD, { isTTY: true });
    expect(stderr).toContain("100%, 120 of 120");
    expect(manifestOf(folder)).toBe(manifestOf(built));
  });

  it("replaces a set only when told to, and never replaces other folders", async () => {
    copySet();
    expect(await profile(BUILD)).toMatchObject({
      exitCode: 2,
      stderr: `sextant: --out ${join(folder, "set")} holds a profile set already; use --force to replace it\n`,
    });
    expect((await profile(`${BUILD} --force --seed 7`)).exitCode).toBe(0);
    expect(JSON.parse(manifestOf(folder)).seed).toBe(7);
    writeFileSync(join(folder, "diary.txt"), "dear diary");
    const elsewhere = await profile(`build ${ALL_OF_SAMPLE} --out . --force`);
    expect(elsewhere.exitCode).toBe(2);
    expect(elsewhere.stderr).toContain("holds other files and no profile set; name a new folder");
    expect(existsSync(join(folder, "diary.txt"))).toBe(true);
  });

  it("reads several sources from a file, with paths relative to --data", async () => {
    const one = { name: "one", prompts: "sample", outcomes: "sample/outcomes.jsonl" };
    const other = { name: "other", prompts: ["sample/prompts.jsonl"], outcomes: ["sample"] };
    const sources = [{ ...one, licence: "Apache-2.0", commit: "1" }, other];
    write("build.json", [{ name: "two", sources }]);
    const { exitCode } = await profile(`build --config build.json --data ${join(SAMPLE, "..")} --out set`);
    expect(exitCode).toBe(0);
    expect(JSON.parse(manifestOf(folder))).toMatchObject({
      anchors: 240,
      sources: [
        { name: "one", licence: "Apache-2.0", commit: "1", url: null },
        { name: "other", licence: null },
      ],
    });
  });

  it("reads chats, and refuses a prompt that is not a chat", async () => {
    const chat = (role: string) => ({ id: "a", messages: [{ role, content: "Sort a list of names." }] });
    const prompts = [chat("user"), { id: "b", prompt: "What is 1 + 1?" }, { id: "c", prompt: "Hello there" }];
    write("prompts.jsonl", prompts);
    const scored = (model: string, score: number) => prompts.map(({ id }) => ({ id, model, score }));
    write("outcomes.jsonl", [...scored("ann", 1), ...scored("bob", 0)]);
    expect((await profile("build --prompts . --outcomes . --out set")).exitCode).toBe(0);
    write("prompts.jsonl", [chat("king")]);
    const { stderr, exitCode } = await profile("build --prompts . --outcomes . --out set --force");
    expect(exitCode).toBe(1);
    expect(stderr).toContain('prompts.jsonl, line 1, field "messages": is not a chat');
  });

  it.each([
    ["build --out x", /name what to build from: --prompts and --outcomes/],
    [`${BUILD} --seed lucky`, /--seed is "lucky": it must be a whole number/],
    [`${BUILD} --config c.json`, /--config names the sources already/],
    ["build --config broken.json --out x", /broken\.json: the build file cannot be read as JSON/],
    ["build --config unknown.json --out x", /unknown\.json.*license/s],
  ])("refuses `%s`", async (line, message) => {
    writeFileSync(join(folder, "broken.json"), "{");
    const source = { name: "b", prompts: "p", outcomes: "o", license: "MIT" };
    write("unknown.json", [{ name: "a", sources: [source] }]);
    const { exitCode, stderr } = await profile(line);
    expect([exitCode, stderr]).toEqual([2, expect.stringMatching(message)]);
  });

  it("explains an error in the data and leaves no set", async () => {
    write("prompts.jsonl", [{ id: "a", prompt: "Hi" }]);
    writeFileSync(join(folder, "outcomes.csv"), "id,model,score\na,ann,2\n");
    const { exitCode, stderr } = await profile("build --prompts . --outcomes . --out set");
    expect(exitCode).toBe(1);
    expect(stderr).toContain('outcomes.csv, line 2, field "score": is 2, outside [0, 1]');
    expect(existsSync(join(folder, "set"))).toBe(false);
  });

  it("when interrupted, says how to resume and exits with 130", async () => {
    const cli = cliRun({ workingDirectory: folder });
    cli.stop();
    expect(await runCli(["profile", ...BUILD.split(" ")], cli.context)).toBe(130);
    expect(cli.stderr()).toContain("stopped; run the same command to go on");
  });
});

describe("sextant profile inspect", () => {
  it("prints facts, sources, parameters and models as tables", async () => {
    const { stdout, exitCode } = await sextant(built, "profile inspect set");
    expect(exitCode).toBe(0);
    for (const line of [
      /profile set +set/,
      /embedder +sextant-static-v1, 128 dimensions/,
      /Models \(4\)/,
      /topics +4\n/,
      /difficulty +weighed by the embedder's difficulty model/,
      /kernel width/,
      /sample-large +│ 0\.\d{3} ± 0\.\d{3} +│ measured +│ 120 +│ 0 +│ tokens, cost/,
      /sample-large.*sample-medium.*sample-small/s,
    ])
      expect(stdout).toMatch(line);
  });

  it("prints the same facts as JSON", async () => {
    const { stdout } = await sextant(built, "profile inspect set --json");
    const report = JSON.parse(stdout);
    expect(report).toMatchObject({ name: "set", anchors: 120, seed: 0 });
    const named = { model: "sample-large", original_names: ["sample-large"] };
    const measured = { basis: "measured", samples: 120, measured: { tokens: true, cost: true } };
    const benchmarks = { sums: 30, code: 30, translation: 30, chat: 30 };
    expect(report.models[0]).toMatchObject({ ...named, ...measured, benchmarks, published: [] });
  });

  it("reports a folder without a set", async () => {
    const { exitCode, stderr } = await profile("inspect .");
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining("holds no profile set")]);
  });
});

describe("sextant profile verify", () => {
  it("confirms an intact set", async () => {
    const whole = "set: whole; 120 anchors, 4 models; made for embedder sextant-static-v1; exact search";
    expect((await sextant(built, "profile verify set")).stdout).toContain(whole);
  });

  it("names both checksums when a byte changed", async () => {
    copySet();
    const file = join(folder, "set/anchors.bin");
    const bytes = readFileSync(file);
    bytes.writeUInt8(bytes.readUInt8(bytes.length - 1) ^ 1, bytes.length - 1);
    writeFileSync(file, bytes);
    const { exitCode, stderr } = await profile("verify set");
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/has SHA-256 [0-9a-f]{64}, the manifest lists [0-9a-f]{64}/);
  });

  it("names both embedders when the set was made for another one", async () => {
    copySet();
    const manifest = JSON.parse(manifestOf(folder));
    const embedder = { ...manifest.embedder, id: "other-model", fingerprint: "ab".repeat(32) };
    write("set/manifest.json", [{ ...manifest, embedder }]);
    const { exitCode, stderr } = await profile("verify set");
    const message =
      /was built with embedder other-model \(fingerprint abababababab\).*the loaded embedder is sextant-static-v1/s;
    expect([exitCode, stderr]).toEqual([1, expect.stringMatching(message)]);
  });
});
