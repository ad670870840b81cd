import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { type EmbeddingListBody, embeddingListSchema, embeddingRequestSchema } from "../../api/embeddings.js";
import { inferenceErrors } from "../../api/error.js";
import type { EmbeddingAnswer } from "../../inference/answers/answer.js";
import type { EncodedVector } from "../../providers/embeddings.js";
import type { ServerDependencies } from "../dependencies.js";
import { requestContext } from "../http/request-context.js";
import { embeddingRequest } from "./embedding-request.js";

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
        return reply.headers(answer.limitHeaders).send(embeddingList(answer, request.id));
      } catch (fault) {
        // After a disconnect there is nobody to send the error to.
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
