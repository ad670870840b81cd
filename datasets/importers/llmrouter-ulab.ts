import { amountOf, ImportError, type Importer, scoreOf } from "../imported-row.js";
import { readJsonLineRows } from "../sources/read-rows.js";

const ROUTING = /(?:^|\/)default_routing_(train|test)_data\.jsonl$/;

/**
 * LLMRouter: lines of `task_name`, `query`, `metric`, `model_name`, `performance` in [0, 1] and `embedding_id`, the number
 * of the query within its part. `token_num` counts prompt and answer together and is not used.
 */
export const importLlmRouterUlab: Importer = async function* (tree) {
  const paths = tree.paths.filter((path) => ROUTING.test(path));
  if (paths.length === 0) {
    throw new ImportError("There is no default_routing_train_data.jsonl in the source of LLMRouter.");
  }
  for (const path of paths) {
    const part = ROUTING.exec(path)?.[1] ?? "";
    for await (const values of readJsonLineRows(tree, path)) {
      yield {
        id: `llmrouter-${part}-${values.embedding_id}`,
        benchmark: String(values.task_name),
        category: String(values.metric ?? values.task_name),
        prompt: String(values.query),
        model: String(values.model_name),
        score: scoreOf(values.performance),
        tokensIn: amountOf(values.input_tokens),
        tokensOut: amountOf(values.output_tokens),
      };
    }
  }
};
