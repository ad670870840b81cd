import { type ApiError, errorIn, unreachable } from "../http/api-error.js";
import { session, signedOut } from "../session/session.js";

export interface ApiCallOptions {
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Names that are undefined or null are left out. */
  readonly query?: URLSearchParams | Readonly<Record<string, string | number | null | undefined>>;
  readonly body?: unknown;
  /** Of the request's trace. */
  readonly source?: string;
  readonly signal?: AbortSignal | undefined;
}

/** Answers of the API by address, with the tag that each came with. */
const known = new Map<string, { readonly tag: string; readonly body: object }>();
const MOST_KNOWN = 50;

/**
 * One request to the API, with what the session gives it. A long answer that has not changed since it was read is not sent again.
 *
 * @returns the body, whose form the caller vouches for: both come from the same build
 * @throws ApiError; what the signal gives when it was that
 */
export async function call<Body>(path: string, options: ApiCallOptions = {}): Promise<Body> {
  const address = addressOf(path, options.query);
  const last = (options.method ?? "GET") === "GET" ? known.get(address) : undefined;
  const reply = await send(address, options, last === undefined ? {} : { "if-none-match": last.tag });
  // Another object: what was read is new.
  if (reply.status === 304 && last !== undefined) return { ...last.body } as Body;
  if (!reply.ok) throw await refusal(reply);
  const body = (await reply.json()) as Body & object;
  const tag = reply.headers.get("etag");
  if (tag === null) return body;
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(address, { tag, body });
  return body;
}

/** As `call`, for a list. */
export const callList = async <Item>(path: string, options: ApiCallOptions): Promise<readonly Item[]> =>
  (await call<{ readonly data: readonly Item[] }>(path, options)).data;

/** As `call`, for a file. @returns its bytes, once they are all there */
export async function fetchFile(
  path: string,
  options: Pick<ApiCallOptions, "query" | "signal">,
): Promise<Blob> {
  const reply = await send(addressOf(path, options.query), options);
  if (!reply.ok) throw await refusal(reply);
  return reply.blob().catch((fault) => {
    throw options.signal?.aborted === true ? fault : unreachable();
  });
}

async function send(
  address: string,
  { method = "GET", body, source, signal }: ApiCallOptions,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const { proof } = session.value;
  try {
    return await fetch(address, {
      method,
      headers: {
        ...headers,
        ...(proof === null ? {} : { "x-sextant-session": proof }),
        ...(source === undefined ? {} : { "x-source": source }),
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
