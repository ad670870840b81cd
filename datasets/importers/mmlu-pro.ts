import { z } from "zod";
import { ImportError, type ImportedRow, type Importer, tokensOfText } from "../imported-row.js";
import { readJson } from "../sources/read-rows.js";
import { openZip } from "../sources/zip.js";

const ANSWERS = /(?:^|\/)eval_results\/model_outputs_(.+)_5shots\.(zip|json)$/;
const LETTERS = "ABCDEFGHIJ";

const entry = z.object({
  question_id: z.union([z.number(), z.string()]),
  question: z.string(),
  options: z.array(z.string()),
  answer: z.string(),
  category: z.string(),
  pred: z.string().nullish(),
  model_outputs: z.string().nullish(),
});

/**
 * MMLU-Pro: `eval_results/model_outputs_<model>_5shots.zip`, each a JSON list of questions with ten options, the right
 * letter and the model's answer. The letter chosen is `pred`, or is read from the answer; none is wrong, where the
 * authors' own script guesses.
 */
export const importMmluPro: Importer = async function* (tree) {
  const paths = tree.paths.filter((path) => ANSWERS.test(path));
  if (paths.length === 0) {
    throw new ImportError(
      "There is no eval_results/model_outputs_<model>_5shots.zip in the source of MMLU-Pro.",
    );
  }
  for (const path of paths) {
    const model = ANSWERS.exec(path)?.[1] ?? "";
    const inner = path.endsWith(".zip") ? openZip(await tree.read(path)) : tree;
    const lists = path.endsWith(".zip") ? inner.paths.filter((each) => each.endsWith(".json")) : [path];
    for (const list of lists) {
      const entries = z.array(entry).safeParse(await readJson(inner, list));
      if (!entries.success)
        throw new ImportError(
          `${path} is not a list of MMLU-Pro answers: ${z.prettifyError(entries.error).slice(0, 300)}`,
        );
      for (const each of entries.data) yield rowOf(each, model);
    }
  }
};

function rowOf(each: z.infer<typeof entry>, model: string): ImportedRow {
  const { question_id, question, options, answer, category, pred, model_outputs } = each;
  const lines = options.map((option, number) => `${LETTERS[number]}. ${option}`);
  const chosen = pred ?? chosenLetter(model_outputs ?? "");
  return {
    id: `mmlupro-${question_id}`,
    benchmark: "mmlu-pro",
    category,
    model,
    prompt: `${question}\n\nOptions:\n${lines.join("\n")}`,
    score: chosen === answer ? 1 : 0,
    tokensOut: model_outputs === null || model_outputs === undefined ? null : tokensOfText(model_outputs),
  };
}

/** "… the answer is (C)", else "Answer: C", else the last letter that stands alone. */
export function chosenLetter(text: string): string | null {
  return (
    /answer is \(?([A-J])\)?/.exec(text)?.[1] ??
    /[aA]nswer:\s*\(?([A-J])/.exec(text)?.[1] ??
    text.match(/\b[A-J]\b/g)?.at(-1) ??
    null
  );
}
