import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { WorkerCounter } from "../../../src/gateway/token-counting/worker-counter.js";
import { FakeRouter } from "../../fakes/router.js";
import { folderForTest } from "../../support/folders.js";
import { jsonLines, type Row, rowsOf, sextant } from "./sample-commands.js";

/** Control characters but line ends and tabs, and marks that turn the direction of writing. */
const ESCAPES = /[^\P{Cc}\n\t]|[\u202a-\u202e]/u;
const MODELS = "gpt-5.4-mini,claude-haiku-4-5";

/** A thread that reads a vocabulary would be started for each run, which would wait for it. */
beforeAll(() => {
  vi.spyOn(WorkerCounter.prototype, "count").mockResolvedValue(7);
});
afterAll(() => vi.restoreAllMocks());

let folder: string;
beforeEach(() => {
  folder = folderForTest();
  givePrompts({ id: "a", prompt: "2 + 2?", reference: "4" }, { id: "b", prompt: "3 + 3?", reference: "6" });
  writeFileSync(join(folder, "schema.json"), "{");
});

const givePrompts = (...rows: readonly object[]) =>
  writeFileSync(join(folder, "prompts.jsonl"), jsonLines(rows));

interface Given {
  readonly isTTY?: boolean;
  readonly stdin?: string;
  readonly command?: string;
}

const collect = (line: string, { command, ...given }: Given = {}) =>
  sextant(folder, `profile collect --prompts prompts.jsonl --models ${MODELS} --out out ${line}`, {
    router: new FakeRouter(),
    environment: { SEXTANT_SANDBOX: "true" },
    more: command === undefined ? [] : ["--command", command],
    ...given,
  });

const outcomes = (): Row[] => rowsOf(join(folder, "out/outcomes.jsonl"));

describe("sextant profile collect", () => {
  it("prints the estimate and its progress on standard error, and the means on standard output", async () => {
    const { stdout, stderr, exitCode } = await collect("--grade number");
    expect(exitCode).toBe(0);
    expect(stderr).toContain("4 questions are expected to cost $0.00");
    expect(stderr).toContain("Asking models …\n");
    expect(stderr).toContain("  4 of 4, $0.00\n");
    expect(stdout).toMatch(/^model +graded +mean score/);
    expect(stdout).toMatch(/^gpt-5\.4-mini +2 of 2 +0\.000 /m);
    expect(stdout).toContain("Spent $0.00.\n");
    expect(outcomes()).toHaveLength(4);
  });

  it("prints what a grader and prompts' ids hold without escapes of terminals", async () => {
    givePrompts({ id: "a\u001b[31m\u202e", prompt: "2 + 2?", reference: "4" });
    const command = `printf '\\033]0;owned\\007\\342\\200\\256' >&2; exit 9`;
    const { stdout, stderr } = await collect("--grade command --yes", { isTTY: true, command });
    expect(stdout).toContain("ended with 9: \\u001b]0;owned\\u0007\\u202e");
    expect(stdout).toContain("a\\u001b[31m\\u202e");
    expect(stdout).not.toMatch(ESCAPES);
    for (const mark of ["\u202e", "\u0007", "\u001b]"]) expect(stderr).not.toContain(mark);
  });

  it("prints JSON", async () => {
    const { stdout } = await collect("--grade number --json");
    const models = [{ model: "gpt-5.4-mini", graded: 2, mean_score: 0 }, { model: "claude-haiku-4-5" }];
    const ended = { ending: "finished", folder: join(folder, "out"), prompts: 2, models };
    const nothing = { failed: [], gave_up: [], spent_usd: 0, lost: { calls: 0, usd: 0 } };
    expect(JSON.parse(stdout)).toMatchObject({ ...ended, ...nothing });
  });

  it("asks for a confirmation on a terminal unless there is --yes, and draws a bar", async () => {
    const confirmed = await collect("--grade number", { isTTY: true, stdin: "y\n" });
    expect(confirmed.exitCode).toBe(0);
    expect(confirmed.stderr).toContain("Ask them? [y/N] ");
    expect(confirmed.stderr).toContain("100%, 4 of 4, $0.00");
    const unasked = await collect("--grade number --yes", { isTTY: true });
    expect(unasked.exitCode).toBe(0);
    expect(unasked.stderr).not.toContain("Ask them?");
  });

  it.each(["", "no\n"])("asks nothing when %j is typed", async (stdin) => {
    const { exitCode, stderr } = await collect("--grade number", { isTTY: true, stdin });
    expect(exitCode).toBe(1);
    expect(stderr).toContain("sextant: nothing was asked; confirm with y or --yes\n");
    expect(existsSync(join(folder, "out/outcomes.jsonl"))).toBe(false);
  });

  it("with --dry-run prints the estimate alone, and that --max-usd needs prices where none are known", async () => {
    const lab = { id: "lab", type: "openai-compatible", base_url: "http://127.0.0.1:9/v1" };
    const providers = [{ ...lab, models: [{ id: "our-model" }] }];
    writeFileSync(join(folder, "sextant.config.json"), JSON.stringify({ providers }));
    const known = await collect("--grade number --dry-run");
    expect(known).toMatchObject({ exitCode: 0, stdout: "" });
    expect(known.stderr).toContain("4 questions are expected to cost");
    expect(known.stderr).not.toContain("--max-usd");
    expect(readFileSync(join(folder, "out/journal.jsonl"), "utf8")).toBe("");
    const line = "--grade number --dry-run --models our-model,gpt-5.4-mini";
    expect((await collect(line)).stderr).toContain(
      "No price is known of our-model: --max-usd needs one. Give it in the setting `prices`.",
    );
    expect((await collect(`${line} --max-usd 1`)).stderr).toContain("no price is known of our-model");
  });

  it("says how many answers that scored 0 contain their reference, and what to grade them by", async () => {
    givePrompts({ id: "a", prompt: "Who answers?", reference: "sandbox" });
    expect((await collect("--grade exact")).stdout).toContain(
      "2 of 2 answers that scored 0 contain their reference: exact gives 0 to answers in sentences. Consider --grade regex",
    );
    expect((await collect("--grade regex")).stdout).not.toContain("contain their reference");
  });

  it("fails when something has no grade, and says where it is listed", async () => {
    const { exitCode, stdout, stderr } = await collect("--grade command", { command: "exit 9" });
    expect(exitCode).toBe(1);
    expect(stdout).toContain("gpt-5.4-mini: not_graded, 2 prompts such as a: the command ended with 9\n");
    const listed = `4 of the prompts and models have no grade, listed in ${join(folder, "out")}/failed.jsonl;`;
    expect(stderr).toContain(listed);
  });

  it("succeeds although a small share of the answers has no verdict, and counts them", async () => {
    const line = `--models gpt-5.4-mini --grade command`;
    const command = `grep -q '"id":"b"' && echo "?" || echo 1`;
    const strict = await collect(`${line} --max-ungraded 49`, { command });
    expect(strict.exitCode).toBe(1);
    expect(strict.stderr).toContain("1 of the prompts and models have no grade");
    const lenient = await collect(`${line} --max-ungraded 50`, { command });
    expect(lenient.exitCode).toBe(0);
    expect(lenient.stdout).toContain("1 of 2 answers (50.0%) have no verdict and are no outcomes.");
    expect(readFileSync(join(folder, "out/failed.jsonl"), "utf8")).toContain('"not_graded"');
  });

  it.each<[string, string, number]>([
    ["--grade exact --pattern x", "--pattern belongs to --grade regex", 2],
    ["--grade command", '--grade command needs --command "python grade.py"', 2],
    ["--grade judge", "--grade judge needs --judge MODEL", 2],
    ["--grade json-schema --schema schema.json", "schema.json is not JSON", 2],
    ["--grade judge --judge gpt-5.5 --rubric nowhere.txt", "cannot be read", 2],
    ["--grade exact --max-usd much", '--max-usd is "much": it must be a number of at least 0.', 2],
    ["--grade regex --pattern (", 'the pattern "(" cannot be used', 1],
    ["--grade exact --temperature 3", "--temperature is 3: it must be a number from 0 to 2.", 2],
    ["--grade exact --models gpt-9-mini", '--models names "gpt-9-mini", which the catalog does not know', 1],
    ["--grade judge --judge gpt-9-mini", 'the judge cannot be asked: its model names "gpt-9-mini"', 1],
    ["--grade exact --prompt-column text", 'there is no column "text"', 1],
  ])("refuses %s", async (line, message, code) => {
    const { stderr, exitCode } = await collect(line);
    expect(stderr).toContain(message);
    expect(exitCode).toBe(code);
  });

  it("grades each row in its own way, and those without one by --grade", async () => {
    givePrompts(
      { id: "number", prompt: "2 + 2?", reference: "4", grade: "number" },
      { id: "pattern", prompt: "Say something.", grade: "regex", pattern: "/SANDBOX/i" },
      { id: "schema", prompt: "Give an object.", grade: "json-schema", schema: { type: "object" } },
      { id: "command", prompt: "Half?", grade: "command", category: "halves" },
      { id: "default", prompt: "3 + 3?", reference: "6" },
    );
    const command = `grep -q '"category":"halves"' && echo .5 || echo 0`;
    const { exitCode } = await collect("--models gpt-5.4-mini --grade exact", { command });
    expect(exitCode).toBe(0);
    expect(Object.fromEntries(outcomes().map(({ id, score }) => [id, score]))).toEqual({
      number: 0,
      pattern: 1,
      schema: 0,
      command: 0.5,
      default: 0,
    });
  });

  it("warns of rows that a judge grades on another scale, unless as good as the reference is right there", async () => {
    givePrompts(
      { id: "number", prompt: "2 + 2?", reference: "4", grade: "number" },
      { id: "judged", prompt: "Say something.", reference: "Hello.", grade: "judge" },
    );
    const line = "--models gpt-5.4-mini --judge gpt-5.5 --max-ungraded 100";
    const warning = "Scores of different scales are in one table";
    const mixed = await collect(line);
    const { stdout } = await collect(`${line} --judge-scale reference`);
    expect([mixed.stderr, mixed.stdout, stdout]).toEqual([
      expect.any(String),
      expect.stringContaining(warning),
      expect.not.stringContaining(warning),
    ]);
  });

  it("reads the ways to grade of a CSV table, where empty cells are those of --grade", async () => {
    const table = "id,prompt,reference,grade,pattern\na,Say it.,,regex,sandbox\nb,2 + 2?,4,,\n";
    writeFileSync(join(folder, "mixed.csv"), table);
    expect((await collect("--prompts mixed.csv --grade number")).exitCode).toBe(0);
    expect(outcomes().map(({ score }) => score)).toEqual([1, 1, 0, 0]);
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
    givePrompts({ id: "a", prompt: "2 + 2?", reference: "4", ...columns });
    const { exitCode, stderr } = await collect("");
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(message)]);
  });

  // The last number of the sandbox's answer is in the name of the model, and is one of the two references.
  it.each([
    ["regex --pattern sandbox", undefined, 1],
    ["number --tolerance 0.1", undefined, 0.5],
    ["command --command-timeout 600", "echo .5", 0.5],
  ])("grades with the options of --grade %s", async (grade, command, mean) => {
    const { stdout } = await collect(`--json --grade ${grade}`, command === undefined ? {} : { command });
    expect(JSON.parse(stdout).models[0].mean_score).toBe(mean);
  });
});
