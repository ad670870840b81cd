import type { ProviderEntry } from "../../../engine/catalog/deployments/provider-entries.js";

/** What the clouds' packages look for, such as `AWS_PROFILE`, `GOOGLE_APPLICATION_CREDENTIALS`, `AZURE_TENANT_ID`, `IDENTITY_ENDPOINT`. */
const VARIABLE = /^(?:AWS|GOOGLE|GCLOUD|CLOUDSDK|GCE|AZURE|IDENTITY|MSI)_/;

/** The clouds' packages read the variables of the process alone: those of `.env` are added to them, where a provider has `auth`. */
export function useCloudVariables(
  entries: readonly Pick<ProviderEntry, "auth" | "keys">[],
  environment: Readonly<Record<string, string | undefined>>,
): void {
  const isNeeded = entries.some(({ auth, keys = [] }) =>
    [auth, ...keys.map((key) => key.auth)].some(Boolean),
  );
  if (!isNeeded) return;
  for (const [name, value] of Object.entries(environment)) {
    if (VARIABLE.test(name) && value !== undefined) process.env[name] ??= value;
  }
}
