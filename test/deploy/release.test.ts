import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { folderForTest } from "../support/folders.js";
import { ROOT } from "./dockerfile.js";

const text = readFileSync(join(ROOT, ".github/workflows/release.yml"), "utf8");
interface Job {
  readonly permissions: object;
  readonly environment?: string;
  readonly needs?: string;
  readonly steps: readonly { readonly uses?: string; readonly run?: string }[];
}
const workflow = parse(text) as {
  readonly permissions: object;
  readonly jobs: Record<"build" | "publish", Job>;
};
const { build, publish } = workflow.jobs;
const runsOf = ({ steps }: Job) => steps.flatMap(({ run }) => run ?? []);

describe("The release", () => {
  it("runs actions that are pinned by commit, with their version beside", () => {
    const used = text.match(/uses: .*/g) ?? [];
    expect(used.length).toBe(
      [...build.steps, ...publish.steps].filter(({ uses }) => uses !== undefined).length,
    );
    for (const line of used) expect(line).toMatch(/^uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });

  it("checks, tests and packs without rights", () => {
    expect(Object.keys(workflow.jobs)).toEqual(["build", "publish"]);
    expect([workflow.permissions, build.permissions]).toEqual([{}, { contents: "read" }]);
    const at = (part: string) => runsOf(build).findIndex((run) => run.includes(part));
    const order = ["npm ci", "scripts/audit-signatures", "npm run check", "npm test", "npm pack"].map(at);
    expect(order).toEqual(order.toSorted((one, other) => one - other));
    expect(order[0]).toBeGreaterThan(0);
  });

  it("publishes what was packed, with provenance, from a protected environment, in a job that builds and installs nothing", () => {
    expect(publish).toMatchObject({ needs: "build", environment: "npm" });
    expect(publish.permissions).toEqual({ contents: "write", "id-token": "write" });
    expect(publish.steps.map(({ uses = "" }) => uses.split("@")[0])).toEqual([
      "actions/setup-node",
      "actions/download-artifact",
      "",
      "",
      "",
    ]);
    const tarballs = ["sextant", "sextant-engine"].map((name) => `"${name}-\${GITHUB_REF_NAME#v}.tgz"`);
    const runs = runsOf(publish);
    expect(runs.slice(0, -1)).toEqual(
      tarballs.map(
        (tarball) =>
          `npm publish ${tarball.replace('"', '"./')} --provenance --access public --ignore-scripts`,
      ),
    );
    expect(runs.at(-1)).toContain(`${tarballs.join(" ")} sextant.cdx.json`);
    expect(text).toMatch(/node-version: 24\.\d+\.\d+\n {10}registry-url/);
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
      { dev?: boolean; devOptional?: boolean; link?: boolean; version: string }
    >;
    const installed = Object.entries(lock)
      .filter(
        ([path, { dev, devOptional, link }]) =>
          path.startsWith("node_modules/") && !dev && !devOptional && !link,
      )
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
