import { existsSync } from "node:fs";
import type { Evaluated } from "../../compose/workbench.js";
import { meaningBody } from "../../engine/index.js";
import type { CostWeightMeaning } from "../../engine/router/cost-weight.js";
import { snakeCased } from "../../foundation/snake-case.js";
import type { Baseline, GateResult } from "../../workbench/evaluation/gate.js";
import type { DecisionLatency } from "../../workbench/evaluation/latency.js";
import {
  checkBaseline,
  DEFAULT_TOLERANCE,
  decodeBaseline,
  encodeBaseline,
  isSlower,
  judge,
  junitReport,
  measureLatency,
  sensitivityText,
} from "../../workbench/index.js";
import { flag, type OptionsOf, option } from "../command.js";
import { type CliContext, CommandFailure, writeLine } from "../context.js";
import { meaningText } from "../meaning-text.js";
import { EMBEDDER_OPTION, numberWithin, path } from "../options.js";
import { evaluationTables, verdict } from "./evaluation-text.js";
import { number, profileSubcommand, SET_OPTION } from "./explained.js";
import { evaluateWay, GRADED_OPTIONS, readTextFile, writeLeftOut, writeTextFile } from "./graded-options.js";

/** In quality: a gate that does not see a smaller loss is warned of. */
const ONE_POINT = 0.01;

/** Times that decisions which seem slower than the baseline's are timed again, in case something else slowed the machine. */
const MEASURED_AGAIN = 4;

const OPTIONS = {
  ...SET_OPTION,
  ...EMBEDDER_OPTION,
  ...GRADED_OPTIONS,
  costWeight: option("<weight>", "cost weight of the decisions, 0 to 1", number).default(0),
  table: flag("print every figure"),
  latency: flag(
    "also measure the latency of decisions; --gate then compares it, which needs an otherwise idle machine",
  ),
  save: option("<file>", "write the baseline for a later --gate", path),
  gate: option("<file>", "exit with 1 if quality or cost is worse than in this file", path),
  strict: option(
    "<points>",
    "fail unless the data excludes a loss of more than this many points of quality",
    numberWithin(0, 100),
  ),
  junit: option("<file>", "write the checks of --gate as JUnit XML", path),
  qualityTolerance: option(
    "<points>",
    "points of quality that --gate lets decisions lose, beyond noise",
    numberWithin(0, 100),
  ).default(100 * DEFAULT_TOLERANCE.quality),
  costTolerance: option(
    "<percent>",
    "percentage by which --gate lets costs rise, beyond noise",
    numberWithin(0, 1000),
  ).default(100 * DEFAULT_TOLERANCE.cost),
  latencyTolerance: option(
    "<percent>",
    "percentage by which --gate lets latency rise, beyond noise",
    numberWithin(0, 1000),
  ).default(100 * DEFAULT_TOLERANCE.latency),
};

type EvalOptions = OptionsOf<typeof OPTIONS>;

/** `sextant profile eval`: how good the decisions of a set are on prompts it has not seen, and whether they got worse. */
export const evalCommand = profileSubcommand("eval", {
  alias: "evaluate",
  about: "measure how good a set's decisions are on graded prompts it was not built with",
  options: OPTIONS,
  help: `
Nothing is built. Prompts that the set was built with are recognised and left out. Costs are those recorded with the answers
(cost_usd), or else their tokens at list prices. Intervals hold 95% of 1,000 bootstrap draws over the prompts.`,
  examples: [
    "sextant profile eval --set profiles/ours --prompts held-out.jsonl --outcomes graded.jsonl --cost-weight 0.3",
    "sextant profile eval --set profiles/ours --prompts held-out.jsonl --outcomes graded.jsonl --cost-weight 0.3 --save baseline.json",
    "sextant profile eval --set profiles/ours --prompts held-out.jsonl --outcomes graded.jsonl --cost-weight 0.3 --gate baseline.json --strict 20",
  ],
  run: runEval,
});

/** @throws CommandFailure that says how a baseline is made, without one */
async function readBaseline(file: string): Promise<string> {
  if (existsSync(file)) return readTextFile(file, "--gate");
  throw new CommandFailure(`--gate ${file}: there is no such file; write one with --save ${file}`, 2);
}

async function runEval(options: EvalOptions, context: CliContext): Promise<void> {
  // Before minutes of work.
  const baseline =
    options.gate === undefined ? undefined : decodeBaseline(await readBaseline(options.gate), options.gate);
  if (baseline === undefined) {
    const ofGate = options.junit !== undefined ? "--junit writes the checks of" : "--strict belongs to";
    if (options.junit !== undefined || options.strict !== undefined)
      throw new CommandFailure(`${ofGate} --gate; name a baseline with --gate, too`, 2);
  } else checkBaseline(baseline, options.costWeight);
  const asked = { ...options, candidates: options.json === true };
  await evaluateWay(options, asked, {
    context,
    use: async (evaluated, router) => {
      const { evaluation, graded } = evaluated;
      const texts = graded.prompts.map(({ text }) => text);
      const measure = () =>
        measureLatency(router, texts, {
          costWeight: evaluation.costWeight,
          models: graded.models,
          clock: () => performance.now(),
          signal: context.signal,
        });
      let latency = options.latency === true ? await measure() : null;
      const before = baseline?.latency ?? null;
      for (let again = 0; again < MEASURED_AGAIN && latency !== null && before !== null; again++) {
        if (!isSlower(before, latency, options.latencyTolerance / 100)) break;
        latency = await measure();
      }
      if (options.save !== undefined) {
        await writeTextFile(options.save, encodeBaseline({ ...evaluation, latency }), "--save");
      }
      const meaning = evaluation.costs === null ? null : router.meaningOf(evaluation.costWeight);
      await report(evaluated, { options, context, latency, baseline, meaning });
    },
  });
}

interface Reporting {
  readonly options: EvalOptions;
  readonly context: CliContext;
  readonly latency: DecisionLatency | null;
  readonly baseline: Baseline | undefined;
  /** Of the cost weight, on the prompts that the set measured it on. */
  readonly meaning: CostWeightMeaning | null;
}

async function report(
  { evaluation }: Evaluated,
  { options, context, latency, baseline, meaning }: Reporting,
): Promise<void> {
  const gate =
    baseline === undefined
      ? undefined
      : judge(
          evaluation,
          { baseline, latency: latency ?? undefined },
          {
            seed: options.seed,
            strict: options.strict === undefined ? undefined : options.strict / 100,
            tolerance: {
              quality: options.qualityTolerance / 100,
              cost: options.costTolerance / 100,
              latency: options.latencyTolerance / 100,
            },
          },
        );
  if (options.junit !== undefined && gate !== undefined) {
    await writeTextFile(options.junit, junitReport(gate, "sextant profile eval"), "--junit");
  }
  await writeLeftOut(evaluation, context);
  if (options.json) {
    const figures = {
      ...evaluation,
      meaning: meaningBody(meaning),
      latency,
      ...(gate === undefined ? {} : { gate }),
    };
    await writeLine(context.stdout, JSON.stringify(snakeCased(figures), null, 2));
  } else {
    await writeLine(context.stdout, verdict(evaluation));
    const meant = meaningText(meaning, evaluation.costWeight);
    if (meant !== null) await writeLine(context.stdout, `As the set expects: ${meant}`);
    if (options.table) {
      await writeLine(
        context.stdout,
        `\n${evaluationTables(evaluation, { output: context.stdout, latency })}`,
      );
    }
    for (const line of gateLines(gate)) await writeLine(context.stdout, line);
  }
  if (gate !== undefined && gate.sensitivity.detectableLoss > ONE_POINT) {
    const { detectableLoss } = gate.sensitivity;
    const seen = `${(100 * detectableLoss).toFixed(1)} points`;
    const text = `warning: --gate may pass a loss of less than ${seen}; --strict fails unless one is excluded`;
    await writeLine(context.stderr, `sextant: ${text}`);
  }
  if (gate?.passed === false) {
    const loss = gate.checks.every(({ figure, isWorse }) => figure === "loss" || isWorse !== true);
    throw new CommandFailure(
      loss
        ? "a larger loss than --strict accepts is not excluded: see the checks above"
        : "worse than the baseline: see the checks above, and --save to accept it",
    );
  }
}

function gateLines(gate: GateResult | undefined): string[] {
  if (gate === undefined) return [];
  const lines = gate.checks.map(({ figure, isWorse, message }) => {
    const fault = figure === "loss" ? "NOT EXCLUDED" : "WORSE";
    const outcome = isWorse === null ? "not compared" : isWorse ? fault : "ok";
    return `${figure}: ${outcome}. ${message}`;
  });
  return [...lines, sensitivityText(gate.sensitivity)];
}
