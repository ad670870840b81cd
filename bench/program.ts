import { writeFile } from "node:fs/promises";
import { Command } from "commander";
import { compareResults, renderComparison } from "./report/compare.js";
import { gate, renderGate } from "./report/gate.js";
import { readResult } from "./report/result-file.js";
import { BENCHMARKS, PROOFS, SUITES, type Suite, suiteArguments } from "./suites.js";

export interface BenchContext {
  readonly print: (text: string) => void;
  /** Runs a suite; the path of its result file. */
  readonly runSuite: (suite: Suite, args: readonly string[]) => Promise<string>;
  readonly fail: () => void;
}

/** The command line of the benchmarks. `fail` is called when a gate does not let a run pass. */
export function createProgram(context: BenchContext): Command {
  const program = new Command("npm run bench --")
    .description("Measures how fast and how good routing is.")
    .enablePositionalOptions();
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
    .requiredOption("--baseline <file>", "result file of the run to be no worse than")
    .option(
      "--result <file>",
      "result file of a run made before; default: a --small run of the baseline's suite, now",
    )
    .option("--update", "make that run the baseline instead of judging it")
    .action(async (options: GateArguments) => runGate(options, context));
}

interface GateArguments {
  readonly baseline: string;
  readonly result?: string;
  readonly update?: true;
}

async function runGate(options: GateArguments, context: BenchContext): Promise<void> {
  const { baseline, result, update } = options;
  const path = result ?? (await runLike(baseline, context));
  const after = await readResult(path);
  if (update) {
    // A gate looks at figures only.
    await writeFile(baseline, `${JSON.stringify({ ...after }, null, 1)}\n`);
    return context.print(`${baseline} is ${path} now.`);
  }
  const report = gate(await readResult(baseline), after);
  context.print(`${path} against ${baseline}\n${renderGate(report)}`);
  if (!report.passed) context.fail();
}

/** A small run of the suite that the baseline is of. */
async function runLike(baseline: string, { runSuite }: BenchContext): Promise<string> {
  const { suite: name } = await readResult(baseline);
  const suite = SUITES.find((known) => known.name === name);
  if (suite === undefined) throw new Error(`${baseline} is of the suite ${name}, which is not run any more.`);
  return runSuite(suite, suite.small);
}
