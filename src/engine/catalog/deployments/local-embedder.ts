import { FREE } from "../prices/charges.js";
import type { Deployment } from "./deployment.js";

/**
 * Model and provider id of embeddings by the embedder used for routing. Always present, so that no provider of the
 * settings may use the name.
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
