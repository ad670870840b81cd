import type { CatalogSettings } from "./entries.js";
import { canonicalId } from "./models/canonical-id.js";
import { isEmbeddingName, modelEntries } from "./models/models.js";
import { listedIds } from "./prices/prices.js";
import { PUBLIC_PROVIDERS } from "./providers/public-providers.js";

/**
 * Listed ids that no endpoint here serves: sound, pictures, others, and those that stand for a family.
 */
const NOT_SERVED =
  /^(gemma-3n?|magistral-[a-z]+)$|-maas$|\.ft-|moderation|whisper|transcribe|tts|audio|realtime|voice|voxtral|image|video|omni|live|lyria|ocr|computer-use|deep-research|codex|instruct$|-pro$|^ft:|-ft-|:|^(ada|babbage|curie|davinci|text-)/;

const isServedHere = (id: string): boolean => isEmbeddingName(id) || !NOT_SERVED.test(id);

/**
 * Names to pick from: deployments, models of the settings, reviewed models, and what the makers among the public providers
 * list for chats and embeddings; sorted. Hosts list hundreds more, which are found by their names but would bury the others.
 */
export function wellKnownModels({
  providers,
  deployments,
}: Pick<CatalogSettings, "providers" | "deployments">): string[] {
  const makers = PUBLIC_PROVIDERS.filter(({ models }) => models === "listed");
  const listed = makers.flatMap(({ priceList, serves }) =>
    listedIds(priceList ?? "").filter(
      (id) => isServedHere(id) && serves?.test(id) !== false && canonicalId(id) === id,
    ),
  );
  const names = [
    ...deployments.map(({ name }) => name),
    ...providers.flatMap(({ models }) => models.map(({ id }) => id)),
    ...modelEntries().keys(),
    ...listed,
  ];
  return [...new Set(names)].sort();
}
