import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  isNotInstalled,
  OPTIONAL_PACKAGES,
  TELEMETRY_PACKAGES,
} from "../../src/foundation/optional-package.js";

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

  it("lists the optional packages for spans and signatures as development dependencies", () => {
    const names = Object.keys(OPTIONAL_PACKAGES).filter((name) => name in manifest.devDependencies);
    expect(names).toEqual([...TELEMETRY_PACKAGES, "@smithy/signature-v4"].sort());
    for (const name of names) expect(manifest.devDependencies[name]).toBe(manifest.peerDependencies[name]);
  });

  it("leaves the large ones to the tests of the second stage, in the version that messages name", () => {
    const { dependencies } = jsonOf("test/packages/package.json");
    for (const name of [
      "@aws-sdk/credential-provider-node",
      "@azure/identity",
      "@huggingface/transformers",
      "google-auth-library",
    ] as const) {
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

describe("A package that cannot be imported", () => {
  const notFound = (message: string) => Object.assign(new Error(message), { code: "ERR_MODULE_NOT_FOUND" });

  it("is distinguished from an installed one that lacks a dependency of its own", () => {
    const name = "google-auth-library";
    expect(isNotInstalled(notFound(`Cannot find package '${name}' imported from /a/b.js`), name)).toBe(true);
    expect(
      isNotInstalled(notFound(`Cannot find package 'sharp' imported from /node_modules/${name}/x.js`), name),
    ).toBe(false);
    expect(isNotInstalled(new Error(`Cannot find package '${name}'`), name)).toBe(false);
  });
});
