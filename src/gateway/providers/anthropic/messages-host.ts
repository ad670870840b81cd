/** Where the Messages API of other hosts differs from Anthropic's own. */
import type { JsonObject } from "../chat.js";

/** What a call posts. */
interface MessagesPost {
  /** Below the host's address. */
  readonly path: string;
  readonly body: JsonObject;
}

export interface MessagesHost {
  /** The address that paths are below. */
  addressOf(baseUrl: string): string;
  /** The version of the API in a header: the one that the client asks for, or the gateway's. */
  readonly versionHeader: "asked" | "own" | "none";
  /** Fields that it refuses and an answer does not depend on: never sent. */
  readonly droppedFields: readonly string[];
  /** Whether it binds answers to a schema, for models that can. */
  readonly structuredOutput: boolean;
  /** @param body of a call to Anthropic's own API */
  post(body: JsonObject): MessagesPost;
  /** How tokens are counted; null where they are not. */
  readonly count: ((body: JsonObject) => MessagesPost) | null;
}

const PATH = "/messages";

const OWN: MessagesHost = {
  addressOf: versioned,
  versionHeader: "asked",
  droppedFields: [],
  structuredOutput: true,
  post: (body) => ({ path: PATH, body }),
  count: (body) => ({ path: `${PATH}/count_tokens`, body }),
};

/**
 * `/anthropic` of Bedrock's runtime endpoint:
 * https://docs.aws.amazon.com/bedrock/latest/userguide/inference-messages-api.html (2026-11-27). It has no structured
 * outputs, "Extra inputs are not permitted" for `output_config.format`, `inference_geo` and `fallbacks`, and no route
 * that counts tokens, as others measured on 2026-09-05; metadata has to match a pattern that Claude Code's does not
 * (2026-09-04). That it refuses `service_tier` is a guess. Only Claude from 4.7 on has the version 2026-10-21, which has no request
 * that the one before lacks: https://platform.claude.com/docs/en/api/versioning (2026-11-28).
 */
const BEDROCK: MessagesHost = {
  ...OWN,
  versionHeader: "own",
  droppedFields: ["metadata", "service_tier", "inference_geo"],
  structuredOutput: false,
  count: null,
};

/**
 * Vertex AI, which names the model in the path and the version in the body.
 * https://platform.claude.com/docs/en/build-with-claude/claude-on-vertex-ai and, for counts,
 * https://docs.cloud.google.com/gemini-enterprise-agent-platform/models/partner-models/claude/count-tokens
 * (2026-11-27). That it refuses `service_tier` and `inference_geo` is a guess.
 */
const VERTEX: MessagesHost = {
  addressOf: (baseUrl) => baseUrl,
  versionHeader: "none",
  droppedFields: ["service_tier", "inference_geo"],
  structuredOutput: true,
  post: ({ model, ...body }) => ({
    path: `/${encodeURIComponent(String(model)).replaceAll("%40", "@")}:${body.stream === true ? "streamRawPredict" : "rawPredict"}`,
    body: { ...body, anthropic_version: VERTEX_VERSION },
  }),
  count: (body) => ({
    path: "/count-tokens:rawPredict",
    body: { ...body, anthropic_version: VERTEX_VERSION },
  }),
};

const VERTEX_VERSION = "vertex-2023-10-16";

/** By the public provider that it is like, else by its address. */
export function messagesHost({
  like,
  baseUrl,
}: {
  readonly like?: string | undefined;
  readonly baseUrl: string;
}): MessagesHost {
  const { hostname, pathname } = URL.canParse(baseUrl) ? new URL(baseUrl) : { hostname: "", pathname: "" };
  if (like === "vertex-anthropic" || pathname.includes("/publishers/anthropic/models")) return VERTEX;
  return like === "bedrock-anthropic" || /^bedrock-runtime\./.test(hostname) ? BEDROCK : OWN;
}

/**
 * Accepts a base URL without the version, as in Anthropic's documentation, or with it, as is usual for
 * OpenAI-compatible APIs.
 */
function versioned(baseUrl: string): string {
  if (!URL.canParse(baseUrl)) return baseUrl;
  const url = new URL(baseUrl);
  const path = url.pathname.replace(/\/+$/, "");
  url.pathname = path.endsWith("/v1") ? path : `${path}/v1`;
  return url.href;
}
