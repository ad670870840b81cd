import { z } from "zod";
import { ImportError, type Importer, scoreOf, tokensOfText } from "../imported-row.js";
import { readJson } from "../sources/read-rows.js";

const EVALUATIONS = /(?:^|\/)eval\/harness\/(?:.*\/)?detailed_evaluations[^/]*\.json$/;

const answer = z.object({
  total_score: z.number(),
  original_question: z.string(),
  original_response: z.string().nullish(),
});
const evaluations = z.record(z.string(), z.record(z.string(), z.array(answer)));

/** MisguidedAttention: files of prompt id → model → several answers with the mean of a rubric in [0, 1], one row each. */
export const importMisguidedAttention: Importer = async function* (tree) {
  const paths = tree.paths.filter((path) => EVALUATIONS.test(path));
  if (paths.length === 0) {
    throw new ImportError(
      "There is no eval/harness/…/detailed_evaluations….json in the source of MisguidedAttention.",
    );
  }
  for (const path of paths) {
    const parsed = evaluations.safeParse(await readJson(tree, path));
    if (!parsed.success)
      throw new ImportError(`${path} holds no evaluations: ${z.prettifyError(parsed.error).slice(0, 300)}`);
    for (const [promptId, byModel] of Object.entries(parsed.data)) {
      for (const [model, answers] of Object.entries(byModel)) {
        for (const { total_score, original_question, original_response } of answers) {
          yield {
            id: `ma-${promptId}`,
            benchmark: "misguided_attention",
            category: "reasoning-trap",
            prompt: original_question,
            model,
            score: scoreOf(total_score),
            tokensOut: typeof original_response === "string" ? tokensOfText(original_response) : null,
          };
        }
      }
    }
  }
};
