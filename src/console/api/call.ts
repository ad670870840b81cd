import { type ApiError, errorIn, unreachable } from "../http/api-error.js";
import { session, signedOut } from "../session/session.js";

export interface ApiCallOptions {
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Names that are undefined or null are left out. */
  readonly query?: URLSearchParams | Readonly<Record<string, string | number | null | undefined>>;
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
}

/**
 * One request to the API, with what the session gives it.
 *
 * @returns the body, whose form the caller vouches for: both come from the same build
 * @throws ApiError; what the signal gives when it was that
 */
export async function call<Body>(path: string, options: ApiCallOptions = {}): Promise<Body> {
  const reply = await send(path, options);
  if (reply.ok) return (await reply.json()) as Body;
  throw await refusal(reply);
}

/** As `call`, for a list. */
export const callList = async <Item>(path: string, options: ApiCallOptions): Promise<readonly Item[]> =>
  (await call<{ readonly data: readonly Item[] }>(path, options)).data;

/** Answers of the API by address, with the tag each came with. */
const known = new Map<string, { readonly tag: string; readonly body: unknown }>();
const MOST_KNOWN = 50;

/** As `call`, for what is asked again and again: an answer that has not changed is not sent again. */
export async function callAgain<Body>(
  pathAlone: string,
  { query, signal }: Pick<ApiCallOptions, "query" | "signal">,
): Promise<Body> {
  const path = addressOf(pathAlone, query);
  const last = known.get(path);
  const reply = await send(path, { signal }, last === undefined ? {} : { "if-none-match": last.tag });
  if (reply.status === 304 && last !== undefined) return last.body as Body;
  if (!reply.ok) throw await refusal(reply);
  const body = (await reply.json()) as Body;
  const tag = reply.headers.get("etag");
  if (known.size >= MOST_KNOWN) known.clear();
  if (tag !== null) known.set(path, { tag, body });
  return body;
}

/** As `call`, for a file. @returns its bytes, once they are all there */
export async function fetchFile(
  path: string,
  options: Pick<ApiCallOptions, "query" | "signal">,
): Promise<Blob> {
  const reply = await send(path, options);
  if (!reply.ok) throw await refusal(reply);
  return reply.blob().catch((fault) => {
    throw options.signal?.aborted === true ? fault : unreachable();
  });
}

async function send(
  path: string,
  { method = "GET", query, body, signal }: ApiCallOptions,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const { proof } = session.value;
  try {
    return await fetch(addressOf(path, query), {
      method,
      headers: {
        ...headers,
        ...(proof === null ? {} : { "x-sextant-session": proof }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      cache: "no-store",
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
  } catch (fault) {
    if (signal?.aborted === true) throw fault;
    throw unreachable();
  }
}

function addressOf(path: string, query: ApiCallOptions["query"]): string {
  if (query === undefined) return path;
  const pairs = query instanceof URLSearchParams ? [...query] : Object.entries(query);
  const given = pairs.flatMap(([name, value]) =>
    value === undefined || value === null ? [] : [[name, String(value)]],
  );
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`;
}

async function refusal(reply: Response): Promise<ApiError> {
  const error = errorIn(await reply.json().catch(() => undefined), reply.status);
  if (reply.status === 401) signedOut(error.message);
  return error;
}
