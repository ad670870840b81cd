import { EMBEDDING_REQUEST_FIELDS, type EmbeddingRequestBody } from "../../api/embeddings.js";
import type { EmbeddingRequest } from "../../inference/request.js";
import { AUTO } from "../chat/auto-choice.js";
import { commonOf, contradiction, forwardedFields } from "../chat/inference-request.js";
import { refuseMisspeltFields } from "../chat/misspelt.js";

/** Fields that are ours alone: no provider gets them. */
const OWN_FIELDS: ReadonlySet<string> = new Set(["model", "input", "provider", "fallbacks", "metadata"]);

/** Checked fields whose null says the same as leaving them out. */
const NULLABLE_FIELDS: ReadonlySet<string> = new Set(["encoding_format", "dimensions", "user"]);

const NO_ROUTING = "Embeddings are not routed: name the model.";
const MISPLACED = {
  messages: "Send the texts in `input`.",
  stream: "Embeddings come in one piece.",
  router: NO_ROUTING,
  models: NO_ROUTING,
  cost_weight: NO_ROUTING,
};

/** @throws SextantError `invalid_request` for `auto`, and for misspelt fields */
export function embeddingRequest(body: EmbeddingRequestBody): EmbeddingRequest {
  refuseMisspeltFields(body, { known: EMBEDDING_REQUEST_FIELDS, misplaced: MISPLACED });
  const { model, input, provider } = body;
  if (model === AUTO) {
    throw contradiction(
      "model",
      'is "auto", but vectors of different models cannot be compared, so that there is nothing to choose by. Name a model',
    );
  }
  const { fallbacks, metadata } = commonOf(body);
  return {
    choice: { type: "named", model, provider: provider ?? undefined },
    body: {
      ...forwardedFields(body, OWN_FIELDS, NULLABLE_FIELDS),
      input,
    },
    fallbacks,
    metadata,
  };
}
