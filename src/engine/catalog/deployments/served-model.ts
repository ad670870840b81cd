import { ofCatalog } from "../catalog-file.js";
import { modelEntries } from "../models/models.js";
import type { Deployment } from "./deployment.js";
import { knownModel } from "./model-names.js";

type Asked = Pick<Deployment, "provider" | "model" | "upstreamModel">;

/** Answers by what was asked and served; cleared when full, so that a provider that invents names costs no memory. */
const judgedBy = ofCatalog(() => new Map<string, boolean>());
const MOST_JUDGED = 2000;

/**
 * Whether a reply's name of its model stands for another model than was asked for. Names of one model are: the name
 * asked for, the id, other names that the catalog knows, a dated snapshot of an undated name, and the same words in
 * another order or with a vendor's prefix. False where neither name asked for is known to the catalog: an operator's
 * own name may stand for any model; and where the reply has a single word without a figure, as servers write that do not
 * know what they run (`default`, `model`; a guess).
 *
 * Sources: `gpt-4o-mini-2024-07-18` for `gpt-4o-mini`, https://platform.openai.com/docs/api-reference/chat/object and
 * https://github.com/TensorOpsAI/LLMstudio/pull/106 (2024-06-27, Azure's too); OpenRouter's dated slugs,
 * `xiaomi/mimo-v2.5-20260422`, https://github.com/anomalyco/opencode/issues/45995 (2026-08-28); Bedrock's
 * `anthropic.claude-…-v1:0` and `us.` before it, a guess from memory of
 * https://docs.aws.amazon.com/bedrock/latest/userguide/models-supported.html; `-latest` for the newest of a family, a
 * guess for all.
 */
export function servesAnother(asked: Asked, served: string): boolean {
  const { provider, model, upstreamModel } = asked;
  if (served === upstreamModel || served === model) return false;
  const key = `${provider}\n${model}\n${upstreamModel}\n${served}`;
  const judged = judgedBy();
  const known = judged.get(key);
  if (known !== undefined) return known;
  const names = [upstreamModel, model];
  const isJudged = !/^[a-z]+$/i.test(served) && names.some((name) => isKnown(name, provider));
  const differs = isJudged && !names.some((name) => isSame(name, served, provider));
  if (judged.size >= MOST_JUDGED) judged.clear();
  judged.set(key, differs);
  return differs;
}

const isKnown = (name: string, provider: string): boolean => modelEntries().has(weightsOf(name, provider));

/**
 * Catalog id of the weights behind a name, with the provider's own names, those of the market, and without a maker
 * before it.
 */
function weightsOf(name: string, provider: string): string {
  const ids = [
    knownModel(name, provider),
    knownModel(name),
    knownModel(name.slice(name.lastIndexOf("/") + 1), provider),
  ];
  return (ids.find(({ entry }) => entry !== undefined) ?? ids[0])?.weights ?? name;
}

function isSame(asked: string, served: string, provider: string): boolean {
  if (weightsOf(asked, provider) === weightsOf(served, provider)) return true;
  const [left, right] = [wordsOf(asked), wordsOf(served)];
  if (left.date !== undefined && right.date !== undefined && left.date !== right.date) return false;
  return left.isLatest
    ? left.words.every((word) => right.words.includes(word))
    : left.words.join(" ") === right.words.join(" ");
}

/** Before a maker's name: Bedrock's regions and makers. */
const BEFORE =
  /^(?:(?:us|eu|apac|jp|au|ca|global)\.)?(?:anthropic|amazon|meta|mistral|deepseek|openai|qwen|cohere|ai21)\./;
/** After a name: Bedrock's version, OpenRouter's variant (`:free`), an effort (`:high`), Vertex's `@default`. */
const AFTER = /(?:-v\d+)?(?::[a-z0-9-]+)?(?:@(?:default|latest))?$/;
/** `-20250929`, `@20250929`, `-2024-07-18`, `-0709`, `-2507`. */
const SNAPSHOT = /[-@](\d{8}|\d{4}-\d{2}-\d{2}|\d{4})$/;

function wordsOf(name: string): {
  readonly words: readonly string[];
  readonly date: string | undefined;
  readonly isLatest: boolean;
} {
  const plain = name
    .toLowerCase()
    .slice(name.lastIndexOf("/") + 1)
    .replace(BEFORE, "")
    .replace(AFTER, "");
  const date = SNAPSHOT.exec(plain)?.[1]?.replaceAll("-", "");
  const words = plain.replace(SNAPSHOT, "").split(/[^a-z0-9]+/);
  return {
    words: words.filter((word) => word !== "" && word !== "latest").sort(),
    date,
    isLatest: words.includes("latest"),
  };
}
