/**
 * Names of models and efforts, a JSON array `[name, effort]` a line, to what the catalog says of them, a JSON object a
 * line: `lengths.py` reads its tables by the ids and the default efforts that decisions use.
 */
import { createInterface } from "node:readline";
import { describeModel } from "../src/catalog/describe-model.js";
import { catalogId } from "../src/catalog/models/dataset-names.js";

const unpriced = () => ({
  provider: null,
  price: null,
  contextTokens: null,
  capabilities: { images: null, tools: null },
});

for await (const line of createInterface({ input: process.stdin })) {
  const [name = "", effort = ""] = JSON.parse(line) as string[];
  const id = catalogId(name, effort === "" ? null : effort, {});
  const { base, family, thinking } = describeModel(id, unpriced);
  process.stdout.write(`${JSON.stringify({ id, base, family, thinking })}\n`);
}
