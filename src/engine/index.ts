/** What decides: the embedded router's parts, as the other houses use them. Pure but for loading files. */

export { openCatalog } from "./catalog/catalog.js";
export { catalogFileInUse, shippedCatalogFile } from "./catalog/catalog-file.js";
export { checkedBaseUrl } from "./catalog/deployments/base-url.js";
export { LOCAL_DEPLOYMENT, LOCAL_EMBEDDER } from "./catalog/deployments/local-embedder.js";
export { knownModel, withoutMark } from "./catalog/deployments/model-names.js";
export { resolveProviders } from "./catalog/deployments/provider-entries.js";
export { servesAnother } from "./catalog/deployments/served-model.js";
export { levelOfThinking, thinkingGuess } from "./catalog/effort-dial.js";
export {
  deploymentsSchema,
  pricesSchema,
  providersSchema,
} from "./catalog/entries.js";
export { covariatesOf, describeByName, KNOWN_EFFORTS } from "./catalog/model-description.js";
export { listModels } from "./catalog/model-list.js";
export { catalogId } from "./catalog/models/dataset-names.js";
export { modelEntries } from "./catalog/models/models.js";
export { priceAtTier } from "./catalog/prices/service-tiers.js";
export { publicProvider } from "./catalog/providers/public-providers.js";
export { checkedCatalog, storeCatalog } from "./catalog/stored-catalog.js";
export { readPromptTexts } from "./embedding/read-prompt-texts.js";
export { isMultipleChoice } from "./estimation/answer-length-model.js";
export { basisOf } from "./estimation/basis.js";
export {
  costAt,
  decodeRatio,
  encodeRatio,
  middlePrice,
  REFERENCE_PRICE,
  usualAgentUsd,
} from "./estimation/bills.js";
export { DIFFICULTY_TIERS } from "./estimation/difficulty-model.js";
export { gatherEvidence } from "./estimation/evidence.js";
export { hiddenFactor, TYPICAL_ANSWER_TOKENS, visibleTokens } from "./estimation/expected-tokens.js";
export { assembleAnchorSet } from "./profiles/assemble.js";
export { billCodes, expectedVisible, tokensShown } from "./profiles/bill-codes.js";
export { checkProfile, ProfileFault } from "./profiles/check-profile.js";
export { describeSet } from "./profiles/describe-set.js";
export {
  checkEmbedder,
  findSets,
  loadProfileSet,
  loadProfileSets,
  ProfileSetError,
  readChecked,
  readManifest,
  readProfiles,
  readVectors,
  shapeOf,
} from "./profiles/load.js";
export {
  ABILITIES_FILE,
  ANCHORS_FILE,
  encodeManifest,
  FACTS_FILE,
  FORMAT_VERSION,
  HNSW_FILE,
  IVF_FILE,
  MANIFEST_FILE,
  MODELS_FOLDER,
  modelFile,
} from "./profiles/manifest.js";
export {
  decodeBill,
  decodeModelProfile,
  encodeBill,
  encodeModelProfile,
  isScored,
  scoresOf,
  UNKNOWN_BILL,
} from "./profiles/model-profile.js";
export { AnchorsByPrompt, promptKeys } from "./profiles/prompt-keys.js";
export {
  recommendedCostWeight,
  recommendedWeightOf,
  saveRecommendedWeight,
} from "./profiles/saved-weights.js";
export { targetProblem, writeSetFolder } from "./profiles/set-folder.js";
export { ratesAt } from "./router/candidate.js";
export { DEFAULT_COST_WEIGHT, tradeOffAt } from "./router/cost-weight.js";
export { decide } from "./router/decide.js";
export { EVERY_MODEL_AVAILABLE } from "./router/live-models.js";
export { ownText } from "./router/own-text.js";
export { isCacheWarm, tokensInCache } from "./router/prompt-cache-costs.js";
export { estimatePromptTokens, estimateTextTokens } from "./router/prompt-size.js";
export { meaningBody, routingBody, routingJson } from "./router/routing-body.js";
export { isTelling } from "./router/routing-text.js";
export { LEAST_CANDIDATES } from "./router/screening.js";
export { createSnapshot } from "./router/snapshot.js";
export { INDEX_KINDS, withoutAnchor } from "./search/anchor-index.js";
export { allocateAnchorVectors, decodeRow, quantise, quantiseRow } from "./search/anchor-vectors.js";
export { createExactIndex } from "./search/exact-index.js";
export { buildHnswGraph } from "./search/hnsw-index.js";
export { openHnswLibrary } from "./search/hnsw-library.js";
export { buildIvfLists } from "./search/ivf-build.js";
export { encodeIvfLists } from "./search/ivf-lists.js";
export { fastestKind, openAnchorIndex } from "./search/open-index.js";
export { SHIPPED_PROFILES } from "./shipped.js";
