import { z } from "zod";
import { ImportError, type ImportedRow, type Importer, tokensOfText } from "../imported-row.js";
import { readJson } from "../sources/read-rows.js";

/** `result_dirs_parsed/<task>/<model>.json` */
const PARSED = /(?:^|\/)result_dirs_parsed\/([^/]+)\/([^/]+)\.json$/;
/** Tasks whose answers are judged right or wrong. */
const CATEGORIES: Readonly<Record<string, string>> = {
  gsm: "math",
  "math-l5": "math",
  crux: "code-reasoning",
  "numersense-v2": "commonsense",
  "mmlu-redux": "knowledge",
};

const item = z.object({
  id: z.union([z.string(), z.number()]),
  question: z.string().nullish(),
  chat_history: z.array(z.string()).nullish(),
  output: z.array(z.string()).nullish(),
  matched: z.union([z.boolean(), z.string()]),
});

/**
 * ZeroEval: what its evaluation wrote, a JSON list per task and model with `matched`: true, false, or a sentence when no
 * answer was found, which counts as wrong. Tasks that are not judged so (puzzles with partial marks) are passed over.
 */
export const importZeroEval: Importer = async function* (tree) {
  const paths = tree.paths.filter((path) => PARSED.exec(path)?.[1] !== undefined);
  if (paths.length === 0) {
    throw new ImportError(
      "There is no result_dirs_parsed/<task>/<model>.json in the source of ZeroEval. Run its evaluation (src/evaluation/) on result_dirs/ first.",
    );
  }
  for (const path of paths) {
    const [, task = "", model = ""] = PARSED.exec(path) ?? [];
    const category = CATEGORIES[task];
    if (category === undefined) continue;
    const items = z.array(item).safeParse(await readJson(tree, path));
    if (!items.success)
      throw new ImportError(
        `${path} is no list of judged answers: ${z.prettifyError(items.error).slice(0, 300)}`,
      );
    for (const each of items.data) {
      const row = rowOf(each, { task, category, model });
      if (row !== null) yield row;
    }
  }
};

function rowOf(
  each: z.infer<typeof item>,
  { task, category, model }: { readonly task: string; readonly category: string; readonly model: string },
): ImportedRow | null {
  const prompt = each.question ?? each.chat_history?.[0];
  if (prompt === undefined || prompt === null || prompt.trim() === "") return null;
  const answer = each.output?.[0];
  return {
    id: `${task}-${each.id}`,
    benchmark: task,
    category,
    prompt,
    model,
    score: each.matched === true ? 1 : 0,
    tokensOut: answer === undefined ? null : tokensOfText(answer),
  };
}
