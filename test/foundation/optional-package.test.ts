import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { isNotInstalled, OPTIONAL_PACKAGES } from "../../src/foundation/optional-package.js";

const jsonOf = (file: string) => JSON.parse(readFileSync(new URL(`../../${file}`, import.meta.url), "utf8"));

describe("package.json", () => {
  const manifest = jsonOf("package.json");

  it("lists the optional packages as optional peers of the version that messages name", () => {
    for (const [name, version] of Object.entries(OPTIONAL_PACKAGES)) {
      expect(manifest.peerDependencies[name]).toMatch(new RegExp(`^\\^${version}\\.`));
      expect(manifest.peerDependenciesMeta[name]).toEqual({ optional: true });
      expect(manifest.dependencies).not.toHaveProperty([name]);
    }
    expect(Object.keys(manifest.peerDependencies).sort()).toEqual(Object.keys(OPTIONAL_PACKAGES).sort());
  });

  it("leaves the large ones to the tests of the second stage, in the version that messages name", () => {
    const { dependencies } = jsonOf("test/packages/package.json");
    const clouds = ["@aws-sdk/credential-provider-node", "@azure/identity", "google-auth-library"] as const;
    for (const name of [...clouds, "@huggingface/transformers"] as const) {
      expect(manifest.devDependencies).not.toHaveProperty([name]);
      expect(dependencies[name]).toMatch(new RegExp(`^${OPTIONAL_PACKAGES[name]}\\.`));
    }
  });

  it("has no production dependency with an install script", () => {
    const packages: Record<string, { dev?: boolean; hasInstallScript?: boolean }> =
      jsonOf("package-lock.json").packages;
    const production = Object.entries(packages).filter(([path, { dev }]) => path !== "" && dev !== true);
    expect(production.length).toBeGreaterThan(50);
    expect(production.filter(([, { hasInstallScript }]) => hasInstallScript === true)).toEqual([]);
  });
});

it("A package that cannot be imported is distinguished from an installed one that lacks a dependency of its own", () => {
  const name = "google-auth-library";
  const fault = (missing: string, code?: string) =>
    Object.assign(new Error(`Cannot find package '${missing}' imported from /node_modules/${name}/x.js`), {
      code,
    });
  expect(isNotInstalled(fault(name, "ERR_MODULE_NOT_FOUND"), name)).toBe(true);
  expect(isNotInstalled(fault("sharp", "ERR_MODULE_NOT_FOUND"), name)).toBe(false);
  expect(isNotInstalled(fault(name), name)).toBe(false);
});
