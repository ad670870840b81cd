/** What to say of a path that no route has. */

/** Paths of other APIs that are not served, with what they are for and what to do instead. */
const OUT_OF_SCOPE: readonly (readonly [path: RegExp, what: string, instead: string])[] = [
  [/^\/v1\/messages\/batches(\/|$)/, "message batches", "Send the requests one by one, many at a time"],
  [/^\/v1\/batches(\/|$)/, "batches", "Send the requests one by one, many at a time"],
  [/^\/v1\/images\//, "the making of images", "Ask the provider itself; images in prompts are read in chats"],
  [/^\/v1\/videos(\/|$)/, "the making of videos", "Ask the provider itself"],
  [
    /^\/v1\/audio\//,
    "speech and transcription",
    "Ask the provider itself; audio in prompts is read in chats of models that hear",
  ],
  [/^\/v1\/realtime(\/|$)/, "realtime sessions", "Ask the provider itself, or use chats with `stream`"],
  [
    /^\/v1\/(files|uploads)(\/|$)/,
    "the storage of files",
    "Send a file in the request, as base64 in a content part",
  ],
  [/^\/v1\/moderations(\/|$)/, "moderation", "Ask the provider itself"],
  [
    /^\/v1\/(assistants|threads|vector_stores|containers|conversations|evals|fine_tuning)(\/|$)/,
    "what a provider stores for its clients",
    "Ask the provider itself, or send the whole conversation with each request",
  ],
  [/^\/v1\/(rerank|score)$/, "reranking", "Ask the provider itself"],
  [
    /^\/v1(alpha|beta)?\/(models|tunedModels)\/[^/]+:\w+$/,
    "Gemini's API",
    "Use a client of OpenAI's or Anthropic's API: Gemini's models answer in both",
  ],
  [
    /^\/api\/(chat|generate|tags|embed|embeddings|show|version)$/,
    "Ollama's API",
    "Use OpenAI's API: its base URL is this server's address with `/v1`",
  ],
];

export interface PathHelp {
  /** The methods of the route with a path; undefined without one. */
  readonly methodsOf: (path: string) => ReadonlySet<string> | undefined;
}

/** A sentence or two that name the path that was meant, or say that what it is for is not served. */
export function helpForPath(path: string, { methodsOf }: PathHelp): string {
  const meant = meantPath(path);
  if (meant !== path && methodsOf(meant) !== undefined) return `Did you mean ${meant}? ${whyOf(path)}`;
  const [, what, instead] = OUT_OF_SCOPE.find(([pattern]) => pattern.test(meant)) ?? [];
  if (what !== undefined)
    return `Sextant does not serve ${what}. ${instead}. GET /openapi.json lists all routes.`;
  return "GET /openapi.json lists all routes.";
}

/** With one `/v1`, and without doubled slashes and one at the end. */
function meantPath(path: string): string {
  const plain = path.replace(/\/{2,}/g, "/").replace(/(?<=.)\/$/, "");
  const once = plain.replace(/^(?:\/v1){2,}(?=\/|$)/, "/v1");
  return /^\/(?:v1(?:alpha|beta)?|api|admin|console|docs)(?:\/|$)/.test(once) ? once : `/v1${once}`;
}

function whyOf(path: string): string {
  if (/^\/+v1\/+v1(?=\/|$)/.test(path))
    return "The base URL of Anthropic's clients has no `/v1`: they add it.";
  if (!/^\/+v1(?=\/|$)/.test(path)) return "The base URL of OpenAI's clients ends with `/v1`.";
  return "The path has a slash too many.";
}
