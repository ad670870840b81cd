import type { CloudAuth } from "../../../engine/catalog/deployments/cloud-auth.js";
import type { Cloud } from "../../../engine/catalog/providers/cloud.js";
import { SettingsError } from "../../../foundation/errors.js";
import { installCommand, isInstalled, type OptionalPackage } from "../../../foundation/optional-package.js";
import type { Authorizer } from "../http/authorizer.js";
import { AWS_PACKAGES, awsAuthorizer } from "./aws.js";
import { AZURE_PACKAGES, azureAuthorizer } from "./azure.js";
import { GOOGLE_PACKAGES, googleAuthorizer } from "./google.js";

const PACKAGES: Readonly<Record<Cloud, readonly OptionalPackage[]>> = {
  aws: AWS_PACKAGES,
  google: GOOGLE_PACKAGES,
  azure: AZURE_PACKAGES,
};

interface AuthorizerOptions {
  /** Of the provider, for messages. */
  readonly id: string;
  /** Whether a package is installed. */
  readonly has?: (name: OptionalPackage) => boolean;
}

/**
 * What authenticates a provider's requests. Asks for credentials when the first request is sent.
 *
 * @param auth as the settings say; undefined for a provider with a key or none
 * @throws SettingsError when a package is not installed, with the command that installs it
 */
export function openAuthorizer(
  auth: CloudAuth | undefined,
  { id, has = isInstalled }: AuthorizerOptions,
): Authorizer | undefined {
  if (auth === undefined) return undefined;
  const missing = PACKAGES[auth.type].find((name) => !has(name));
  if (missing !== undefined) {
    throw new SettingsError(
      `the provider ${id} needs the package ${missing} for \`auth\` of type ${auth.type}, which is not installed: ` +
        `run \`${installCommand(...PACKAGES[auth.type])}\` where Sextant is installed.`,
    );
  }
  const now = Date.now;
  switch (auth.type) {
    case "aws":
      return awsAuthorizer({ ...auth, now });
    case "google":
      return googleAuthorizer({ ...auth, now });
    case "azure":
      return azureAuthorizer({ ...auth, now });
  }
}
