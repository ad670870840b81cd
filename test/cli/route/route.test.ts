import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { runCli } from "../../../src/cli/program.js";
import type { Candidate, CandidateParts, Decision } from "../../../src/engine/router/decision.js";
import { SextantError } from "../../../src/foundation/errors.js";
import { type CliRunOptions, cliRun } from "../../fakes/cli-context.js";
import { FakeRouter } from "../../fakes/router.js";
import { folderForTests } from "../../support/folders.js";

const folder = folderForTests();

async function run(argv: readonly string[], options: Partial<CliRunOptions> = {}) {
  const router = new FakeRouter();
  const cli = cliRun({ workingDirectory: folder, router, ...options });
  const exitCode = await runCli(argv, cli.context);
  return { exitCode, stdout: cli.stdout(), stderr: cli.stderr(), router };
}

/** A router whose decisions are changed. */
function routerWhere(change: (decision: Decision) => Partial<Decision>): FakeRouter {
  const router = new FakeRouter();
  const decide = router.route.bind(router);
  router.route = async (request) => {
    const decision = await decide(request);
    return { ...decision, ...change(decision) };
  };
  return router;
}

const linesOf = (stdout: string) =>
  stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));

describe("sextant route", () => {
  it("prints a plain table with the chosen model marked when output is not a terminal", async () => {
    const { exitCode, stdout, router } = await run(["route", "hello", "--cost-weight", "0.3"]);
    expect(exitCode).toBe(0);
    expect(stdout).toBe(
      [
        "   model   effort   provider   quality        basis     evidence  tokens (hidden)  cost, p90 (USD)   score",
        "→  large   default  openai     0.900 ± 0.030  measured  41.3      200 (0)          0.0100, 0.0200    0.897",
        "   medium  default  anthropic  0.800 ± 0.030  measured  41.3      200 (0)          0.00200, 0.00400  0.799",
        "   small   default  –          0.600 ± 0.030  placed    41.3      200 (0)          unknown           0.600",
        "",
        "large: best expected quality",
        "confidence 0.71, nearest profiled prompt 0.64, cost weight 0.3, decided in 0.12 ms",
        "basis: measured = graded answers, placed = published scores, or else maker, date and price",
        "evidence: effective number of graded answers to the profiled prompts most similar to this one",
        "tokens: expected length of the answer, hidden reasoning included; p90: what nine of ten such answers cost at most",
        "",
      ].join("\n"),
    );
    expect(router.requests).toEqual([{ costWeight: 0.3, messages: [{ role: "user", content: "hello" }] }]);
    expect(router.closed).toBe(true);
  });

  it("says what the cost weight means in dollars, and takes dollars in its place", async () => {
    const router = new FakeRouter(undefined, () => ({ meanCostUsd: 0.00234, usdPerPoint: 0.0117 }));
    const decide = router.route.bind(router);
    router.route = (request) => decide({ ...request, costWeight: 0.375 });
    const { stdout } = await run(["route", "hello", "--max-mean-cost-usd", ".0025"], { router });
    expect(router.requests[0]).toMatchObject({ maxMeanCostUsd: 0.0025 });
    expect(stdout).toContain(
      "At cost weight 0.38 an answer costs $0.0023 on average, and a point of quality (a hundredth) is worth up to $0.012.",
    );
    const both = await run(["route", "hello", "--max-mean-cost-usd", "1", "--cost-weight", "0.2"]);
    expect([both.exitCode, both.stdout]).toEqual([2, ""]);
    expect(both.stderr).toContain("cannot be used with option '--cost-weight <number>'");
  });

  it("compares what a whole task of an agent costs where it is told to", async () => {
    const asked = async (...words: string[]) => (await run(["route", "hello", ...words])).router.requests[0];
    expect(await asked("--per", "task")).toMatchObject({ per: "task" });
    expect(await asked()).not.toHaveProperty("per");
    expect(await run(["route", "hello", "--per", "year"])).toMatchObject({ exitCode: 2, stdout: "" });
  });

  it("explains a decision by the parts of its costs and the prompts that decided, in text and as JSON", async () => {
    const visible = { visibleTokens: 160, nearbyRatio: 2, modelRatio: 0.8, lengthCorrection: 1 };
    const hidden = { hiddenTokens: 40, hiddenTokensMedium: 80, difficultyFactor: 0.5 };
    const billed = { billRatio: 1.25, billSource: "dollars", agentTask: { usd: 0.5 } } as const;
    const price = { inputUsdPerMtok: 1, outputUsdPerMtok: 4 };
    const parts: CandidateParts = {
      set: "default",
      predecessor: "beta-0",
      ...visible,
      ...hidden,
      ...billed,
      price,
    };
    const router = routerWhere(({ candidates }) => ({
      candidates: candidates.map((candidate) => ({ ...candidate, parts })),
      anchors: [{ id: "default/7", source: "mbpp", similarity: 0.81, weight: 0.25 }],
      prompt: { tokens: 9, difficulty: 1.2, kinds: ["code"], askedTokens: 270, visibleTokens: 100 },
      meaning: null,
    }));
    const { stdout } = await run(["route", "hello", "--explain"], { router });
    expect(router.requests[0]).toMatchObject({ explain: true });
    expect(stdout).toContain(
      "prompt: 9 tokens; difficulty 1.2 of 4 (easy); classified as code; asks for about 270 tokens; an average model writes 100 visible tokens by its text",
    );
    expect(stdout).toMatch(
      /^large \(predecessor beta-0\) +160 +100 × 2\.0 × 0\.80 +40 +80 × 0\.50 +× 1\.0 +× 1\.3 +dollars +\$0\.50 +1 in, 4 out$/m,
    );
    expect(stdout).toMatch(/^default\/7 +mbpp +0\.810 +25\.0%$/m);
    const json = JSON.parse((await run(["route", "hello", "--explain", "--json"], { router })).stdout);
    expect(json.routing.candidates[0].parts).toMatchObject({ visible_tokens: 160, bill_source: "dollars" });
    expect(json.routing.prompt).toMatchObject({ difficulty: 1.2, asked_tokens: 270 });
  });

  it("names the excluded models, grouped by reason", async () => {
    const router = routerWhere(() => ({
      excluded: [
        { model: "a", reason: "context_window" },
        { model: "b", reason: "unknown_price" },
        { model: "c", reason: "context_window" },
      ],
    }));
    const { stdout } = await run(["route", "hello"], { router });
    expect(stdout).toContain(
      "left out, prompt and answer do not fit the context window: a, c\nleft out, price unknown: b\n",
    );
  });

  it("names the model of the best score when a cheaper one is selected", async () => {
    const reason = "cheapest within noise of the best score";
    const router = routerWhere(({ candidates }) => {
      const [large, medium, small] = candidates as [Candidate, Candidate, Candidate];
      return { selectedModel: "medium", candidates: [medium, large, small], reason };
    });
    const { stdout } = await run(["route", "hello"], { router });
    expect(stdout).toContain(`\nmedium: ${reason} (best score: large, 0.900)\n`);
  });

  it("prints a separate line when there is no evidence near the prompt", async () => {
    const router = routerWhere(() => ({ outOfDistribution: true }));
    const { stdout } = await run(["route", "hello"], { router });
    expect(stdout).toMatch(
      /^No evidence near this prompt: the graded answers counted under evidence are to prompts unlike it, .* errors are wide\.$/m,
    );
    expect((await run(["route", "hello"])).stdout).not.toContain("No evidence");
  });

  it("prints JSON in the form of the API, of a prompt from standard input for `-`", async () => {
    const argv = ["route", "-", "--json", "--models", "small, medium"];
    const { stdout, router } = await run(argv, { stdin: "from a pipe" });
    expect(JSON.parse(stdout)).toMatchObject({
      model: "medium",
      routing: { selected_model: "medium", all_scores: { medium: 0.8, small: 0.6 } },
    });
    expect(router.requests[0]?.messages).toEqual([{ role: "user", content: "from a pipe" }]);
  });

  it("shows twelve candidates, or all of them with --all", async () => {
    const unknown = { provider: null, costUsd: null };
    const models = Array.from({ length: 20 }, (_, index) => {
      return { ...unknown, model: `m${index}`, quality: 1 - index / 100 };
    });
    const show = (...more: string[]) =>
      run(["route", "hello", ...more], { router: new FakeRouter(models), isTTY: true });
    expect((await show()).stdout).toContain("┌");
    expect((await show()).stdout).toContain("… and 8 more candidates (--all shows them)");
    expect((await show("--all")).stdout).toContain("m19");
  });

  it("explains errors on standard error and fails", async () => {
    const settings = await run(["route", "hello"], { environment: { SEXTANT_PORT: "x" } });
    expect(settings.exitCode).toBe(1);
    expect(settings.stderr).toMatch(/^sextant: SEXTANT_PORT is "x"/);
    expect(settings.stderr).not.toContain("    at ");
  });

  it.each([
    [["route"], /give either a prompt or --batch FILE/],
    [["route", "--explain", "--batch", "x.jsonl"], /./],
    [["route", "a", "--cost-weight", "-1"], /It must be a number from 0 to 1/],
    [["route", "a", "--max-tokens", "1.5"], /It must be a whole number of at least 1/],
    [["route", "a", "--no-such-option"], /unknown option '--no-such-option'/],
  ])("refuses %j with exit code 2", async (argv, message) => {
    const { exitCode, stderr, stdout } = await run(argv);
    expect([exitCode, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(message);
  });
});

describe("sextant route --batch", () => {
  const write = (name: string, lines: readonly unknown[], compress = false) => {
    const text = lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line))).join("\n");
    const path = join(folder, name);
    writeFileSync(path, compress ? gzipSync(text) : text);
    return path;
  };

  it("answers each line with one line: its id and all candidates, in order", async () => {
    const lines = Array.from({ length: 600 }, (_, i) => ({ id: `p${i}`, prompt: `prompt ${i}` }));
    const argv = ["route", "--batch", write("many.jsonl", lines), "--models", "small,large"];
    const { exitCode, stdout, stderr } = await run(argv);
    expect([exitCode, stderr]).toEqual([0, ""]);
    const answers = linesOf(stdout);
    expect(answers.map(({ id }) => id)).toEqual(lines.map(({ id }) => id));
    const expected = { expected_quality: 0.9, expected_cost_usd: 0.01 };
    const stderr90 = { quality_stderr: 0.03, expected_cost_p90_usd: 0.02 };
    const tokens = { expected_answer_tokens: 200, expected_reasoning_tokens: 0 };
    const selected = { selected_model: "large", selected_provider: "openai", nearest_similarity: 0.64 };
    expect(answers[0]).toEqual({
      id: "p0",
      ...selected,
      ...expected,
      candidates: [
        { model: "large", ...expected, ...tokens, ...stderr90, score: 0.9 },
        expect.objectContaining({ model: "small", expected_cost_usd: null, expected_cost_p90_usd: null }),
      ],
    });
  });

  it("reads gzip, standard input, messages, numeric ids, blank lines and CRLF", async () => {
    const messages = ["system", "user"].map((role) => ({ role, content: "x" }));
    const lines = [{ id: 1, prompt: "a" }, "", { id: "x", messages }];
    const gzipped = await run(["route", "--batch", write("some.jsonl.gz", lines, true)]);
    expect(linesOf(gzipped.stdout).map(({ id }) => id)).toEqual([1, "x"]);
    expect(gzipped.router.requests[1]?.messages).toHaveLength(2);
    const piped = await run(["route", "--batch", "-"], { stdin: '{"id": 7, "prompt": "a"}\r\n' });
    expect(JSON.parse(piped.stdout).id).toBe(7);
  });

  it("continues after an invalid line, names it without quoting it, and fails at the end", async () => {
    const invalid = ["{secret", { id: 2 }, { prompt: "secret" }, { id: 3, messages: [] }];
    const path = write("bad.jsonl", [{ id: 1, prompt: "a" }, ...invalid, { id: 4, prompt: "b" }]);
    const { exitCode, stdout, stderr } = await run(["route", "--batch", path]);
    expect(exitCode).toBe(1);
    expect(linesOf(stdout).map(({ id }) => id)).toEqual([1, 4]);
    expect(stderr).not.toContain("secret");
    expect(stderr.split("\n").slice(0, 2)).toEqual([
      "sextant: line 2: not valid JSON",
      'sextant: line 3: neither {"id": …, "prompt": "…"} nor {"id": …, "messages": [{"role", "content"}, …]}',
    ]);
    expect(stderr).toContain("sextant: 4 of 6 lines were not decided");
  });

  it("decides the other requests when one request of a chunk cannot be decided", async () => {
    const router = new FakeRouter();
    const decide = router.route.bind(router);
    router.route = async (request) => {
      if (request.messages[0]?.content === "too long")
        throw new SextantError("insufficient_models", "Nothing fits.");
      return decide(request);
    };
    const prompts = ["a", "too long", "b"].map((prompt, at) => ({ id: at + 1, prompt }));
    const path = write("long.jsonl", prompts);
    const { exitCode, stdout, stderr } = await run(["route", "--batch", path], { router });
    expect(exitCode).toBe(1);
    expect(linesOf(stdout).map(({ id }) => id)).toEqual([1, 3]);
    expect(stderr).toContain("sextant: line 2: Nothing fits.");
  });

  it("stops at once when every line would fail, or the file cannot be read", async () => {
    const path = write("one.jsonl", [{ id: 1, prompt: "a" }]);
    const missing = await run(["route", "--batch", path, "--models", "large,unheard-of"]);
    expect([missing.exitCode, missing.stderr]).toEqual([1, "sextant: No profile for unheard-of.\n"]);
    for (const [file, message] of [
      [join(folder, "gone.jsonl"), "gone.jsonl cannot be read"],
      [write("broken.jsonl.gz", ["this is not gzip"]), "cannot be read to its end"],
    ] as const) {
      const { exitCode, stderr } = await run(["route", "--batch", file]);
      expect([exitCode, stderr]).toEqual([1, expect.stringContaining(message)]);
    }
  });
});

it("sextant prints its version, and help with examples", async () => {
  expect(await run(["--version"])).toMatchObject({ exitCode: 0, stdout: "0.1.0\n" });
  for (const command of ["", "route", "serve", "keys create"]) {
    const { exitCode, stdout } = await run([...command.split(" "), "--help"].filter(Boolean));
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining("Examples:")]);
  }
});
