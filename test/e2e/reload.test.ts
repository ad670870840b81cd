/** Profile sets that are replaced while the server answers: by their files, by SIGHUP, by `POST /admin/reload`. */
import { execFileSync } from "node:child_process";
import { cpSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { KEY } from "../gateway/server/server.js";
import { MAIN, newFolder, removeFolder, type ServerProcess, startServe } from "./server-process.js";

const SAMPLE = fileURLToPath(new URL("../../datasets/sample", import.meta.url));
const MODELS = ["sample-large", "sample-medium", "sample-small"];
/** A start takes its time where others compute. */
const PATIENT = 120_000;

let folder: string;
let server: ServerProcess;

const built = (name: string) => join(folder, "built", name);
const live = () => join(folder, "profiles");

/** Builds a set of some of the sample's models. */
function build(name: string, models: readonly string[]): void {
  const outcomes = join(folder, `${name}.jsonl`);
  const lines = readFileSync(join(SAMPLE, "outcomes.jsonl"), "utf8").trimEnd().split("\n");
  writeFileSync(
    outcomes,
    lines.filter((line) => models.includes((JSON.parse(line) as { model: string }).model)).join("\n"),
  );
  const files = ["--prompts", join(SAMPLE, "prompts.jsonl"), "--outcomes", outcomes, "--out", built(name)];
  execFileSync(process.execPath, [MAIN, "profile", "build", ...files], { stdio: "ignore" });
}

/** Replaces the set in use as a deployment does: by a rename. */
function deploy(name: string, spoil: (set: string) => void = () => {}): void {
  const next = join(folder, "next");
  cpSync(built(name), next, { recursive: true });
  spoil(next);
  rmSync(live(), { recursive: true, force: true });
  renameSync(next, live());
}

interface Decision {
  readonly version: string;
  readonly models: string;
}

async function decide(): Promise<Decision> {
  const response = await fetch(`${server.address}/v1/router`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": KEY },
    body: JSON.stringify({
      messages: [{ role: "user", content: "Why is the sky blue?" }],
      cost_weight: 0.4,
      execute: false,
    }),
  });
  const body = (await response.json()) as {
    routing: { profile_version: string; candidates: { model: string }[] };
  };
  expect([response.status, body]).toMatchObject([200, { routing: {} }]);
  const { profile_version: version, candidates } = body.routing;
  return {
    version,
    models: candidates
      .map(({ model }) => model)
      .sort()
      .join(),
  };
}

const reload = () =>
  fetch(`${server.address}/admin/reload`, { method: "POST", headers: { "x-api-key": KEY } });

/** Loads that ended so, by the metrics. */
async function counted(outcome: "loaded" | "refused"): Promise<number> {
  const metrics = await fetch(`${server.address}/metrics`, { headers: { "x-api-key": KEY } });
  const line = new RegExp(`^sextant_profile_reloads_total\\{outcome="${outcome}"\\} (\\d+)$`, "m");
  return Number(line.exec(await metrics.text())?.[1]);
}

/** Waits until decisions show it. */
async function untilDecided(holds: (decision: Decision) => boolean): Promise<void> {
  while (!holds(await decide())) await new Promise((resolve) => setTimeout(resolve, 20));
}

async function start(environment: Readonly<Record<string, string>> = {}): Promise<void> {
  deploy("three");
  server = await startServe(folder, {
    SEXTANT_BOOTSTRAP_API_KEY: KEY,
    SEXTANT_PROFILES: live(),
    SEXTANT_LOG_LEVEL: "info",
    ...environment,
  });
}

beforeAll(() => {
  folder = newFolder();
  build("three", MODELS);
  build("two", MODELS.slice(0, 2));
}, PATIENT);
afterEach(async () => {
  await server.stop();
});
afterAll(() => removeFolder(folder));

describe("Profile sets that are replaced while requests are decided", { timeout: PATIENT }, () => {
  it("are used whole, and no request fails", async () => {
    await start({ SEXTANT_PROFILES_WATCH_MS: "0" });
    const seen = new Set<string>();
    let isOver = false;
    const clients = Array.from({ length: 8 }, async () => {
      while (!isOver) {
        const { version, models } = await decide();
        seen.add(`${version} ${models}`);
      }
    });
    for (const name of ["two", "three", "two"]) {
      deploy(name);
      expect((await reload()).status).toBe(200);
    }
    isOver = true;
    await Promise.all(clients);
    // One list of candidates for each version.
    expect([...seen].map((pair) => pair.split(" ")[1]).sort()).toEqual([
      MODELS.slice(0, 2).join(),
      MODELS.join(),
    ]);
  });

  it("are taken from changed files", async () => {
    await start({ SEXTANT_PROFILES_WATCH_MS: "50" });
    deploy("two");
    await untilDecided(({ models }) => models === MODELS.slice(0, 2).join());
  });

  it.each([1, 2])("are taken on SIGHUP, with %i workers", async (workers) => {
    await start({ SEXTANT_PROFILES_WATCH_MS: "0", SEXTANT_WORKERS: String(workers) });
    deploy("two");
    expect((await decide()).models).toBe(MODELS.join());
    server.child.kill("SIGHUP");
    // Connections are handed to the workers in turn.
    for (let inARow = 0; inARow < 2 * workers; ) {
      inARow = (await decide()).models === MODELS.join() ? 0 : inARow + 1;
    }
  });

  it("stay in use when the new ones are damaged, and the reason is logged", async () => {
    await start({ SEXTANT_PROFILES_WATCH_MS: "50" });
    const { version } = await decide();
    deploy("two", (set) => truncateSync(join(set, "anchors.bin"), 100));
    while (!server.stderr().includes("cannot be loaded again")) await decide();
    expect(server.stderr()).toMatch(/anchors\.bin has SHA-256 .* The profiles in use stay\./);
    const refused = await reload();
    expect([refused.status, await refused.json()]).toMatchObject([
      409,
      { error: { code: "profiles_rejected" } },
    ]);
    expect(await decide()).toEqual({ version, models: MODELS.join() });
    deploy("two");
    await untilDecided(({ models }) => models === MODELS.slice(0, 2).join());
    expect(await counted("loaded")).toBeGreaterThanOrEqual(1);
    expect(await counted("refused")).toBeGreaterThanOrEqual(2);
  });
});
