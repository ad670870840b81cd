import { once } from "../../../foundation/once.js";
import { importOptional } from "../../../foundation/optional-package.js";
import type { Authorizer } from "../http/authorizer.js";
import { bearerAuthorizer } from "./bearer.js";

/** Of Google's package, what is used of it. */
interface GoogleLibrary {
  readonly GoogleAuth: new (options: {
    readonly scopes: readonly string[];
    readonly projectId: string;
    readonly keyFilename?: string;
    readonly clientOptions?: object;
  }) => { getClient(): Promise<GoogleClient> };
}
interface GoogleClient {
  getAccessToken(): Promise<{ readonly token?: string | null }>;
  readonly credentials: { readonly expiry_date?: number | null };
}

export const GOOGLE_PACKAGES = ["google-auth-library"] as const;

const SCOPE = "https://www.googleapis.com/auth/cloud-platform";

interface GoogleOptions {
  /** Spares the package a search of its own. */
  readonly project: string;
  /** Of a service account or of workload identity federation; undefined: what Google's own programs would use. */
  readonly credentialsFile: string | undefined;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Of the package's clients, such as their HTTP. */
  readonly clientOptions?: object;
}

/**
 * OAuth tokens of Google Cloud by Application Default Credentials: a service account (RFC 7523), workload identity
 * federation, a person's own login, or the metadata server.
 * https://docs.cloud.google.com/docs/authentication/application-default-credentials
 */
export function googleAuthorizer({
  project: projectId,
  credentialsFile,
  now,
  clientOptions,
}: GoogleOptions): Authorizer {
  const open = once(async () => {
    const { GoogleAuth } = await importOptional<GoogleLibrary>(GOOGLE_PACKAGES[0]);
    return new GoogleAuth({
      scopes: [SCOPE],
      projectId,
      ...(credentialsFile === undefined ? {} : { keyFilename: credentialsFile }),
      ...(clientOptions === undefined ? {} : { clientOptions }),
    });
  });
  return bearerAuthorizer({
    cloud: "google",
    now,
    async load() {
      const client = await (await open()).getClient();
      const { token } = await client.getAccessToken();
      if (!token) throw new Error("Google gave no token");
      return { value: token, expiresAtMs: client.credentials.expiry_date ?? null };
    },
  });
}
