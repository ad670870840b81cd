import type { Cloud } from "../../../engine/catalog/providers/cloud.js";
import { memberOf } from "../chat.js";
import { ProviderFault } from "../provider.js";
import { callerMessage } from "./caller-message.js";

/** What of a request is signed. */
export interface AuthorizedRequest {
  readonly method: string;
  /** With its query, as it is sent. */
  readonly url: URL;
  /** Empty when nothing is sent. */
  readonly body: string;
}

/** Authenticates the requests of one account at a cloud. */
export interface Authorizer {
  readonly cloud: Cloud;
  /**
   * Headers to send with a request. Credentials are kept and renewed ahead of their end: most calls take no time.
   *
   * @throws what the cloud's package throws when it finds none; `credentialsFault` turns it into a fault
   */
  authorize(request: AuthorizedRequest): Promise<Readonly<Record<string, string>>>;
  /** Lets go of credentials that the vendor refused: the next call asks for new ones. */
  forget(): void;
}

/** Codes of an operating system's network errors, and of HTTP clients' timeouts. */
const NETWORK = /^(?:E[A-Z]{4,}|UND_ERR_\w+)$/;

/**
 * The fault of a call for which there are no credentials: later or elsewhere where the service that gives them cannot
 * be reached or fails itself, and else the operator's to mend. Without its cause, which may hold requests with
 * secrets.
 */
export function credentialsFault(cloud: Cloud, cause: unknown): unknown {
  if (cause instanceof ProviderFault) return cause;
  const code = codeOf(cause);
  const isNetwork = typeof code === "string" && NETWORK.test(code);
  if (isNetwork || Number(statusOf(cause)) >= 500) {
    const said = isNetwork ? ` (${code})` : "";
    return new ProviderFault(
      "connection_error",
      `no connection to the service that gives credentials for ${cloud}${said}`,
    );
  }
  return new ProviderFault("credentials_refused", `there are no credentials for ${REMEDIES[cloud]}`, {
    upstreamMessage: callerMessage(cause instanceof Error ? cause.message : ""),
  });
}

/** What a person would look at first. */
const REMEDIES: Readonly<Record<Cloud, string>> = {
  aws: "AWS: check AWS_PROFILE, AWS_ACCESS_KEY_ID or the role of this machine",
  google: "Google Cloud: check GOOGLE_APPLICATION_CREDENTIALS or the service account of this machine",
  azure:
    "Azure: check AZURE_TENANT_ID, AZURE_CLIENT_ID and its secret or federated token, or the managed identity",
};

/** An error's code, or that of its cause. */
function codeOf(error: unknown): unknown {
  const code = memberOf(error, "code");
  return typeof code === "string" ? code : memberOf(memberOf(error, "cause"), "code");
}

/** HTTP status of the reply behind an error: Google's and Azure's, or AWS's. */
function statusOf(error: unknown): unknown {
  const status = memberOf(error, "status") ?? memberOf(error, "statusCode");
  const inside = memberOf(memberOf(error, "$metadata"), "httpStatusCode");
  return status ?? inside ?? memberOf(memberOf(error, "response"), "status");
}
