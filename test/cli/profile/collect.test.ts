import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import { beforeEach, describe, expect, it } from "vitest";
import { profileCommand } from "../../../src/cli/profile/profile.js";
import { folderWith } from "../../engine/profiles/folder-for-test.js";
import { cliRun } from "../../fakes/cli-context.js";

const PROMPTS =
  '{"id": "a", "prompt": "2 + 2?", "reference": "4"}\n{"id": "b", "prompt": "3 + 3?", "reference": "6"}\n';
const MODELS = "gpt-5.4-mini,claude-haiku-4-5";

let folder: string;
beforeEach(async () => {
  folder = await folderWith({ "prompts.jsonl": PROMPTS, "schema.json": "{", "rubric.txt": "Be strict." });
});

/** Control characters but line ends and tabs, and marks that turn the direction of writing. */
const ESCAPES = /[^\P{Cc}\n\t]|[\u202a-\u202e]/u;

interface Given {
  readonly isTTY?: boolean;
  readonly stdin?: string;
}

async function run(argv: readonly string[], { isTTY = false, stdin = "" }: Given = {}) {
  const { context, stdout, stderr } = cliRun({
    workingDirectory: folder,
    environment: { SEXTANT_SANDBOX: "true" },
    isTTY,
    stdin,
  });
  const program = new Command().exitOverride().addCommand(profileCommand(context));
  const usual = ["profile", "collect", "--prompts", "prompts.jsonl", "--models", MODELS, "--out", "out"];
  const failed = await program.parseAsync([...usual, ...argv], { from: "user" }).then(
    () => undefined,
    (error: Error & { exitCode?: number }) => error,
  );
  const exitCode = failed === undefined ? 0 : (failed.exitCode ?? -1);
  return { stdout: stdout(), stderr: stderr(), exitCode, failure: failed?.message ?? "" };
}

const outcomes = () => readFileSync(join(folder, "out/outcomes.jsonl"), "utf8").trimEnd().split("\n");

describe("sextant profile collect", () => {
  it("prints the estimate and its progress on standard error, and the means on standard output", async () => {
    const { stdout, stderr, exitCode } = await run(["--grade", "number"]);
    expect(exitCode).toBe(0);
    expect(stderr).toContain("4 questions are expected to cost $0.00");
    expect(stderr).toContain("Asking models …\n");
    expect(stderr).toContain("  4 of 4, $0.00\n");
    expect(stdout).toMatch(/^model +graded +mean score/);
    expect(stdout).toMatch(/^gpt-5\.4-mini +2 of 2 +0\.000 /m);
    expect(stdout).toContain("Spent $0.00.\n");
    expect(outcomes()).toHaveLength(4);
  });

  it.each([true, false])(
    "prints what a grader and prompts' ids hold without escapes of terminals, terminal: %s",
    async (isTTY) => {
      const HOSTILE_PROMPTS = `{"id": "a\\u001b[31m\\u202e", "prompt": "2 + 2?", "reference": "4"}\n`;
      writeFileSync(join(folder, "prompts.jsonl"), HOSTILE_PROMPTS);
      const command = `printf '\\033]0;owned\\007\\342\\200\\256' >&2; exit 9`;
      const { stdout, stderr } = await run(["--grade", "command", "--command", command, "--yes"], { isTTY });
      expect(stdout).toContain("ended with 9: \\u001b]0;owned\\u0007\\u202e");
      expect(stdout).toContain("a\\u001b[31m\\u202e");
      expect(stdout).not.toMatch(ESCAPES);
      for (const mark of ["\u202e", "\u0007", "\u001b]"]) expect(stderr).not.toContain(mark);
    },
  );

  it("prints JSON", async () => {
    const { stdout } = await run(["--grade", "number", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({
      ending: "finished",
      folder: join(folder, "out"),
      prompts: 2,
      models: [{ model: "gpt-5.4-mini", graded: 2, mean_score: 0 }, { model: "claude-haiku-4-5" }],
      failed: [],
      gave_up: [],
      spent_usd: 0,
      lost: { calls: 0, usd: 0 },
    });
  });

  it("asks for a confirmation on a terminal, and draws a bar", async () => {
    const { exitCode, stderr } = await run(["--grade", "number"], { isTTY: true, stdin: "y\n" });
    expect(exitCode).toBe(0);
    expect(stderr).toContain("Ask them? [y/N] ");
    expect(stderr).toContain("100%, 4 of 4, $0.00");
  });

  it.each(["n\n", "\n", ""])("asks nothing when %j is typed", async (stdin) => {
    const { exitCode, failure } = await run(["--grade", "number"], { isTTY: true, stdin });
    expect(exitCode).toBe(1);
    expect(failure).toBe("nothing was asked; confirm with y or --yes");
    expect(existsSync(join(folder, "out/outcomes.jsonl"))).toBe(false);
  });

  it("asks for none with --yes", async () => {
    const { exitCode, stderr } = await run(["--grade", "number", "--yes"], { isTTY: true });
    expect(exitCode).toBe(0);
    expect(stderr).not.toContain("Ask them?");
  });

  it("says with --dry-run that --max-usd needs prices, where none are known", async () => {
    const providers = [
      {
        id: "lab",
        type: "openai-compatible",
        base_url: "http://127.0.0.1:9/v1",
        models: [{ id: "our-model" }],
      },
    ];
    writeFileSync(join(folder, "sextant.config.json"), JSON.stringify({ providers }));
    const argv = ["--grade", "number", "--dry-run", "--models", "our-model,gpt-5.4-mini"];
    const { stderr } = await run(argv);
    expect(stderr).toContain(
      "No price is known of our-model: --max-usd needs one. Give it in the setting `prices`.",
    );
    expect((await run(argv.with(4, "gpt-5.4-mini"))).stderr).not.toContain("--max-usd");
    expect((await run([...argv, "--max-usd", "1"])).failure).toContain("no price is known of our-model");
  });

  it("says how many answers that scored 0 contain their reference, and what to grade them by", async () => {
    const words = { id: "a", prompt: "Who answers?", reference: "sandbox" };
    writeFileSync(join(folder, "prompts.jsonl"), `${JSON.stringify(words)}\n`);
    const { stdout } = await run(["--grade", "exact"]);
    expect(stdout).toContain(
      "2 of 2 answers that scored 0 contain their reference: exact gives 0 to answers in sentences. " +
        "Consider --grade regex --pattern '/^(?:.*answer is )?(.+?)\\.?$/i'; with the same --out no model is asked again.\n",
    );
    expect((await run(["--grade", "regex"])).stdout).not.toContain("contain their reference");
  });

  it("prints the estimate alone with --dry-run", async () => {
    const { exitCode, stdout, stderr } = await run(["--grade", "number", "--dry-run"]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: "" });
    expect(stderr).toContain("4 questions are expected to cost");
    expect(readFileSync(join(folder, "out/journal.jsonl"), "utf8")).toBe("");
  });

  it("fails when something has no grade, and says where it is listed", async () => {
    const argv = ["--grade", "command", "--command", "exit 9"];
    const { exitCode, stdout, failure } = await run(argv);
    expect(exitCode).toBe(1);
    expect(stdout).toContain("gpt-5.4-mini: not_graded, 2 prompts such as a: the command ended with 9\n");
    expect(failure).toBe(
      `4 of the prompts and models have no grade, listed in ${join(folder, "out")}/failed.jsonl; ` +
        "run the same command to try them again",
    );
  });

  it.each<[string, string[], string, number]>([
    [
      "an option of another grader",
      ["--grade", "exact", "--pattern", "x"],
      "--pattern belongs to --grade regex",
      2,
    ],
    ["a command without one", ["--grade", "command"], '--grade command needs --command "python grade.py"', 2],
    ["a judge without one", ["--grade", "judge"], "--grade judge needs --judge MODEL", 2],
    [
      "a schema that is no JSON",
      ["--grade", "json-schema", "--schema", "schema.json"],
      "schema.json is not JSON",
      2,
    ],
    [
      "a file that is not there",
      ["--grade", "judge", "--judge", "gpt-5.5", "--rubric", "x"],
      "cannot be read",
      2,
    ],
    [
      "a number that is none",
      ["--grade", "exact", "--max-usd", "much"],
      '--max-usd is "much": it must be a number of at least 0.',
      2,
    ],
    ["a pattern that is none", ["--grade", "regex", "--pattern", "("], 'the pattern "(" cannot be used', 1],
    [
      "a temperature",
      ["--grade", "exact", "--temperature", "3"],
      "--temperature is 3: it must be a number from 0 to 2.",
      2,
    ],
    [
      "an unknown model",
      ["--grade", "exact", "--models", "gpt-9-mini"],
      "which the catalog does not know",
      1,
    ],
    ["a column", ["--grade", "exact", "--prompt-column", "text"], 'there is no column "text"', 1],
  ])("refuses %s", async (_, argv, message, code) => {
    const { failure, exitCode } = await run(argv);
    expect(failure).toContain(message);
    expect(exitCode).toBe(code);
  });

  it("grades each row in its own way, and those without one by --grade", async () => {
    const rows = [
      { id: "number", prompt: "2 + 2?", reference: "4", grade: "number" },
      { id: "pattern", prompt: "Say something.", grade: "regex", pattern: "/SANDBOX/i" },
      { id: "schema", prompt: "Give an object.", grade: "json-schema", schema: { type: "object" } },
      { id: "command", prompt: "Half?", grade: "command", category: "halves" },
      { id: "default", prompt: "3 + 3?", reference: "6" },
    ];
    writeFileSync(join(folder, "prompts.jsonl"), rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
    const command = `node -e 'process.stdin.on("data", (text) => console.log(JSON.parse(text).category === "halves" ? 0.5 : 0))'`;
    const { exitCode, failure } = await run(["--grade", "exact", "--command", command]);
    expect([exitCode, failure]).toEqual([0, ""]);
    const scores = outcomes().map((line) => JSON.parse(line));
    expect(
      scores.filter(({ model }) => model === "gpt-5.4-mini").map(({ id, score }) => [id, score]),
    ).toEqual([
      ["number", 0],
      ["pattern", 1],
      ["schema", 0],
      ["command", 0.5],
      ["default", 0],
    ]);
  });

  it("reads the ways to grade of a CSV table, where empty cells are those of --grade", async () => {
    const table = "id,prompt,reference,grade,pattern\na,Say it.,,regex,sandbox\nb,2 + 2?,4,,\n";
    writeFileSync(join(folder, "mixed.csv"), table);
    const { exitCode } = await run(["--prompts", "mixed.csv", "--grade", "number"]);
    expect(exitCode).toBe(0);
    expect(outcomes().map((line) => JSON.parse(line).score)).toEqual([1, 1, 0, 0]);
  });

  it.each([
    ["no way to grade it", {}, 'the prompt "a" has no `grade`; fill the column'],
    ["an unknown one", { grade: "A+" }, 'the prompt "a" has the `grade` "A+", not one of exact, number,'],
    [
      "a pattern that is not used",
      { grade: "number", pattern: "x" },
      "has a `pattern`, which --grade number",
    ],
    ["a schema that is no JSON", { grade: "json-schema", schema: "{" }, "the column `schema` is not JSON"],
  ])("refuses a row with %s", async (_, columns, message) => {
    const row = { id: "a", prompt: "2 + 2?", reference: "4", ...columns };
    writeFileSync(join(folder, "prompts.jsonl"), JSON.stringify(row));
    const { exitCode, failure } = await run([]);
    expect([exitCode, failure]).toEqual([2, expect.stringContaining(message)]);
  });

  it("succeeds although a small share of the answers has no verdict, and counts them", async () => {
    const rows = Array.from({ length: 30 }, (_, index) => ({ id: `p${index}`, prompt: `${index} + 2?` }));
    writeFileSync(join(folder, "prompts.jsonl"), rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
    const command = `grep -q '"id":"p7"' && echo "?" || echo 1`;
    const argv = ["--grade", "command", "--command", command];
    const strict = await run([...argv, "--max-ungraded", "3"]);
    expect([strict.exitCode, strict.failure]).toEqual([
      1,
      expect.stringContaining("2 of the prompts and models"),
    ]);
    const lenient = await run([...argv, "--max-ungraded", "4"]);
    expect(lenient.exitCode).toBe(0);
    expect(lenient.stdout).toContain("2 of 60 answers (3.3%) have no verdict and are no outcomes.");
    expect(readFileSync(join(folder, "out/failed.jsonl"), "utf8")).toContain('"not_graded"');
  });

  it("calls an unknown judge by its name", async () => {
    const { failure } = await run(["--grade", "judge", "--judge", "gpt-9-mini"]);
    expect(failure).toMatch(/^the judge cannot be asked: its model names "gpt-9-mini"/);
    const other = await run(["--grade", "number", "--models", "gpt-9-mini"]);
    expect(other.failure).toMatch(/^--models names "gpt-9-mini", which the catalog does not know/);
  });

  it("grades with the options of each grader", async () => {
    const graders = [
      ["--grade", "regex", "--pattern", "sandbox"],
      ["--grade", "number", "--tolerance", "0.1"],
      ["--grade", "command", "--command", "echo .5", "--command-timeout", "9"],
    ];
    const means = [];
    for (const argv of graders) {
      const { stdout } = await run([...argv, "--json"]);
      means.push(JSON.parse(stdout).models[0].mean_score);
    }
    // The last number of the sandbox's answer is in the name of the model, and is one of the two references.
    expect(means).toEqual([1, 0.5, 0.5]);
  });
});
