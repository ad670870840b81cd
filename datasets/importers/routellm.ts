import { type ImportedRow, type Importer, scoreOf, tokensOfText } from "../imported-row.js";
import { readCsvRows, readJsonLineRows } from "../sources/read-rows.js";
import type { SourceTree } from "../sources/source-tree.js";

const MMLU = /(?:^|\/)evals\/mmlu\/responses\/mmlu_(.+)\.csv$/;
const GSM8K = /(?:^|\/)evals\/gsm8k\/gsm8k_responses\.csv$/;
const QUESTIONS = /(?:^|\/)evals\/mt_bench\/question\.jsonl$/;
const JUDGEMENTS = /(?:^|\/)evals\/mt_bench\/judgements\.jsonl$/;
const CONTAMINATED = /(?:^|\/)evals\/[^/]+\/contaminated_prompts\.jsonl$/;
const BEST_MARK = 10;

/**
 * RouteLLM's evaluation data: tables of `prompt` and a True/False column per model for MMLU (a file per subject) and GSM8K
 * (with the answers beside them), and MT-Bench's questions with judges' marks out of 10, of which the first turn is routed.
 * Prompts its authors found in the judges' training data are left out, as in their figures.
 */
export const importRouteLlm: Importer = async function* (tree) {
  const contaminated = await contaminatedPrompts(tree);
  for await (const row of allRows(tree)) if (!contaminated.has(row.prompt)) yield row;
};

async function* allRows(tree: SourceTree): AsyncGenerator<ImportedRow> {
  for (const path of tree.paths) {
    const subject = MMLU.exec(path)?.[1];
    if (subject !== undefined) yield* tableRows(tree, path, { benchmark: "mmlu", category: subject });
    else if (GSM8K.test(path)) yield* tableRows(tree, path, { benchmark: "gsm8k", category: "math" });
  }
  yield* mtBenchRows(tree);
}

async function* tableRows(
  tree: SourceTree,
  path: string,
  { benchmark, category }: { readonly benchmark: string; readonly category: string },
): AsyncGenerator<ImportedRow> {
  let number = 0;
  for await (const values of readCsvRows(tree, path)) {
    const id = `${benchmark}-${category}-${number}`;
    number += 1;
    for (const model of Object.keys(values)) {
      if (model === "prompt" || model.endsWith("_response")) continue;
      const answer = values[`${model}_response`];
      yield {
        id,
        benchmark,
        category,
        prompt: String(values.prompt),
        model,
        score: scoreOf(values[model] === "True" ? true : values[model] === "False" ? false : null),
        tokensOut: typeof answer === "string" ? tokensOfText(answer) : null,
      };
    }
  }
}

async function* mtBenchRows(tree: SourceTree): AsyncGenerator<ImportedRow> {
  const questionsPath = tree.paths.find((path) => QUESTIONS.test(path));
  const judgementsPath = tree.paths.find((path) => JUDGEMENTS.test(path));
  if (questionsPath === undefined || judgementsPath === undefined) return;
  const questions = new Map<string, { readonly category: string; readonly prompt: string }>();
  for await (const values of readJsonLineRows(tree, questionsPath)) {
    const [first] = values.turns as readonly unknown[];
    questions.set(String(values.question_id), {
      category: String(values.category ?? "mt-bench"),
      prompt: String(first),
    });
  }
  for await (const values of readJsonLineRows(tree, judgementsPath)) {
    const number = String(values.question_id);
    const question = questions.get(number);
    // The second turn is another conversation by then: only the first one is what a router sees.
    if (question === undefined || values.turn === 2) continue;
    yield {
      id: `mt-bench-${number}`,
      benchmark: "mt-bench",
      ...question,
      model: String(values.model),
      score: scoreOf(Number(values.score) / BEST_MARK),
    };
  }
}

async function contaminatedPrompts(tree: SourceTree): Promise<Set<string>> {
  const prompts = new Set<string>();
  for (const path of tree.paths.filter((each) => CONTAMINATED.test(each))) {
    for await (const values of readJsonLineRows(tree, path)) prompts.add(String(values.eval_prompt));
  }
  return prompts;
}
