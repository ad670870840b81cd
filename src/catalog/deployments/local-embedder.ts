import { FREE } from "../prices/rates.js";
import type { Deployment } from "./deployment.js";

/**
 * Model and provider of the embeddings that are made in this process, by the embedder that routing uses. Always there, so
 * that no provider of the settings can have the name.
 */
export const LOCAL_EMBEDDER = "sextant";

export const LOCAL_DEPLOYMENT: Deployment = {
  model: LOCAL_EMBEDDER,
  provider: LOCAL_EMBEDDER,
  enabled: true,
  upstreamModel: LOCAL_EMBEDDER,
  api: "embeddings",
  price: FREE,
  contextTokens: null,
  parameters: {},
  refuses: [],
};
