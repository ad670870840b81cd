/** HTTP to one provider: the only file that imports undici. */
import type { Pool } from "undici";
import { withoutMarks } from "../../../foundation/exact-numbers.js";
import type { ProviderCall } from "../provider.js";
import { authorizedCalls } from "./authorized-calls.js";
import type { Authorizer } from "./authorizer.js";
import { EventReply, type EventStream } from "./event-stream.js";
import type { TextReply } from "./fault.js";
import { WholeReply } from "./reply.js";
import type { Post, UpstreamRequest } from "./upstream-request.js";

/** What a provider may take of this process. */
export interface UpstreamLimits {
  /** Further requests wait for a connection. */
  readonly maxConnections: number;
  /** Most bytes of a whole reply, and of one event of a stream; a reply of embeddings may have 4 times that, a stream 8 times. */
  readonly maxReplyBytes: number;
}

export interface UpstreamOptions extends UpstreamLimits {
  /** `https://api.openai.com/v1`. A query, as Azure's `?api-version=…`, goes with every request. */
  readonly baseUrl: string;
  /** Sent with every request: credentials, versions. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Adds what authenticates each request, in place of a key. */
  readonly authorizer?: Authorizer | undefined;
  /** Milliseconds since the epoch; default the system's clock. */
  readonly now?: () => number;
}

/** One provider's address. Knows no dialect, no retries, and no time limit but that for a connection. */
export interface Upstream {
  /**
   * Posts, or does what `method` says, and reads the whole reply.
   *
   * @param path appended to the base URL's, such as `/chat/completions`
   * @returns the reply, whose status is 2xx
   * @throws ProviderFault for every other status and for everything that goes wrong; the signal's reason once it is
   * aborted, which closes the connection at once
   */
  postJson(path: string, request: UpstreamRequest): Promise<TextReply>;
  /**
   * Posts and resolves as soon as a stream of events begins.
   *
   * @throws as `postJson`, and `invalid_reply` for a 2xx status without a stream, unless its body is a JSON error: then
   * that error's fault
   */
  postForEvents(path: string, request: UpstreamRequest): Promise<EventStream>;
  /** Closes idle connections, and the others when their replies end. Nothing can be sent from then on. */
  close(): void;
}

type Library = typeof import("undici");
let library: Library | undefined;

/**
 * Loads the HTTP client, on the first request or, better, ahead of it after the start: it takes some
 * eighty milliseconds, in which a server could listen already.
 */
export async function loadUpstreams(): Promise<Library> {
  library ??= await import("undici");
  return library;
}

/** Idle connections are worth keeping, since a new one costs several round trips, but most servers close them after a minute. */
const KEEP_ALIVE_MS = 30_000;

/** A host that is up answers within some 300 ms anywhere on Earth (guess); TCP tries again after 1 and 3 s (RFC 6298). */
const CONNECT_TIMEOUT_MS = 5000;

/**
 * Connects when the first request is sent. Requests go to the base URL's origin and below its path; redirects are not
 * followed.
 *
 * @throws TypeError when the base URL or a header cannot be used; the message holds neither
 */
export function openUpstream(options: UpstreamOptions): Upstream {
  const { origin, prefix, query } = address(options.baseUrl);
  let pool: Pool | undefined;
  let isClosed = false;
  const openPool = ({ Pool }: Library): Pool => {
    const opened = new Pool(origin, {
      connections: options.maxConnections,
      connectTimeout: CONNECT_TIMEOUT_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: KEEP_ALIVE_MS,
      // Time limits are the caller's, through the signal.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    if (isClosed) opened.close(() => {});
    return opened;
  };
  const fixed = headerList({
    "content-type": "application/json",
    "accept-encoding": "identity",
    ...options.headers,
  });
  const wholePath = (path: string): string =>
    path.includes("?") ? `${prefix}${path}${query.replace("?", "&")}` : `${prefix}${path}${query}`;
  const post: Post = (Kind, { path, request }) =>
    new Promise((resolve, reject) => {
      const { body, headers, method = "POST", signal, seen, holds } = request;
      signal.throwIfAborted();
      const reply = new Kind(
        {
          signal,
          maxReplyBytes: holds === "embeddings" ? 4 * options.maxReplyBytes : options.maxReplyBytes,
          maxStreamBytes: 8 * options.maxReplyBytes,
          now: options.now ?? Date.now,
          seen,
        },
        { resolve, reject },
      );
      const whole = wholePath(path);
      const dispatch = (library: Library): void => {
        pool ??= openPool(library);
        const all = headers === undefined ? fixed : [...fixed, ...headerList(headers)];
        pool.dispatch({ method, path: whole, headers: all, ...(body === undefined ? {} : { body }) }, reply);
      };
      if (library !== undefined) dispatch(library);
      else
        loadUpstreams()
          .then((loaded) => {
            signal.throwIfAborted();
            dispatch(loaded);
          })
          .catch(reject);
    });
  const { authorizer } = options;
  const urlOf = (path: string) => new URL(`${origin}${wholePath(path)}`);
  const call = authorizer === undefined ? post : authorizedCalls(post, { authorizer, urlOf });
  return {
    postJson: (path, request) => call(WholeReply, { path, request: wellFormed(request) }),
    postForEvents: (path, request) => call(EventReply, { path, request: wellFormed(request) }),
    close: () => {
      isClosed = true;
      pool?.close(() => {});
    },
  };
}

const SURROGATE = /\\u[dD][89a-fA-F]/;
const ESCAPES = /\\(?:u[dD][89abAB]..\\u[dD][c-fC-F]|u([dD][89a-fA-F]..)|.)/g;

/**
 * The request with the digits of numbers as they came, and with U+FFFD for halves of characters that were cut apart, which strict readers refuse with the whole conversation:
 * https://github.com/anomalyco/opencode/pull/17758 (2026-03-16), https://github.com/anthropics/claude-code/issues/68325 (2026-06-14).
 */
function wellFormed(request: UpstreamRequest): UpstreamRequest {
  if (request.body === undefined) return request;
  const body = withoutMarks(request.body);
  if (!SURROGATE.test(body)) return { ...request, body };
  return { ...request, body: body.replace(ESCAPES, (one, half) => (half === undefined ? one : "\ufffd")) };
}

interface Address {
  readonly origin: string;
  /** Path without a slash at its end. */
  readonly prefix: string;
  /** Empty, or with its question mark. */
  readonly query: string;
}

function address(baseUrl: string): Address {
  if (!URL.canParse(baseUrl)) throw new TypeError("a provider's base URL is not a URL");
  const { protocol, username, password, origin, pathname, search } = new URL(baseUrl);
  if (protocol !== "http:" && protocol !== "https:") {
    throw new TypeError(`a provider's base URL starts with ${protocol} instead of http: or https:`);
  }
  if (username !== "" || password !== "") {
    throw new TypeError("a provider's base URL holds credentials; give its key instead");
  }
  return { origin, prefix: pathname.replace(/\/+$/, ""), query: search };
}

/** A flat list of names and values, which undici processes fastest. */
function headerList(headers: Readonly<Record<string, string>>): string[] {
  for (const [name, value] of Object.entries(headers)) {
    if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) {
      throw new TypeError(
        `the header ${name} holds characters that no header can carry; look for line ends in the key`,
      );
    }
  }
  return Object.entries(headers).flat();
}

type Headers = Readonly<Record<string, string>> | undefined;

/** The headers of a call, with the key of one that may be a repeated call. The same object for other calls. */
export function withIdempotencyKey(
  headers: Headers,
  { idempotencyKey }: Pick<ProviderCall, "idempotencyKey">,
): Headers {
  return idempotencyKey === undefined ? headers : { ...headers, "idempotency-key": idempotencyKey };
}
