/** Embeddings in OpenAI's form: the body that is sent, and the reply. */
import { forEachCooperatively } from "../../../foundation/cooperative-batches.js";
import { isJsonObject, type JsonObject } from "../chat.js";
import { type EncodedVector, inputsOf, recodeVector } from "../embeddings.js";
import { invalidReply, readReplyObject } from "../http/read-reply.js";
import type { EmbeddingCall, EmbeddingReply } from "../provider.js";
import { countsWithin } from "../token-usage.js";
import { nameFields, type Quirks } from "./quirks.js";
import { usageOf } from "./usage.js";

/** The body to send. Fields without a quirk go as they came. */
export function embeddingRequestBody(
  { upstreamModel: model, body }: EmbeddingCall,
  quirks: Quirks,
): JsonObject {
  const sent: Record<string, unknown> = { ...body, model };
  nameFields(sent, quirks);
  return sent;
}

/**
 * The body of a successful reply. Servers that know only one encoding send it whatever they were asked for: it is made into
 * the other.
 *
 * @throws ProviderFault `invalid_reply` for anything but one vector for each input, and what an error in it says
 */
export async function readEmbeddings(
  text: string,
  { body, quirks }: Pick<EmbeddingCall, "body"> & { readonly quirks: Quirks },
): Promise<EmbeddingReply> {
  const { data, usage } = readReplyObject(text, "plain");
  const wanted = inputsOf(body).length;
  if (!Array.isArray(data) || data.length !== wanted) {
    const sent = Array.isArray(data) ? `${data.length} embeddings` : "a reply without embeddings";
    throw invalidReply(`${sent} where ${wanted} were asked for`);
  }
  const vectors: EncodedVector[] = [];
  await forEachCooperatively(data, (item: unknown, position) => {
    const { index = position, embedding }: JsonObject = isJsonObject(item) ? item : {};
    const vector = recodeVector(embedding, body.encoding_format ?? "float");
    if (vector === null) throw invalidReply("an embedding that is not a list of numbers");
    if (typeof index !== "number" || !(index in data) || index in vectors) {
      throw invalidReply("embeddings whose indexes are not those of the inputs");
    }
    vectors[index] = vector;
  });
  return { vectors, usage: embeddingUsage(usage, quirks) };
}

/** Nothing is generated. A count of nothing is none: every input has a token at least. */
function embeddingUsage(usage: unknown, quirks: Quirks): EmbeddingReply["usage"] {
  const { total_tokens: _total, ...counts } = isJsonObject(usage) ? countsWithin(usage) : {};
  const tokens = usageOf({ ...counts, completion_tokens: 0 }, quirks);
  return tokens === null || tokens.promptTokens === 0 ? null : tokens;
}
