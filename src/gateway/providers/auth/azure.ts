import { once } from "../../../foundation/once.js";
import { importOptional } from "../../../foundation/optional-package.js";
import type { Authorizer } from "../http/authorizer.js";
import { bearerAuthorizer } from "./bearer.js";

/** Of Azure's package, what is used of it. */
interface AzureLibrary {
  readonly DefaultAzureCredential: new (
    options: object,
  ) => {
    getToken(scope: string): Promise<{ readonly token: string; readonly expiresOnTimestamp: number }>;
  };
}

export const AZURE_PACKAGES = ["@azure/identity"] as const;

interface AzureOptions {
  /** What tokens are for. */
  readonly scope: string;
  /** Of the managed or federated identity; undefined: that of AZURE_CLIENT_ID, or the only one. */
  readonly clientId: string | undefined;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Of the package's credentials, such as their HTTP. */
  readonly credentialOptions?: object;
}

/**
 * Tokens of Microsoft Entra: client credentials of the environment, workload identity federation, a managed identity,
 * or a developer's own login.
 * https://learn.microsoft.com/azure/developer/javascript/sdk/authentication/credential-chains
 */
export function azureAuthorizer({ scope, clientId, now, credentialOptions }: AzureOptions): Authorizer {
  const open = once(async () => {
    const { DefaultAzureCredential } = await importOptional<AzureLibrary>(AZURE_PACKAGES[0]);
    const identity =
      clientId === undefined ? {} : { managedIdentityClientId: clientId, workloadIdentityClientId: clientId };
    return new DefaultAzureCredential({ ...identity, ...credentialOptions });
  });
  return bearerAuthorizer({
    cloud: "azure",
    now,
    async load() {
      const { token, expiresOnTimestamp } = await (await open()).getToken(scope);
      return { value: token, expiresAtMs: expiresOnTimestamp };
    },
  });
}
