/** The commands that judge decisions, on a set built from two thirds of the sample. */
import { cpSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { runCli } from "../../../src/cli/program.js";
import { openRouterFromSettings } from "../../../src/compose/open-router.js";
import { evaluateSet } from "../../../src/workbench.js";
import { cliRun } from "../../fakes/cli-context.js";
import { folderForTests } from "../../support/folders.js";

const SAMPLE = fileURLToPath(new URL("../../../datasets/sample", import.meta.url));

let folder = "";

async function run(...argv: string[]) {
  const cli = cliRun({ workingDirectory: folder });
  const exitCode = await runCli(argv, { ...cli.context, openRouter: openRouterFromSettings });
  return { exitCode, stdout: cli.stdout(), stderr: cli.stderr() };
}

const HELD_OUT = ["--prompts", "held-prompts.jsonl", "--outcomes", "held-outcomes.jsonl"];
const evaluated = (...more: string[]) => run("profile", "eval", "--set", "set", ...HELD_OUT, ...more);

const linesOf = (name: string): Record<string, unknown>[] =>
  readFileSync(join(SAMPLE, `${name}.jsonl`), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);

const write = (name: string, rows: readonly object[]) =>
  writeFileSync(join(folder, `${name}.jsonl`), rows.map((row) => `${JSON.stringify(row)}\n`).join(""));

beforeAll(async () => {
  folder = folderForTests();
  const [prompts, outcomes] = [linesOf("prompts"), linesOf("outcomes")];
  const held = new Set(prompts.filter((_, index) => index % 3 === 0).map(({ id }) => id));
  for (const [name, rows] of Object.entries({ prompts, outcomes })) {
    write(
      `train-${name}`,
      rows.filter(({ id }) => !held.has(id)),
    );
    write(
      `held-${name}`,
      rows.filter(({ id }) => held.has(id)),
    );
  }
  const built = await run(
    ...["profile", "build", "--prompts", "train-prompts.jsonl", "--outcomes", "train-outcomes.jsonl"],
    ...["--out", "set"],
  );
  expect([built.exitCode, built.stderr]).toEqual([0, expect.any(String)]);
});

describe("sextant profile eval", () => {
  it("refuses a prompt that is no chat, as the same call in code does", async () => {
    write("odd-prompts", [{ id: "odd", messages: [{ role: "narrator", content: "Once" }] }]);
    const files = { prompts: ["odd-prompts.jsonl"], outcomes: ["held-outcomes.jsonl"] };
    const { stderr } = await evaluated("--prompts", "odd-prompts.jsonl");
    expect(stderr).toContain('odd-prompts.jsonl, line 1, field "messages"');
    const inFolder = (names: readonly string[]) => names.map((name) => join(folder, name));
    const inCode = evaluateSet(
      { set: join(folder, "set"), prompts: inFolder(files.prompts), outcomes: inFolder(files.outcomes) },
      { workingDirectory: folder, environment: {} },
    );
    await expect(inCode).rejects.toThrow('odd-prompts.jsonl, line 1, field "messages"');
  });

  it("answers in one sentence", async () => {
    const { exitCode, stdout } = await evaluated("--cost-weight", ".3");
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(
      /^At cost weight 0\.3: −\d+\.\d\d points of quality \[.*\] and \d+\.\d% of the cost saved \[.*\], against always sample-large, the best single model; 40 prompts\.\nAs the set expects: At cost weight 0\.3 an answer costs \$[\d.]+ on average, and a point of quality \(a hundredth\) is worth up to \$[\d.]+\.\n$/,
    );
  });

  it("prints every figure as a table, and as JSON", async () => {
    const { stdout } = await evaluated("--cost-weight", ".3", "--table", "--latency");
    expect(stdout).toMatch(/^sample-large +0\.8000 +0\.\d+ +6\.33 +\d+\.\d%$/m);
    expect(stdout).toMatch(/^decision, median +\d+ µs +time of a decision on this machine$/m);
    // No figure without what it is, and no cost that is mostly noughts.
    const figures = stdout.slice(
      stdout.indexOf("figure "),
      stdout.indexOf("\n\n", stdout.indexOf("figure ")),
    );
    for (const line of figures.split("\n")) expect(line).toMatch(/^\S.* {2,}\S.* {2,}\S/);
    for (const column of ["quality", "expected", "\\$ per 1,000 prompts", "chosen for"])
      expect(stdout).toMatch(new RegExp(`^${column}: `, "m"));
    expect(stdout.replace(/^As the set expects.*$/m, "")).not.toMatch(/0\.000\d/);
    const json = JSON.parse((await evaluated("--json")).stdout);
    expect(json).toMatchObject({
      ...{ cost_weight: 0, prompts: 40, known_prompts: 0, best: "sample-large", latency: null },
      router: { quality: { value: 0.775 } },
    });
    expect(json.decisions).toHaveLength(40);
    const [{ model: chosen, quality, candidates }] = json.decisions;
    expect(candidates.map(({ model }: { model: string }) => model)).toHaveLength(4);
    for (const candidate of candidates)
      expect(candidate).toEqual({
        ...{ model: expect.any(String), quality: expect.any(Number), cost_usd: expect.any(Number) },
        ...{ expected_quality: expect.any(Number), expected_cost_usd: expect.any(Number) },
        expected_tokens: expect.any(Number),
      });
    expect(candidates.find(({ model }: { model: string }) => model === chosen).quality).toBe(quality);
    // Chosen at weight 0 for what was expected of it.
    const expected = candidates.map((each: { expected_quality: number }) => each.expected_quality);
    expect(candidates.find(({ model }: { model: string }) => model === chosen).expected_quality).toBe(
      Math.max(...expected),
    );
  });

  it("leaves out prompts that the set was built with", async () => {
    const all = ["--prompts", SAMPLE, "--outcomes", SAMPLE];
    const { stdout } = await run("profile", "eval", "--set", "set", ...all);
    expect(stdout).toContain("; 40 prompts, 80 left out that the set was built with.");
    const known = await run("profile", "eval", "--set", "set", ...all, "--include-known");
    expect(known.stdout).toContain("; 120 prompts.");
  });

  it("passes a gate with its own baseline, and fails one with a better baseline", async () => {
    expect((await evaluated("--save", "same.json")).exitCode).toBe(0);
    const same = await evaluated("--gate", "same.json", "--junit", "same.xml");
    expect([same.exitCode, same.stdout]).toEqual([
      0,
      expect.stringMatching(
        /quality: ok\. .*\ncost: ok\. .*\nThe smallest loss of quality that this gate detects is 14\.01 points \(95% interval, power 80%\); one point takes 561 prompts\.\n$/,
      ),
    ]);
    expect(same.stderr).toContain("sextant: warning: --gate may pass a loss of less than 14.0 points;");
    expect(readFileSync(join(folder, "same.xml"), "utf8")).toContain('tests="2" failures="0" skipped="0"');
    const timed = await evaluated("--gate", "same.json", "--latency");
    expect(timed.stdout).toContain("latency: not compared. Decisions were not timed for the baseline.");
    const better = JSON.parse(readFileSync(join(folder, "same.json"), "utf8"));
    for (const decision of better.decisions) Object.assign(decision, { quality: 1, cost_usd: 0.000_01 });
    writeFileSync(join(folder, "better.json"), JSON.stringify(better));
    const worse = await evaluated("--gate", "better.json", "--junit", "worse.xml");
    expect([worse.exitCode, worse.stdout]).toEqual([
      1,
      expect.stringMatching(/quality: WORSE\. .*\ncost: WORSE\. /),
    ]);
    expect(worse.stderr).toContain("sextant: worse than the baseline");
    expect(readFileSync(join(folder, "worse.xml"), "utf8")).toContain('tests="2" failures="2"');
  });

  it("refuses a baseline of another cost weight or of other prompts as wrong use", async () => {
    expect((await evaluated("--save", "at-0.json")).exitCode).toBe(0);
    const weight = await evaluated("--gate", "at-0.json", "--cost-weight", ".3");
    expect([weight.exitCode, weight.stdout]).toEqual([2, ""]);
    expect(weight.stderr).toContain("The baseline was made at --cost-weight 0, this is 0.3.");
    const text = readFileSync(join(folder, "at-0.json"), "utf8").replaceAll('"id": "', '"id": "other-');
    writeFileSync(join(folder, "others.json"), text);
    const others = await evaluated("--gate", "others.json");
    expect([others.exitCode, others.stderr]).toEqual([2, expect.stringContaining("no prompt in common")]);
  });

  it("with --strict fails a gate that cannot exclude a loss, and says what it would take", async () => {
    expect((await evaluated("--save", "strict.json")).exitCode).toBe(0);
    const strict = await evaluated("--gate", "strict.json", "--strict", "2", "--json");
    const { gate } = JSON.parse(strict.stdout);
    expect([strict.exitCode, gate.passed]).toEqual([1, false]);
    expect(gate.checks[1]).toEqual({
      figure: "loss",
      is_worse: true,
      message:
        "A loss of up to 9.60 points is possible (95% interval), 2.00 are accepted. More prompts narrow it: one point is detected with 561.",
    });
    expect(strict.stderr).toContain("a larger loss than --strict accepts is not excluded");
    expect((await evaluated("--gate", "strict.json", "--strict", "10")).exitCode).toBe(0);
  });

  it("names the models of the outcomes that the set does not have", async () => {
    const outcomes = linesOf("outcomes");
    write("more-outcomes", [...outcomes, { id: outcomes[0]?.id, model: "somebody-elses", score: 1 }]);
    const { stderr } = await run(
      ...["profile", "eval", "--set", "set", "--prompts", SAMPLE, "--outcomes", "more-outcomes.jsonl"],
    );
    expect(stderr).toContain("left out, as the set does not have them: somebody-elses");
  });

  it("names the models and prompts that it leaves out, and why", async () => {
    const even = new Set(linesOf("prompts").flatMap(({ id }, index) => (index % 2 === 0 ? [id] : [])));
    const outcomes = linesOf("outcomes").filter(
      ({ id, model }) => model !== "sample-small" && (model !== "sample-coder" || even.has(id)),
    );
    const [first] = outcomes.filter(({ model }) => model === "sample-large");
    write(
      "fewer-outcomes",
      outcomes.filter((row) => row !== first),
    );
    const argv = [
      "--set",
      "set",
      "--prompts",
      SAMPLE,
      "--outcomes",
      "fewer-outcomes.jsonl",
      "--include-known",
    ];
    const { stderr } = await run("profile", "eval", ...argv);
    expect(stderr).toMatch(
      /^sextant: left out, as they are graded on too few of the 120 prompts \(--min-coverage\): sample-coder \(60\)$/m,
    );
    expect(stderr).toContain("sextant: left out, as the outcomes have no answers of them: sample-small\n");
    expect(stderr).toContain("left out: 1 of 120 prompts, which not all of these models are graded on\n");
    const body = JSON.parse((await run("profile", "eval", ...argv, "--json")).stdout);
    expect(body.left_out).toMatchObject({ ungraded_models: ["sample-small"], unknown_models: [] });
    for (const command of [["tune"], ["compare", "--with-cost-weight", "1"]])
      expect((await run("profile", ...command, ...argv)).stderr).toContain(
        "no answers of them: sample-small\n",
      );
  });

  it.each([
    [["--cost-weight", "2"], "--cost-weight is 2: it must be a number from 0 to 1."],
    [["--gate", "none.json"], "there is no such file; write one with --save"],
    [["--strict", "1"], "--strict belongs to --gate; name a baseline with --gate, too"],
    [["--strict", "-1", "--gate", "none.json"], "It must be a number from 0 to 100"],
    [["--junit", "x.xml"], "--junit writes the checks of --gate"],
    [["--gate", "held-prompts.jsonl"], "is not JSON"],
    [["--min-coverage", "1"], "Graded answers of no model of the profile set were found"],
  ])("explains what is wrong with %j", async (wrong, message) => {
    const { exitCode, stderr } = await evaluated(...wrong);
    // That no model is graded enough is a fault of the files.
    expect(exitCode).toBe(wrong[0] === "--min-coverage" ? 1 : 2);
    expect(stderr).toContain(message);
    expect(existsSync(join(folder, "x.xml"))).toBe(false);
  });
});

describe("sextant profile compare", () => {
  const compared = (...more: string[]) => run("profile", "compare", "--set", "set", ...HELD_OUT, ...more);

  it("says what another cost weight changes, prompt by prompt", async () => {
    const { exitCode, stdout } = await compared("--with-cost-weight", "1", "--show", "3");
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(
      /^\d+ of 40 prompts go to another model: quality −\d+\.\d\d points \[.*\], cost −\d+\.\d% /,
    );
    expect(stdout).toMatch(/^sample-large +sample-small +\d+ +−\d+\.\d\d +−\d\.\d+$/m);
    const [first] = JSON.parse((await compared("--with-cost-weight", "1", "--json")).stdout).changed;
    const text = String(linesOf("prompts").find(({ id }) => id === first.id)?.prompt).replace(/\s+/g, " ");
    expect(stdout).toContain(`${first.id}  ${text.slice(0, 40)}`);
    expect(stdout).toMatch(/… and \d+ more \(--show\)\./);
    expect(stdout).not.toMatch(/ -\d/);
    const body = JSON.parse((await compared("--with-cost-weight", "1", "--json")).stdout);
    expect(body).toMatchObject({ prompts: 40, unpaired: 0 });
    expect(body.changed[0]).toMatchObject({ to: "sample-small", cost_usd: expect.any(Number) });
  });

  it("finds nothing changed between a set and itself", async () => {
    const { stdout } = await compared("--with-set", "set");
    expect(stdout).toBe(
      "0 of 40 prompts go to another model: quality 0.00 points [0.00, 0.00], cost 0.0% [0.0%, 0.0%].\n",
    );
  });

  it("asks for something to compare with", async () => {
    const { exitCode, stderr } = await compared();
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining("nothing to compare with")]);
    const beyond = await compared("--with-cost-weight", "2");
    expect([beyond.exitCode, beyond.stderr]).toEqual([
      2,
      expect.stringMatching(/with-cost-weight.*from 0 to 1/),
    ]);
  });
});

describe("sextant profile diff", () => {
  it("lists the models that came, went or changed", async () => {
    const outcomes = linesOf("outcomes");
    write("other-outcomes", [
      ...outcomes.filter(({ model }) => model !== "sample-small"),
      ...outcomes
        .filter(({ model }) => model === "sample-coder")
        .map((row) => ({ ...row, model: "sample-new" })),
    ]);
    await run(
      "profile",
      "build",
      "--prompts",
      SAMPLE,
      "--outcomes",
      "other-outcomes.jsonl",
      "--out",
      "other",
    );
    const { exitCode, stdout } = await run("profile", "diff", "set", "other");
    expect(exitCode).toBe(0);
    expect(stdout).toContain("anchors: 80 → 120\n");
    expect(stdout).toContain("models: 1 added, 1 removed, 3 changed, 0 the same\n");
    expect(stdout).toMatch(/^sample-new +added +– → 0\.\d{3} +– +– → 120$/m);
    expect(stdout).toMatch(/^sample-small +removed +0\.\d{3} → – +– +80 → –$/m);
    expect(stdout).toMatch(/^sample-large +changed .* 80 → 120$/m);
    const body = JSON.parse((await run("profile", "diff", "set", "other", "--json")).stdout);
    expect(body).toMatchObject({ unchanged: 0, first: { anchors: 80 }, second: { anchors: 120 } });
  });

  it("finds no model changed between builds of the same unnamed prompts in two folders", async () => {
    const prompts = linesOf("prompts").map(({ id, prompt }) => ({ id, prompt }));
    write("unnamed", prompts);
    const built = (folder: string) =>
      run("profile", "build", "--prompts", "unnamed.jsonl", "--outcomes", SAMPLE, "--out", folder);
    for (const name of ["unnamed-1", "unnamed-2"]) expect(await built(name)).toMatchObject({ exitCode: 0 });
    const { stdout } = await run("profile", "diff", "unnamed-1", "unnamed-2");
    expect(stdout).toContain("sources added: unnamed-2\nsources removed: unnamed-1\n");
    expect(stdout).toMatch(/models: 0 added, 0 removed, 0 changed, 4 the same\n$/);
  });

  it("finds no difference between a set and itself", async () => {
    expect((await run("profile", "diff", "set", "set")).stdout).toContain(
      "models: 0 added, 0 removed, 0 changed, 4 the same\n",
    );
  });
});

describe("sextant profile tune", () => {
  const tuned = (...more: string[]) => run("profile", "tune", "--set", "set", ...HELD_OUT, ...more);

  it("recommends a cost weight, with what it loses and saves here and on other prompts", async () => {
    const { exitCode, stdout } = await tuned("--max-loss", "10");
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(
      /^cost weight 0\.\d+: at most 10\.00 points below the best that any cost weight or single model reaches; 40 prompts\n {2}quality −\d.* against always sample-large/,
    );
    expect(stdout).toMatch(/\n {2}cost {4}\$\d\.\d+ per 1,000 prompts, −\d+\.\d% \[/);
    expect(stdout).toMatch(
      /\n {10}−\d+\.\d\d points \[−\d+\.\d\d, [−+]?\d+\.\d\d\] against cost weight [\d.]+, the best measured\n/,
    );
    expect(stdout).toMatch(/\n(no pronounced )?knee of cost and quality: .*\n$/);
    expect(stdout).toContain("\non prompts that the weight was not chosen by: ");
    const body = JSON.parse((await tuned("--max-loss", "10", "--json")).stdout);
    expect(stdout).toContain(`cost weight ${body.cost_weight}:`);
    expect(body).toMatchObject({
      prompts: 40,
      best: "sample-large",
      on_other_prompts: { saved: expect.any(Number) },
      best_weight: { cost_weight: expect.any(Number), gain: { value: expect.any(Number) } },
    });
    expect(body.best_weight.gain.value).toBeLessThan(0);
  });

  it("says so when no cost weight keeps to the goal", async () => {
    expect((await tuned("--max-mean-cost-usd", ".0000001")).stdout).toContain(
      "No cost weight keeps to at most $0.0001 per 1,000 prompts",
    );
  });

  it("takes one goal at a time", async () => {
    const { exitCode, stderr } = await tuned("--max-loss", "1", "--max-mean-cost-usd", "1");
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining("exclude each other")]);
  });

  it("recommends the knee on request", async () => {
    const { exitCode, stdout } = await tuned("--knee");
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^cost weight [\d.]+: the knee of cost and quality, .*; 40 prompts\n/);
    expect(stdout).toMatch(/\n {10}−\d+\.\d\d points \[.*\] against cost weight [\d.]+, the best measured\n/);
    expect(stdout.match(/knee/g)).toHaveLength(1);
    const { exitCode: wrong, stderr } = await tuned("--knee", "--max-mean-cost-usd", "1");
    expect([wrong, stderr]).toEqual([2, expect.stringContaining("--knee exclude each other")]);
  });

  it("recommends no knee where quality falls evenly with cost", async () => {
    // What the large model costs more is worth the same on every prompt.
    const even = linesOf("outcomes").flatMap(({ id, model }) =>
      model === "sample-large"
        ? [{ id, model, score: 1, cost_usd: 0.01 }]
        : model === "sample-small"
          ? [{ id, model, score: 0, cost_usd: 0.001 }]
          : [],
    );
    write("even-outcomes", even);
    const argv = ["--set", "set", "--prompts", "held-prompts.jsonl", "--outcomes", "even-outcomes.jsonl"];
    const asked = await run("profile", "tune", ...argv, "--knee");
    expect([asked.exitCode, asked.stdout]).toEqual([
      0,
      "No pronounced knee of cost and quality on these 40 prompts: quality falls about evenly with cost. Say how much quality may be lost instead: --max-loss.\n",
    ]);
    expect((await run("profile", "tune", ...argv)).stdout).toMatch(
      /\nno pronounced knee of cost and quality: quality falls about evenly with cost\n$/,
    );
    const before = readFileSync(join(folder, "set", "manifest.json"), "utf8");
    const saved = await run("profile", "tune", ...argv, "--knee", "--save");
    expect(saved.exitCode).toBe(1);
    expect(saved.stderr).toMatch(/no pronounced knee, so that no cost weight was saved\. .*--max-loss/);
    expect(readFileSync(join(folder, "set", "manifest.json"), "utf8")).toBe(before);
  });

  describe("with --save", () => {
    const manifestOf = (set: string) => readFileSync(join(folder, set, "manifest.json"), "utf8");
    const saving = (set: string, ...more: string[]) =>
      run("profile", "tune", "--set", set, ...HELD_OUT, "--save", ...more);

    it("writes the cost weight into the set, where inspect, verify and the report find it", async () => {
      cpSync(join(folder, "set"), join(folder, "tuned"), { recursive: true });
      const { exitCode, stdout, stderr } = await saving("tuned", "--max-loss", "10", "--json");
      expect(exitCode).toBe(0);
      const { cost_weight: weight } = JSON.parse(stdout) as { cost_weight: number };
      expect(stderr).toContain(`sextant: saved cost weight ${weight} in ${join(folder, "tuned")}`);
      const inspected = await run("profile", "inspect", "tuned");
      expect(inspected.stdout).toMatch(
        new RegExp(
          `^recommended +cost weight ${weight}, at most 10 points below the best; chosen by 40 held-out prompts, \\d{4}-`,
          "m",
        ),
      );
      const json = JSON.parse((await run("profile", "inspect", "tuned", "--json")).stdout) as object;
      expect(json).toMatchObject({
        recommended_cost_weight: { cost_weight: weight, rule: "max_loss", limit: 0.1, is_current: true },
      });
      expect(await run("profile", "verify", "tuned")).toMatchObject({ exitCode: 0 });
      const report = ["profile", "report", "--set", "tuned", "--out", "tuned.html"];
      expect(await run(...report)).toMatchObject({ exitCode: 0 });
      const html = readFileSync(join(folder, "tuned.html"), "utf8");
      expect(html).toContain(`<dt>Cost weight saved in the set</dt><dd>${weight}<small>`);
      expect(html).toMatch(new RegExp(`class="tuned"[^>]*><title>[a-z, ]*tuned: cost weight ${weight}:`));
      expect(html).toMatch(/<th scope="row">[^<]*saved in the set by profile tune<\/th>/);
    });

    it("saves nothing without a cost weight that keeps to the goal", async () => {
      const before = manifestOf("set");
      const { exitCode, stderr } = await saving("set", "--max-mean-cost-usd", ".0000001");
      expect(exitCode).toBe(1);
      expect(stderr).toContain("No cost weight keeps to the goal, so that none was saved.");
      expect(manifestOf("set")).toBe(before);
    });

    it("needs one set, and says so before anything is decided", async () => {
      const none = await run("profile", "tune", ...HELD_OUT, "--save");
      expect([none.exitCode, none.stdout]).toEqual([1, ""]);
      expect(none.stderr).toContain("name its folder with --set");
      for (const name of ["one", "two"])
        cpSync(join(folder, "set"), join(folder, "several", name), { recursive: true });
      const { exitCode, stderr } = await saving("several");
      expect([exitCode, stderr]).toEqual([1, expect.stringContaining("holds 2 profile sets; name one of")]);
    });
  });
});
