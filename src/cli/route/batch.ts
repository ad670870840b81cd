import { SingleBar } from "cli-progress";
import type { Decision, RouteRequest } from "../../engine/router/decision.js";
import type { Router } from "../../engine/router/router.js";
import { SextantError } from "../../foundation/errors.js";
import { type CliContext, CommandFailure, type Output, writeLine } from "../context.js";
import { type BatchInput, type BatchLine, openBatch } from "./batch-input.js";

/** Prompts embedded together: large enough for full speed, small enough to keep the output flowing. */
const CHUNK_LINES = 256;

export interface BatchOptions {
  readonly file: string;
  /** What all requests share: candidates, cost weight. */
  readonly request: Omit<RouteRequest, "messages">;
  readonly context: CliContext;
}

type GoodLine = Exclude<BatchLine, { readonly fault: string }>;

/**
 * Decides for every line of a file and writes one line of JSON for each, in order. Lines that cannot be decided are named
 * on standard error while the rest goes on.
 *
 * @throws CommandFailure at the end when there were such lines, or at once when the file cannot be read
 */
export async function routeBatch(router: Router, { file, request, context }: BatchOptions): Promise<void> {
  const input = openBatch(file, context.stdin);
  const progress = showProgress(context.stderr, input);
  const faults: string[] = [];
  let decided = 0;
  const flush = async (lines: readonly BatchLine[]) => {
    const good = lines.filter((line): line is GoodLine => !("fault" in line));
    const decisions = await decideAll(router, { lines: good, request });
    const answers: string[] = [];
    for (const line of lines) {
      const outcome = "fault" in line ? line.fault : (decisions.get(line) ?? "not decided");
      if (typeof outcome === "string") faults.push(`line ${line.number}: ${outcome}`);
      else if (!("fault" in line)) answers.push(JSON.stringify(answerOf(line.id, outcome)));
    }
    if (answers.length > 0) await writeLine(context.stdout, answers.join("\n"));
    decided += answers.length;
    progress.update(decided);
  };
  try {
    for await (const lines of chunks(input.lines)) {
      await flush(lines);
      if (context.signal.aborted) throw new CommandFailure("stopped before the end of the batch", 130);
    }
  } finally {
    progress.stop();
    for (const fault of faults) await writeLine(context.stderr, `sextant: ${fault}`);
  }
  if (faults.length > 0)
    throw new CommandFailure(`${faults.length} of ${decided + faults.length} lines were not decided`);
}

async function* chunks(lines: AsyncIterable<BatchLine>): AsyncGenerator<readonly BatchLine[]> {
  let chunk: BatchLine[] = [];
  for await (const line of lines) {
    chunk.push(line);
    if (chunk.length < CHUNK_LINES) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}

interface Work {
  readonly lines: readonly GoodLine[];
  readonly request: Omit<RouteRequest, "messages">;
}

/** Decision or fault by line. One request that cannot be decided makes its chunk go one by one. */
async function decideAll(
  router: Router,
  { lines, request }: Work,
): Promise<Map<GoodLine, Decision | string>> {
  const requests = lines.map(({ messages }) => ({ ...request, messages }));
  try {
    const decisions = await router.routeMany(requests);
    return new Map(lines.flatMap((line, index) => pair(line, decisions[index])));
  } catch (error) {
    if (!(error instanceof SextantError) || LASTING_FAULTS.has(error.code)) throw error;
  }
  const outcomes = new Map<GoodLine, Decision | string>();
  for (const line of lines) {
    try {
      outcomes.set(line, await router.route({ ...request, messages: line.messages }));
    } catch (error) {
      if (!(error instanceof SextantError)) throw error;
      outcomes.set(line, error.message);
    }
  }
  return outcomes;
}

const pair = (line: GoodLine, decision: Decision | undefined): [GoodLine, Decision][] =>
  decision === undefined ? [] : [[line, decision]];

/** Faults that every line would have. */
const LASTING_FAULTS: ReadonlySet<string> = new Set(["missing_profiles", "no_profiles_available"]);

function answerOf(id: string | number, decision: Decision) {
  return {
    id,
    selected_model: decision.selectedModel,
    selected_provider: decision.selectedProvider,
    expected_quality: decision.expectedQuality,
    expected_cost_usd: decision.expectedCostUsd,
    nearest_similarity: decision.nearestSimilarity,
    candidates: decision.candidates.map((candidate) => ({
      model: candidate.model,
      expected_quality: candidate.expectedQuality,
      quality_stderr: candidate.qualityStderr,
      expected_cost_usd: candidate.expectedCostUsd,
      expected_cost_p90_usd: candidate.highCostUsd,
      expected_answer_tokens: candidate.answerTokens.expected,
      expected_reasoning_tokens: candidate.answerTokens.reasoning,
      score: candidate.score,
    })),
  };
}

interface Progress {
  update(decided: number): void;
  stop(): void;
}

/** A bar on a terminal, nothing elsewhere. */
function showProgress(output: Output, { totalBytes, bytesRead }: BatchInput): Progress {
  if (output.isTTY !== true || totalBytes === null) return { update: () => {}, stop: () => {} };
  const bar = new SingleBar({
    stream: output,
    format: "{bar} {percentage}% | {decided} prompts | {duration_formatted}",
    hideCursor: true,
  });
  bar.start(totalBytes, 0, { decided: 0 });
  return { update: (decided) => bar.update(bytesRead(), { decided }), stop: () => bar.stop() };
}
