import type { Quirks } from "./quirks.js";

export interface Addresses {
  readonly baseUrl: string;
  /** Path of a call below it. */
  pathOf(call: { readonly api: keyof typeof ENDPOINTS; readonly upstreamModel: string }): string;
}

const ENDPOINTS = {
  chat: "/chat/completions",
  completions: "/completions",
  embeddings: "/embeddings",
} as const;

/**
 * Where calls go. Azure's v1 is plain. Before it, deployments were named in the path and the version in the query: that
 * form is used when the base URL's query has an `api-version` and its path does not end in `/v1`. The path may leave out
 * what is the same for everybody, `/openai/v1` or `/openai/deployments/NAME`.
 */
export function addressesOf(baseUrl: string, { paths }: Pick<Quirks, "paths">): Addresses {
  const plain: Addresses = { baseUrl, pathOf: ({ api }) => ENDPOINTS[api] };
  if (paths === "plain" || !URL.canParse(baseUrl)) return plain;
  const url = new URL(baseUrl);
  const path = url.pathname.replace(/\/+$/, "");
  if (path.endsWith("/v1") || path.includes("/deployments/")) return plain;
  const root = path.endsWith("/openai") ? path : `${path}/openai`;
  if (!url.searchParams.has("api-version")) {
    url.pathname = `${root}/v1`;
    return { ...plain, baseUrl: url.href };
  }
  url.pathname = root;
  return {
    baseUrl: url.href,
    pathOf: ({ api, upstreamModel }) => `/deployments/${encodeURIComponent(upstreamModel)}${ENDPOINTS[api]}`,
  };
}
