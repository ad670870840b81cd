import type { CancelSignal } from "../../../foundation/cancel-signal.js";
import { ProviderFault } from "../provider.js";
import { type Authorizer, credentialsFault } from "./authorizer.js";
import type { Post, UpstreamRequest } from "./upstream-request.js";

interface AuthorizedOptions {
  readonly authorizer: Authorizer;
  /** Where a call of that path goes. */
  readonly urlOf: (path: string) => URL;
}

/**
 * Calls with what authenticates each of them. One that is refused for its credentials, which the vendor may have let
 * end early, is made once more with new ones.
 */
export function authorizedCalls(post: Post, { authorizer, urlOf }: AuthorizedOptions): Post {
  const authorized = async (path: string, request: UpstreamRequest): Promise<UpstreamRequest> => {
    const { method = "POST", body = "", signal } = request;
    try {
      const added = await unlessAborted(authorizer.authorize({ method, url: urlOf(path), body }), signal);
      return { ...request, headers: { ...request.headers, ...added } };
    } catch (reason) {
      throw signal.aborted ? signal.reason : credentialsFault(authorizer.cloud, reason);
    }
  };
  return async (Kind, { path, request }) => {
    try {
      return await post(Kind, { path, request: await authorized(path, request) });
    } catch (reason) {
      if (!(reason instanceof ProviderFault) || !areStale(reason)) throw reason;
      authorizer.forget();
      return post(Kind, { path, request: await authorized(path, request) });
    }
  };
}

/**
 * 401 at Google and Azure. AWS answers 403 for everything, and says in words that a session has ended:
 * `ExpiredTokenException`, "The security token included in the request is expired", with 403 at Bedrock:
 * https://github.com/anthropics/claude-code/issues/28032 (2026-02-24)
 */
const areStale = ({ status, upstreamMessage }: ProviderFault): boolean =>
  status === 401 || (status === 403 && /security token|token.{0,40}expired/i.test(upstreamMessage ?? ""));

/** Credentials are waited for no longer than their request lives; they are loaded on for others. */
function unlessAborted<Value>(promise: Promise<Value>, signal: CancelSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}
