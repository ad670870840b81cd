/** The commands that judge decisions, on a set built from two thirds of the sample. */
import { cpSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { folderForTests } from "../../support/folders.js";
import {
  ALL_OF_SAMPLE,
  jsonLines,
  partOfSample,
  rowsOf,
  SAMPLE,
  sampleRows,
  sextant,
} from "./sample-commands.js";

const folder = folderForTests();
const profile = (line: string) => sextant(folder, `profile ${line}`);
const HELD_OUT = "--set set --prompts held-prompts.jsonl --outcomes held-outcomes.jsonl";
const evaluated = (line = "") => profile(`eval ${HELD_OUT} ${line}`);
const jsonOf = async (line: string) => JSON.parse((await profile(`${line} --json`)).stdout);

const write = (name: string, rows: readonly object[]) =>
  writeFileSync(join(folder, `${name}.jsonl`), jsonLines(rows));
const read = (path: string) => readFileSync(join(folder, path), "utf8");

/** Outcomes by which what the large model costs more is worth the same on every prompt. */
const evenOutcomes = () =>
  sampleRows("prompts").flatMap(({ id }) => [
    { id, model: "sample-large", score: 1, cost_usd: 0.01 },
    { id, model: "sample-small", score: 0, cost_usd: 0.001 },
  ]);

beforeAll(async () => {
  for (const name of ["prompts", "outcomes"] as const) {
    writeFileSync(join(folder, `train-${name}.jsonl`), partOfSample(name, "known"));
    writeFileSync(join(folder, `held-${name}.jsonl`), partOfSample(name, "held out"));
  }
  write("even-outcomes", evenOutcomes());
  write("odd-prompts", [{ id: "odd", messages: [{ role: "narrator", content: "Once" }] }]);
  const files = "--prompts train-prompts.jsonl --outcomes train-outcomes.jsonl";
  expect((await profile(`build ${files} --out set`)).exitCode).toBe(0);
  for (const name of ["one", "two"])
    cpSync(join(folder, "set"), join(folder, "several", name), { recursive: true });
  expect((await evaluated("--save baseline.json")).exitCode).toBe(0);
  writeFileSync(join(folder, "others.json"), read("baseline.json").replaceAll('"id": "', '"id": "other-'));
});

describe("sextant profile eval", () => {
  it("answers in one sentence", async () => {
    const { exitCode, stdout } = await evaluated("--cost-weight .3");
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(
      /^At cost weight 0\.3: −\d+\.\d\d points of quality \[.*\] and \d+\.\d% of the cost saved \[.*\], against sample-large, the best single model; 40 prompts\.\nAs the set expects: At cost weight 0\.3 an answer costs \$[\d.]+ on average, and a point of quality \(a hundredth\) is worth up to \$[\d.]+\.\n$/,
    );
  });

  it("prints every figure as a table, with what it is", async () => {
    const { stdout } = await evaluated("--cost-weight .3 --table --latency");
    expect(stdout).toMatch(/^sample-large +0\.8000 +0\.\d+ +6\.33 +\d+\.\d%$/m);
    expect(stdout).toMatch(/^decision, median +\d+ µs +time of a decision on this machine$/m);
    const figures = stdout.slice(stdout.indexOf("figure ")).split("\n\n")[0] ?? "";
    for (const line of figures.split("\n")) expect(line).toMatch(/^\S.* {2,}\S.* {2,}\S/);
    for (const column of ["quality", "expected", "\\$ per 1,000 prompts", "chosen for"])
      expect(stdout).toMatch(new RegExp(`^${column}: `, "m"));
    // No cost that is mostly noughts.
    expect(stdout.replace(/^As the set expects.*$/m, "")).not.toMatch(/0\.000\d/);
  });

  it("prints decisions with all candidates as JSON, chosen at weight 0 for the expected quality", async () => {
    const json = await jsonOf(`eval ${HELD_OUT}`);
    expect(json).toMatchObject({
      cost_weight: 0,
      prompts: 40,
      known_prompts: 0,
      best: "sample-large",
      latency: null,
      router: { quality: { value: 0.775 } },
    });
    expect(json.decisions).toHaveLength(40);
    const [{ model: chosen, quality, candidates }] = json.decisions;
    expect(candidates).toHaveLength(4);
    expect(Object.keys(candidates[0]).join(" ")).toBe(
      "model quality cost_usd expected_quality quality_stderr expected_cost_usd expected_tokens",
    );
    const expected = candidates.map((each: { expected_quality: number }) => each.expected_quality);
    const own = candidates.find(({ model }: { model: string }) => model === chosen);
    expect(own).toMatchObject({ quality, expected_quality: Math.max(...expected) });
  });

  it("leaves out prompts that the set was built with", async () => {
    const { stdout } = await profile(`eval --set set ${ALL_OF_SAMPLE}`);
    expect(stdout).toContain("; 40 prompts, 80 left out that the set was built with.");
    const known = await profile(`eval --set set ${ALL_OF_SAMPLE} --include-known`);
    expect(known.stdout).toContain("; 120 prompts.");
  });

  it("passes a gate with its own baseline, and fails one with a better baseline", async () => {
    const same = await evaluated("--gate baseline.json --junit same.xml");
    expect(same.exitCode).toBe(0);
    expect(same.stdout).toMatch(
      /quality: ok\. .*\ncost: ok\. .*\nThe smallest loss of quality that this gate detects is 14\.01 points /,
    );
    expect(same.stderr).toContain("sextant: warning: --gate may pass a loss of less than 14.0 points;");
    expect(read("same.xml")).toContain('tests="2" failures="0"');
    const better = JSON.parse(read("baseline.json"));
    for (const decision of better.decisions) Object.assign(decision, { quality: 1, cost_usd: 0.000_01 });
    writeFileSync(join(folder, "better.json"), JSON.stringify(better));
    const worse = await evaluated("--gate better.json --junit worse.xml");
    expect(worse.exitCode).toBe(1);
    expect(worse.stdout).toMatch(/quality: WORSE\. .*\ncost: WORSE\. /);
    expect(worse.stderr).toContain("sextant: worse than the baseline");
    expect(read("worse.xml")).toContain('tests="2" failures="2"');
  });

  it("with --strict fails a gate that cannot exclude a loss, and says what it would take", async () => {
    const strict = await evaluated("--gate baseline.json --strict 2 --json");
    expect(strict.exitCode).toBe(1);
    const loss = {
      figure: "loss",
      is_worse: true,
      message: expect.stringMatching(/9\.60 .*, 2\.00 are acc/),
    };
    expect(JSON.parse(strict.stdout).gate).toMatchObject({ passed: false, checks: { 1: loss } });
    expect(strict.stderr).toContain("a larger loss than --strict accepts is not excluded");
    expect((await evaluated("--gate baseline.json --strict 10")).exitCode).toBe(0);
  });

  it("names the models and prompts that it leaves out, and why, as `tune` and `compare` do", async () => {
    const even = new Set(sampleRows("prompts").flatMap(({ id }, index) => (index % 2 === 0 ? [id] : [])));
    const outcomes = sampleRows("outcomes").filter(
      ({ id, model }) => model !== "sample-small" && (model !== "sample-coder" || even.has(id)),
    );
    const first = outcomes.find(({ model }) => model === "sample-large");
    const others = outcomes.filter((row) => row !== first);
    const scaled = others.map((row, at) => ({ ...row, scale: ["right", "comparison"][at % 2] }));
    write("fewer-outcomes", [...scaled, { id: first?.id, model: "somebody-elses", score: 1 }]);
    const line = `--set set --prompts ${SAMPLE} --outcomes fewer-outcomes.jsonl --include-known`;
    const ungraded = "sextant: left out, as the outcomes have no answers of them: sample-small\n";
    const { stderr } = await profile(`eval ${line}`);
    expect(stderr).toMatch(
      /^sextant: left out, as they are graded on too few of the 120 prompts \(--min-coverage\): sample-coder \(60\)$/m,
    );
    expect(stderr).toContain(ungraded);
    expect(stderr).toContain("left out, as the set does not have them: somebody-elses");
    expect(stderr).toContain("left out: 1 of 120 prompts, which not all of these models are graded on\n");
    expect(stderr).toContain("(right: 1 is a right answer; comparison: .5 is as good as the reference)");
    for (const command of ["tune", "compare --with-cost-weight 1"])
      expect((await profile(`${command} ${line}`)).stderr).toContain(ungraded);
  });

  it.each([
    ["--cost-weight 2", 2, "--cost-weight is 2: it must be a number from 0 to 1."],
    ["--prompts odd-prompts.jsonl", 1, 'odd-prompts.jsonl, line 1, field "messages"'],
    ["--gate none.json", 2, "there is no such file; write one with --save"],
    ["--strict 1", 2, "--strict belongs to --gate; name a baseline with --gate, too"],
    ["--strict -1 --gate none.json", 2, "It must be a number from 0 to 100"],
    ["--junit x.xml", 2, "--junit writes the checks of --gate"],
    ["--gate held-prompts.jsonl", 2, "is not JSON"],
    ["--gate baseline.json --cost-weight .3", 2, "The baseline was made at --cost-weight 0, this is 0.3."],
    ["--gate others.json", 2, "no prompt in common"],
    // That no model is graded enough is a fault of the files.
    ["--min-coverage 1", 1, "Graded answers of no model of the profile set were found"],
  ])("explains what is wrong with %s", async (line, code, message) => {
    const { exitCode, stderr } = await evaluated(line);
    expect([exitCode, stderr]).toEqual([code, expect.stringContaining(message)]);
    expect(existsSync(join(folder, "x.xml"))).toBe(false);
  });
});

describe("sextant profile compare", () => {
  const compared = (line: string) => profile(`compare ${HELD_OUT} ${line}`);

  it("says what another cost weight changes, prompt by prompt", async () => {
    const { stdout } = await compared("--with-cost-weight 1 --show 3");
    expect(stdout).toMatch(
      /^\d+ of 40 prompts go to another model: quality −\d+\.\d\d points \[.*, cost −\d+\.\d% /,
    );
    expect(stdout).toMatch(/^sample-large +sample-small +\d+ +−\d+\.\d\d +−\d\.\d+$/m);
    expect(stdout).toMatch(/… and \d+ more \(--show\)\./);
    expect(stdout).not.toMatch(/ -\d/);
    const body = await jsonOf(`compare ${HELD_OUT} --with-cost-weight 1`);
    expect(body).toMatchObject({ prompts: 40, unpaired: 0 });
    const [first] = body.changed;
    expect(first).toMatchObject({ to: "sample-small", cost_usd: expect.any(Number) });
    const { prompt } = sampleRows("prompts").find(({ id }) => id === first.id) ?? {};
    expect(stdout).toContain(`${first.id}  ${String(prompt).replace(/\s+/g, " ").slice(0, 40)}`);
  });

  it("finds nothing changed between a set and itself", async () => {
    expect((await compared("--with-set set")).stdout).toBe(
      "0 of 40 prompts go to another model: quality 0.00 points [0.00, 0.00], cost 0.0% [0.0%, 0.0%].\n",
    );
  });

  it("asks for something to compare with", async () => {
    expect(await compared("")).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("nothing to compare"),
    });
  });
});

describe("sextant profile diff", () => {
  it("lists the models that came, went or changed", async () => {
    const ofModel = (name: string) => sampleRows("outcomes").filter(({ model }) => model === name);
    const renamed = ofModel("sample-coder").map((row) => ({ ...row, model: "sample-new" }));
    const kept = sampleRows("outcomes").filter(({ model }) => model !== "sample-small");
    write("other-outcomes", [...kept, ...renamed]);
    await profile(`build --prompts ${SAMPLE} --outcomes other-outcomes.jsonl --out other`);
    const { stdout } = await profile("diff set other");
    expect(stdout).toContain("anchors: 80 → 120\n");
    expect(stdout).toContain("models: 1 added, 1 removed, 3 changed, 0 the same\n");
    expect(stdout).toMatch(/^sample-new +added +– → 0\.\d{3} +– +– → 120$/m);
    expect(stdout).toMatch(/^sample-small +removed +0\.\d{3} → – +– +80 → –$/m);
    expect(stdout).toMatch(/^sample-large +changed .* 80 → 120$/m);
    const body = await jsonOf("diff set other");
    expect(body).toMatchObject({ unchanged: 0, first: { anchors: 80 }, second: { anchors: 120 } });
  });

  it("finds no model changed between builds of the same unnamed prompts in two folders", async () => {
    const unnamed = rowsOf(join(folder, "held-prompts.jsonl")).map(({ id, prompt }) => ({ id, prompt }));
    write("unnamed", unnamed);
    for (const name of ["unnamed-1", "unnamed-2"])
      await profile(`build --prompts unnamed.jsonl --outcomes held-outcomes.jsonl --out ${name}`);
    const { stdout } = await profile("diff unnamed-1 unnamed-2");
    expect(stdout).toContain("sources added: unnamed-2\nsources removed: unnamed-1\n");
    expect(stdout).toMatch(/models: 0 added, 0 removed, 0 changed, 4 the same\n$/);
  });
});

describe("sextant profile tune", () => {
  const tuned = (line: string) => profile(`tune ${HELD_OUT} ${line}`);
  const EVEN = "tune --set set --prompts held-prompts.jsonl --outcomes even-outcomes.jsonl";

  it("recommends a cost weight, with what it loses and saves here and on other prompts", async () => {
    const { stdout } = await tuned("--max-loss 10");
    for (const line of [
      /^cost weight 0\.\d+: at most 10\.00 points below the best .* 40 prompts\n {2}quality −\d.* against /,
      /\n {2}cost {4}\$\d\.\d+ per 1,000 prompts, −\d+\.\d% \[/,
      /\n {10}−\d+\.\d\d points \[.*\] against cost weight [\d.]+, the best measured\n/,
      /\non prompts that the weight was not chosen by: /,
    ])
      expect(stdout).toMatch(line);
    const body = await jsonOf(`tune ${HELD_OUT} --max-loss 10`);
    expect(stdout).toContain(`cost weight ${body.cost_weight}:`);
    expect(body).toMatchObject({
      prompts: 40,
      best: "sample-large",
      on_other_prompts: { saved: expect.any(Number) },
      best_weight: { cost_weight: expect.any(Number) },
    });
    expect(body.best_weight.gain.value).toBeLessThan(0);
  });

  it("recommends the knee on request, and names it beside another weight only within the loss", async () => {
    const { stdout } = await tuned("--knee");
    expect(stdout).toMatch(/^cost weight [\d.]+: the knee of cost and quality, .*; 40 prompts\n/);
    expect(stdout.match(/knee/g)).toHaveLength(1);
    expect((await tuned("")).stdout).not.toContain("knee");
    expect((await jsonOf(`tune ${HELD_OUT}`)).knee).toBeNull();
    expect((await tuned("--max-loss 50")).stdout).toMatch(
      /\nknee of cost and quality: cost weight [\d.]+, −\d.* points against cost weight [\d.]+, the best measured; beyond/,
    );
  });

  it("recommends no knee where quality falls evenly with cost", async () => {
    expect(await profile(`${EVEN} --knee`)).toMatchObject({
      exitCode: 0,
      stdout:
        "No pronounced knee of cost and quality on these 40 prompts: quality falls about evenly with cost. Say how much quality may be lost instead: --max-loss.\n",
    });
    expect((await profile(EVEN)).stdout).toMatch(
      /\nno pronounced knee of cost and quality: quality falls about evenly with cost\n$/,
    );
  });

  it.each([
    ["--max-mean-cost-usd .0000001", 0, "No cost weight keeps to at most $0.0001 per 1,000 prompts"],
    ["--max-mean-cost-usd 1 --max-loss 1", 2, "exclude each other"],
    ["--max-mean-cost-usd 1 --knee", 2, "exclude each other"],
  ])("recommends nothing with %s", async (goal, code, message) => {
    const { exitCode, stdout, stderr } = await tuned(goal);
    expect([exitCode, stdout + stderr]).toEqual([code, expect.stringContaining(message)]);
  });

  it("with --save writes the cost weight into the set, where inspect, verify and the report find it", async () => {
    cpSync(join(folder, "set"), join(folder, "tuned"), { recursive: true });
    const files = HELD_OUT.replace("--set set", "--set tuned");
    const { stdout, stderr } = await profile(`tune ${files} --save --max-loss 10 --json`);
    const { cost_weight: weight } = JSON.parse(stdout);
    expect(stderr).toContain(`sextant: saved cost weight ${weight} in ${join(folder, "tuned")}`);
    expect((await profile("inspect tuned")).stdout).toContain(
      `cost weight ${weight}, at most 10 points below the best; chosen by 40 held-out prompts, 2`,
    );
    expect(await jsonOf("inspect tuned")).toMatchObject({
      recommended_cost_weight: { cost_weight: weight, rule: "max_loss", limit: 0.1, is_current: true },
    });
    expect((await profile("verify tuned")).exitCode).toBe(0);
    await profile("report --set tuned --out tuned.html");
    expect(read("tuned.html")).toContain(`<dt>Cost weight saved in the set</dt><dd>${weight}<small>`);
  });

  it.each([
    [`tune ${HELD_OUT} --max-mean-cost-usd .0000001`, /No cost weight keeps to the goal, so that none/],
    [`${EVEN} --knee`, /no pronounced knee, so that no cost weight was saved\. .*--max-loss/],
    [`tune ${HELD_OUT.replace("--set set", "")}`, /name its folder with --set/],
    [`tune ${HELD_OUT.replace("--set set", "--set several")}`, /holds 2 profile sets; name one of/],
  ])("saves nothing without one weight and one set: %s", async (line, message) => {
    const before = read("set/manifest.json");
    const { exitCode, stderr } = await profile(`${line} --save`);
    expect([exitCode, stderr]).toEqual([1, expect.stringMatching(message)]);
    expect(read("set/manifest.json")).toBe(before);
  });
});
