import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { folderForTest } from "../support/folders.js";
import { ROOT } from "./dockerfile.js";

const text = readFileSync(join(ROOT, ".github/workflows/release.yml"), "utf8");
const workflow = parse(text) as {
  readonly permissions: object;
  readonly jobs: Record<string, { permissions: object; steps: { uses?: string; run?: string }[] }>;
};
const steps = Object.values(workflow.jobs).flatMap((job) => job.steps);

describe("The release", () => {
  it("runs actions that are pinned by commit, with their version beside", () => {
    const used = text.match(/uses: .*/g) ?? [];
    expect(used.length).toBe(steps.filter(({ uses }) => uses !== undefined).length);
    for (const line of used) expect(line).toMatch(/^uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });

  it("publishes with provenance and without a stored token, after the checks", () => {
    const runs = steps.flatMap(({ run }) => run ?? []);
    const at = (part: string) => runs.findIndex((run) => run.includes(part));
    expect(at("npm publish --provenance")).toBeGreaterThan(Math.max(at("npm test"), at("npm run check")));
    expect(at("scripts/audit-signatures")).toBeGreaterThan(at("npm ci"));
    expect(workflow.permissions).toEqual({});
    expect(Object.values(workflow.jobs)[0]?.permissions).toEqual({ contents: "write", "id-token": "write" });
    expect(text).not.toMatch(/NODE_AUTH_TOKEN|NPM_TOKEN|secrets\./);
  });

  it("has a bill of materials of everything that is installed with the package", { timeout: 60_000 }, () => {
    expect(text).toContain("run: npx tsx scripts/bill-of-materials.ts > sextant.cdx.json");
    const bill = JSON.parse(
      execFileSync(process.execPath, ["--import", "tsx", join(ROOT, "scripts/bill-of-materials.ts")], {
        cwd: ROOT,
        encoding: "utf8",
      }),
    ) as {
      bomFormat: string;
      metadata: object;
      components: { name: string; version: string; hashes?: object[] }[];
    };
    expect(bill.bomFormat).toBe("CycloneDX");
    expect(bill.components.filter(({ name }) => name === "vitest" || name === "tsx")).toEqual([]);
    const lock = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8")).packages as Record<
      string,
      { dev?: boolean; devOptional?: boolean; version: string }
    >;
    const installed = Object.entries(lock)
      .filter(([path, { dev, devOptional }]) => path !== "" && dev !== true && devOptional !== true)
      .map(([path, { version }]) => `${path.replace(/^.*node_modules\//, "")}@${version}`);
    const listed = new Set(bill.components.map(({ name, version }) => `${name}@${version}`));
    expect(installed.length).toBeGreaterThan(50);
    expect(installed.filter((one) => !listed.has(one))).toEqual([]);
    expect(bill.components.filter(({ hashes = [] }) => hashes.length === 0)).toEqual([]);
  });
});

describe("The check of signatures", () => {
  /** Runs it with an npm that says that, and ends so. */
  function checked(script: string, seconds = 300) {
    const folder = folderForTest();
    writeFileSync(join(folder, "npm"), `#!/bin/sh\n${script}\n`);
    chmodSync(join(folder, "npm"), 0o755);
    const { status, stdout, stderr } = spawnSync(join(ROOT, "scripts/audit-signatures"), {
      env: { PATH: `${folder}${delimiter}${process.env.PATH}`, AUDIT_SECONDS: `${seconds}` },
      encoding: "utf8",
    });
    return { status, stdout, stderr };
  }

  it("says how many are verified", () => {
    const said = ["audited 3 packages in 1s", "3 packages have verified registry signatures"];
    const { status, stdout } = checked(`echo '${said[0]}'; echo '${said[1]}'`);
    expect([status, stdout]).toEqual([0, `signatures: ${said.join(" ")}\n`]);
  });

  it.each([
    "1 package has an invalid registry signature:",
    "2 packages have missing registry signatures but",
  ])("fails where npm says: %s", (said) => {
    expect(checked(`echo '${said}'; exit 1`)).toMatchObject({ status: 1, stderr: `${said}\n` });
  });

  it("is skipped, with the reason, where the registry does not answer or has none", () => {
    const silent = checked("sleep 20", 1);
    expect([silent.status, silent.stderr]).toEqual([
      0,
      "signatures: SKIPPED, the registry did not answer within 1 s\n",
    ]);
    const without = checked("echo 'npm error found no dependencies to audit'; exit 1");
    expect(without.status).toBe(0);
    expect(without.stderr).toContain("SKIPPED, npm could not check them: npm error found no");
  });
});
