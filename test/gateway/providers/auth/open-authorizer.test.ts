import { describe, expect, it } from "vitest";
import { openAuthorizer } from "../../../../src/gateway/providers/auth/open-authorizer.js";

describe("A cloud whose package is not installed", () => {
  it.each([
    [
      { type: "aws", region: "us-east-1", profile: undefined, inferenceProfile: "us" },
      "npm install @smithy/signature-v4@5 @aws-sdk/credential-provider-node@3",
    ],
    [
      { type: "google", project: "p", location: "global", credentialsFile: undefined },
      "npm install google-auth-library@10",
    ],
    [{ type: "azure", scope: "s", clientId: undefined }, "npm install @azure/identity@4"],
  ] as const)("stops the start with the command that installs it: %o", (auth, command) => {
    expect(() => openAuthorizer(auth, { id: "ours", has: () => false })).toThrow(
      new RegExp(`^the provider ours needs the package .* run \`${command.replaceAll(/[^\w ]/g, "\\$&")}\``),
    );
    expect(openAuthorizer(auth, { id: "ours", has: () => true })?.cloud).toBe(auth.type);
  });

  it("is not needed by a provider with a key", () => {
    expect(openAuthorizer(undefined, { id: "ours", has: () => false })).toBeUndefined();
  });
});
