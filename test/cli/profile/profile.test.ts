import { existsSync } from "node:fs";
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Command } from "commander";
import { beforeAll, describe, expect, it } from "vitest";
import { profileCommand } from "../../../src/cli/profile/profile.js";
import { folderWith } from "../../engine/profiles/folder-for-test.js";
import { cliRun } from "../../fakes/cli-context.js";

const SAMPLE = fileURLToPath(new URL("../../../datasets/sample", import.meta.url));

interface Ran {
  readonly stdout: string;
  readonly stderr: string;
  /** 0, or what the command failed with. */
  readonly exitCode: number;
  readonly failure: string;
}

async function run(argv: readonly string[], options: { folder: string; isTTY?: boolean }): Promise<Ran> {
  const { context, stdout, stderr } = cliRun({
    workingDirectory: options.folder,
    isTTY: options.isTTY ?? false,
  });
  const program = new Command().exitOverride().addCommand(profileCommand(context));
  const failed = await program.parseAsync(["profile", ...argv], { from: "user" }).then(
    () => undefined,
    (error: Error & { exitCode?: number }) => error,
  );
  const exitCode = failed === undefined ? 0 : (failed.exitCode ?? -1);
  return { stdout: stdout(), stderr: stderr(), exitCode, failure: failed?.message ?? "" };
}

const fromSample = ["build", "--prompts", SAMPLE, "--outcomes", SAMPLE, "--out", "set"];

/** A folder with the profile set of the sample in `set`. */
async function folderWithSet(): Promise<string> {
  const folder = await folderWith({});
  await cp(built.folder, join(folder, "set"), { recursive: true });
  return folder;
}

const built = { folder: "", ran: { stdout: "", stderr: "", exitCode: -1, failure: "" } as Ran };

beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), "sextant-test-"));
  built.ran = await run(fromSample, { folder });
  built.folder = join(folder, "set");
  return () => rm(folder, { recursive: true, force: true });
});

describe("sextant profile build", () => {
  it("builds a set, reports its steps on standard error and a summary on standard output", () => {
    expect(built.ran).toMatchObject({ exitCode: 0, failure: "" });
    expect(built.ran.stdout).toMatch(
      /^Built profile set "set" in .*set: 4 models on 120 prompts, \d+ kB, in 0\.0 s\n$/,
    );
    expect(built.ran.stderr).toContain("Embedding prompts …\n  120 done\n");
    expect(built.ran.stderr).toContain("Tuning by leave-one-out …\n");
  });

  it("leaves no file beside the set", async () => {
    expect(await readdir(join(built.folder, ".."))).toEqual(["set"]);
  });

  it("draws progress bars on a terminal", async () => {
    const folder = await folderWith({});
    const { stderr, exitCode } = await run(fromSample, { folder, isTTY: true });
    expect(exitCode).toBe(0);
    expect(stderr).toContain("Embedding prompts");
    expect(stderr).toContain("100%, 120 of 120");
  });

  it("stores no prompt", async () => {
    const names = await readdir(built.folder, { recursive: true, withFileTypes: true });
    for (const entry of names.filter((one) => one.isFile())) {
      const bytes = await readFile(join(entry.parentPath, entry.name), "latin1");
      expect(bytes).not.toContain("baker");
    }
  });

  it("is deterministic to the byte, and gives another manifest for another seed", async () => {
    const folder = await folderWith({});
    await run(fromSample, { folder });
    const file = (path: string) => readFile(join(path, "manifest.json"), "utf8");
    expect(await file(join(folder, "set"))).toBe(await file(built.folder));
    await run([...fromSample, "--force", "--seed", "7"], { folder });
    expect(JSON.parse(await file(join(folder, "set"))).seed).toBe(7);
  });

  it("replaces a set only when told to, and never replaces other folders", async () => {
    const folder = await folderWithSet();
    expect(await run(fromSample, { folder })).toMatchObject({
      exitCode: 2,
      failure: `--out ${join(folder, "set")} holds a profile set already; use --force to replace it`,
    });
    expect((await run([...fromSample, "--force"], { folder })).exitCode).toBe(0);
    await writeFile(join(folder, "diary.txt"), "dear diary");
    const elsewhere = await run([...fromSample.slice(0, -1), ".", "--force"], { folder });
    expect(elsewhere).toMatchObject({ exitCode: 2 });
    expect(elsewhere.failure).toContain("holds other files and no profile set; name a new folder");
    expect(existsSync(join(folder, "diary.txt"))).toBe(true);
  });

  it("reads several sources from a file, with paths relative to --data", async () => {
    const config = {
      name: "two",
      sources: [
        {
          name: "one",
          prompts: "sample",
          outcomes: "sample/outcomes.jsonl",
          licence: "Apache-2.0",
          commit: "1",
        },
        { name: "other", prompts: ["sample/prompts.jsonl"], outcomes: ["sample"] },
      ],
    };
    const folder = await folderWith({ "build.json": JSON.stringify(config) });
    const argv = ["build", "--config", "build.json", "--data", join(SAMPLE, ".."), "--out", "set"];
    expect(await run(argv, { folder })).toMatchObject({ exitCode: 0 });
    const manifest = JSON.parse(await readFile(join(folder, "set", "manifest.json"), "utf8"));
    expect(manifest.anchors).toBe(240);
    expect(manifest.sources).toMatchObject([
      { name: "one", licence: "Apache-2.0", commit: "1", url: null },
      { name: "other", licence: null },
    ]);
  });

  it("routes chats by the same text as requests do, and refuses a prompt that is not a chat", async () => {
    const prompts = [
      { id: "a", messages: [{ role: "user", content: "Write a function that sorts a list of names." }] },
      { id: "b", prompt: "What is 1 + 1?" },
      { id: "c", prompt: "Hello there, how are you?" },
    ];
    const outcomes = prompts.flatMap(({ id }) => [
      { id, model: "ann", score: 1 },
      { id, model: "bob", score: 0 },
    ]);
    const lines = (rows: readonly object[]) => rows.map((row) => JSON.stringify(row)).join("\n");
    const folder = await folderWith({ "prompts.jsonl": lines(prompts), "outcomes.jsonl": lines(outcomes) });
    const argv = ["build", "--prompts", ".", "--outcomes", ".", "--out", "set"];
    expect(await run(argv, { folder })).toMatchObject({ exitCode: 0, failure: "" });
    await writeFile(join(folder, "prompts.jsonl"), lines([{ id: "a", messages: [{ role: "king" }] }]));
    const { failure, exitCode } = await run([...argv, "--force"], { folder });
    expect(exitCode).toBe(1);
    expect(failure).toContain('prompts.jsonl, line 1, field "messages": is not a chat');
  });

  it.each([
    ["nothing to build from", ["build", "--out", "x"], "name what to build from: --prompts and --outcomes"],
    ["a seed in words", [...fromSample, "--seed", "lucky"], '--seed is "lucky": it must be a whole number'],
    [
      "a missing build file",
      ["build", "--config", "no.json", "--out", "x"],
      "no.json: the build file cannot be read",
    ],
    ["files named twice", [...fromSample, "--config", "c.json"], "--config names the sources already"],
  ])("refuses arguments: %s", async (_, argv, message) => {
    const ran = await run(argv, { folder: await folderWith({}) });
    expect(ran.exitCode).toBe(2);
    expect(ran.failure).toContain(message);
  });

  it.each([
    ["broken JSON", "{", "is not JSON"],
    [
      "an unknown key",
      '{"name":"a","sources":[{"name":"b","prompts":"p","outcomes":"o","license":"MIT"}]}',
      "license",
    ],
    ["no sources", '{"name":"a","sources":[]}', "sources"],
  ])("refuses a build file with %s", async (_, text, message) => {
    const folder = await folderWith({ "build.json": text });
    const ran = await run(["build", "--config", "build.json", "--out", "x"], { folder });
    expect(ran.exitCode).toBe(2);
    expect(ran.failure).toContain("build.json");
    expect(ran.failure).toContain(message);
  });

  it("explains an error in the data and leaves no set", async () => {
    const folder = await folderWith({
      "prompts.jsonl": '{"id":"a","prompt":"Hi"}',
      "outcomes.csv": "id,model,score\na,ann,2\n",
    });
    const ran = await run(["build", "--prompts", ".", "--outcomes", ".", "--out", "set"], { folder });
    expect(ran.exitCode).toBe(1);
    expect(ran.failure).toContain('outcomes.csv, line 2, field "score": is 2, outside [0, 1]');
    expect(existsSync(join(folder, "set"))).toBe(false);
  });
});

it("`sextant profile build`, when interrupted, says how to resume and exits with 130", async () => {
  const folder = await folderWith({});
  const { context, stop } = cliRun({ workingDirectory: folder });
  stop();
  const program = new Command().exitOverride().addCommand(profileCommand(context));
  await expect(program.parseAsync(["profile", ...fromSample], { from: "user" })).rejects.toMatchObject({
    message: "stopped; run the same command to go on",
    exitCode: 130,
  });
});

describe("sextant profile inspect", () => {
  it("prints facts, sources, parameters and models as tables", async () => {
    const { stdout, exitCode } = await run(["inspect", "set"], { folder: await folderWithSet() });
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/profile set +set/);
    expect(stdout).toMatch(/embedder +sextant-static-v1, 128 dimensions/);
    expect(stdout).toContain("Models (4)");
    expect(stdout).toMatch(/topics +4\n/);
    expect(stdout).toMatch(/difficulty +(no model|weighed by)/);
    expect(stdout).toMatch(/sample-large +│ 0\.\d{3} ± 0\.\d{3} +│ measured +│ 120 +│ 0 +│ tokens, cost/);
    const positions = ["sample-large", "sample-medium", "sample-small"].map((model) => stdout.indexOf(model));
    expect(positions).toEqual(positions.toSorted((a, b) => a - b));
    expect(stdout).toContain("kernel width");
  });

  it("prints the same facts as JSON", async () => {
    const { stdout } = await run(["inspect", "set", "--json"], { folder: await folderWithSet() });
    const report = JSON.parse(stdout);
    expect(report).toMatchObject({ name: "set", anchors: 120, seed: 0 });
    expect(report.models[0]).toMatchObject({
      model: "sample-large",
      original_names: ["sample-large"],
      basis: "measured",
      samples: 120,
      published: [],
      measured: { tokens: true, cost: true },
      benchmarks: { sums: 30, code: 30, translation: 30, chat: 30 },
    });
  });

  it("reports a folder without a set", async () => {
    const ran = await run(["inspect", "."], { folder: await folderWith({}) });
    expect(ran.exitCode).toBe(1);
    expect(ran.failure).toContain("holds no profile set");
  });
});

describe("sextant profile verify", () => {
  it("confirms an intact set", async () => {
    const { stdout, exitCode } = await run(["verify", "set"], { folder: await folderWithSet() });
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(
      /^set: whole; 120 anchors, 4 models; made for embedder sextant-static-v1; exact search/,
    );
  });

  it.each(["anchors.bin", "clusters.bin", "anchor-facts.bin", "models/sample-large.profile"])(
    "names both checksums when a byte of %s changed",
    async (name) => {
      const folder = await folderWithSet();
      const file = join(folder, "set", name);
      const bytes = await readFile(file);
      bytes.writeUInt8(bytes.readUInt8(bytes.length - 1) ^ 1, bytes.length - 1);
      await writeFile(file, bytes);
      const ran = await run(["verify", "set"], { folder });
      expect(ran.exitCode).toBe(1);
      expect(ran.failure).toMatch(/has SHA-256 [0-9a-f]{64}, the manifest promises [0-9a-f]{64}/);
    },
  );

  it("names both embedders when the set was made for another one", async () => {
    const folder = await folderWithSet();
    const file = join(folder, "set", "manifest.json");
    const manifest = JSON.parse(await readFile(file, "utf8"));
    manifest.embedder = { ...manifest.embedder, id: "other-model", fingerprint: "ab".repeat(32) };
    await writeFile(file, JSON.stringify(manifest));
    const ran = await run(["verify", "set"], { folder });
    expect(ran.exitCode).toBe(1);
    expect(ran.failure).toContain("was built with embedder other-model (fingerprint abababababab)");
    expect(ran.failure).toContain("the loaded embedder is sextant-static-v1");
  });

  it("names both formats of a set written by another version", async () => {
    const folder = await folderWithSet();
    const file = join(folder, "set", "manifest.json");
    await writeFile(file, JSON.stringify({ ...JSON.parse(await readFile(file, "utf8")), format: 99 }));
    expect((await run(["verify", "set"], { folder })).failure).toContain(
      "has format 99; this version reads format 4",
    );
  });
});
