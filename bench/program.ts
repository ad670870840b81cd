import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Command, InvalidArgumentError } from "commander";
import { compareResults, renderComparison } from "./report/compare.js";
import { type GateReport, gate, renderGate } from "./report/gate.js";
import { goalText } from "./report/markdown.js";
import { renderPage } from "./report/page/render-page.js";
import type { BenchmarkResult } from "./report/result.js";
import { RESULTS_FOLDER, readResult } from "./report/result-file.js";
import { resultFiles } from "./run-suite.js";
import { BENCHMARKS, PROOFS, SUITES, type Suite, suiteArguments } from "./suites.js";

export interface BenchContext {
  readonly print: (text: string) => void;
  /** Runs a suite; the path of its result file. */
  readonly runSuite: (suite: Suite, args: readonly string[]) => Promise<string>;
  /** Where results lie and the page goes. */
  readonly resultsFolder: string;
  readonly fail: () => void;
}

const PAGE = join(RESULTS_FOLDER, "report.html");

/** The command line of the benchmarks. `fail` is called when a gate does not let a run pass. */
export function createProgram(context: BenchContext): Command {
  const program = new Command("npm run bench --")
    .description(
      "Measures how fast and how good routing is. Without a command: all suites, small, and one page of them.",
    )
    .enablePositionalOptions()
    .action(() => runAll(context));
  addSuites(program, { suites: BENCHMARKS, context });
  addReading(program, context);
  return program;
}

/** The command line of the proofs: each leaves a result file as a benchmark does, which the benchmarks' commands read. */
export function createProofProgram(context: Pick<BenchContext, "runSuite">): Command {
  const program = new Command("npm run proof --")
    .description("Runs one of the proofs, which take minutes to hours.")
    .enablePositionalOptions();
  addSuites(program, { suites: PROOFS, context });
  return program;
}

function addSuites(
  program: Command,
  { suites, context }: { suites: readonly Suite[]; context: Pick<BenchContext, "runSuite"> },
): void {
  for (const suite of suites) {
    program
      .command(suite.name)
      .description(`${suite.question} --small for a small run, --help for its options`)
      .argument("[options...]")
      .helpOption(false)
      .allowUnknownOption()
      .passThroughOptions()
      .action(async (args: readonly string[]) => {
        if (args.includes("--help")) return void (await context.runSuite(suite, ["--help"]).catch(() => ""));
        await context.runSuite(suite, suiteArguments(suite, args));
      });
  }
}

function addReading(program: Command, context: BenchContext): void {
  program
    .command("report")
    .description("One HTML page with plots, of result files; of each suite's newest when none is named")
    .argument("[files...]")
    .option("-o, --out <file>", "where the page goes", PAGE)
    .action(async (files: readonly string[], { out }: { out: string }) => {
      const paths = files.length > 0 ? files : await newestFiles(context.resultsFolder);
      if (paths.length === 0)
        throw new Error(`There is no result in ${context.resultsFolder}. Run a suite first.`);
      await writePage(await Promise.all(paths.map(readResult)), out);
      context.print(`The page is ${out}`);
    });
  program
    .command("compare")
    .description("Two runs of one suite beside each other")
    .argument("<before>", "result file")
    .argument("<after>", "result file")
    .action(async (before: string, after: string) => {
      context.print(renderComparison(compareResults(await readResult(before), await readResult(after))));
    });
  program
    .command("gate")
    .description("Exit status 1 when a run is worse than the baseline beyond noise; for CI")
    .requiredOption(
      "--baseline <files...>",
      "result file of the run to be no worse than; of several, made on different machines, the one by which most can be judged",
    )
    .option(
      "--result <file>",
      "result file of a run made before; default: a --small run of the baseline's suite, now",
    )
    .option("--update", "make that run the baseline instead of judging it")
    .option(
      "--ratio-tolerance <share>",
      "how much slower against its reference is let pass, such as 0.15",
      parseShare,
    )
    .action(async (options: GateArguments) => runGate(options, context));
}

interface GateArguments {
  readonly baseline: readonly string[];
  readonly result?: string;
  readonly update?: true;
  readonly ratioTolerance?: number;
}

async function runGate(options: GateArguments, context: BenchContext): Promise<void> {
  const { baseline: baselines, result, update, ratioTolerance } = options;
  const [first = "", ...others] = baselines;
  if (update && others.length > 0) throw new Error("--update replaces one baseline: name no other.");
  const path = result ?? (await runLike(first, context));
  const after = await readResult(path);
  if (update) {
    // A gate looks at figures only.
    await writeFile(first, `${JSON.stringify({ ...after, charts: [] }, null, 1)}\n`);
    return context.print(`${first} is ${path} now.`);
  }
  const reports = await Promise.all(
    baselines.map(async (baseline) => ({
      baseline,
      report: gate(await readResult(baseline), after, { ratioTolerance }),
    })),
  );
  const { baseline, report } = reports.reduce((best, other) =>
    unjudged(other.report) < unjudged(best.report) ? other : best,
  );
  context.print(`${path} against ${baseline}\n${renderGate(report)}`);
  if (!report.passed) context.fail();
}

const unjudged = ({ judgements }: GateReport): number =>
  judgements.filter(({ verdict }) => verdict === "not judged").length;

/** A small run of the suite that the baseline is of. */
async function runLike(baseline: string, { runSuite }: BenchContext): Promise<string> {
  const { suite: name } = await readResult(baseline);
  const suite = SUITES.find((known) => known.name === name);
  if (suite === undefined) throw new Error(`${baseline} is of the suite ${name}, which is not run any more.`);
  return runSuite(suite, suite.small);
}

async function runAll(context: BenchContext): Promise<void> {
  const suites = SUITES.filter(({ ofAll }) => ofAll);
  const results: BenchmarkResult[] = [];
  const failures: string[] = [];
  for (const [index, suite] of suites.entries()) {
    context.print(`\n[${index + 1} of ${suites.length}] ${suite.name}: ${suite.question}`);
    try {
      results.push(await readResult(await context.runSuite(suite, suite.small)));
    } catch (error) {
      // The others are still worth having.
      failures.push(`${suite.name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  const page = join(context.resultsFolder, "report.html");
  await writePage(results, page);
  context.print(`\n${goalLines(results).join("\n")}\n\nThe page is ${page}`);
  for (const failure of failures) context.print(`FAILED ${failure}`);
  if (failures.length > 0) context.fail();
}

function goalLines(results: readonly BenchmarkResult[]): string[] {
  return results.flatMap(({ suite, figures }) =>
    figures
      .filter(({ goal }) => goal !== undefined)
      .map(
        (figure) => `${suite}: ${figure.label}: ${figure.value?.toPrecision(4) ?? "–"} (${goalText(figure)})`,
      ),
  );
}

async function writePage(results: readonly BenchmarkResult[], path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, renderPage(results));
}

async function newestFiles(folder: string): Promise<string[]> {
  const newest = await Promise.all(SUITES.map(async (suite) => (await resultFiles(suite, folder)).at(-1)));
  return newest.flatMap((name) => (name === undefined ? [] : [join(folder, name)]));
}

function parseShare(text: string): number {
  const share = Number(text);
  if (text.trim() !== "" && share >= 0 && share < 10) return share;
  throw new InvalidArgumentError("Give a share from 0 on, such as 0.15.");
}
