import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { inferenceErrors } from "../../api/error.js";
import type { ServerDependencies } from "../../dependencies.js";
import { requestContext } from "../../http/request-context.js";
import { sendWhole } from "../../http/send-whole.js";
import type { EncodedVector } from "../../providers/embeddings.js";
import type { EmbeddingAnswer } from "../../run/inference.js";
import type { EmbeddingRequest } from "../../run/request.js";
import { AUTO } from "../chat/auto-choice.js";
import { commonOf, contradiction, forwardedFields } from "../chat/inference-request.js";
import { refuseMisspeltFields } from "../chat/misspelt.js";
import {
  EMBEDDING_REQUEST_FIELDS,
  type EmbeddingListBody,
  type EmbeddingRequestBody,
  embeddingListSchema,
  embeddingRequestSchema,
} from "./schema.js";

/** `POST /v1/embeddings`: OpenAI's, for every embedding model that is configured, and for the local embedder. */
export function addEmbeddingsRoute(
  app: FastifyInstance,
  { inference }: Pick<ServerDependencies, "inference">,
): void {
  app.withTypeProvider<ZodTypeProvider>().route({
    method: "POST",
    url: "/v1/embeddings",
    config: { scope: "inference" },
    schema: {
      operationId: "createEmbedding",
      summary: "Make embeddings of texts",
      tags: ["inference"],
      body: embeddingRequestSchema,
      response: { 200: embeddingListSchema, ...inferenceErrors },
    },
    handler: async (request, reply) => {
      const asked = embeddingRequest(request.body);
      reply.server.admission.startRun(reply.raw);
      try {
        const answer = await inference.embed(asked, requestContext(request, reply));
        await sendWhole(reply.headers(answer.limitHeaders), embeddingList(answer, request.id));
        return reply;
      } catch (fault) {
        // After a disconnect the error has no recipient.
        if (!reply.raw.destroyed) throw fault;
        return reply.hijack();
      }
    },
  });
}

const embeddingList = (
  { vectors, model, provider, usage }: EmbeddingAnswer,
  requestId: string,
): EmbeddingListBody => ({
  object: "list",
  data: vectors.map((vector, index) => ({ object: "embedding", index, embedding: sent(vector) })),
  model,
  provider,
  usage,
  request_id: requestId,
});

/** The contract's type is not readonly; nothing changes the list. */
const sent = (vector: EncodedVector): string | number[] =>
  typeof vector === "string" ? vector : (vector as number[]);

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
function embeddingRequest(body: EmbeddingRequestBody): EmbeddingRequest {
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
