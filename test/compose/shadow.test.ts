/** A shadow set in a whole server: in traces, metrics and reloads. */
import { readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { pino } from "pino";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type ComposedServer, composeServer } from "../../src/compose/compose.js";
import { openRouterFromSettings } from "../../src/compose/open-router.js";
import type { Routing } from "../../src/gateway/api/routing.js";
import type { TraceBody } from "../../src/gateway/api/traces/trace.js";
import { loadSettings } from "../../src/gateway/settings/load-settings.js";
import { buildSet } from "../../src/workbench.js";
import { KEY } from "../gateway/server/server.js";
import { folderForTests } from "../support/folders.js";

const SAMPLE = fileURLToPath(new URL("../../datasets/sample", import.meta.url));
const folder = folderForTests();
const PATIENT = 120_000;

let server: ComposedServer;
let address = "";

/** A set of the sample's outcomes, changed. */
async function build(name: string, change: (score: number, model: string) => number): Promise<void> {
  const lines = readFileSync(join(SAMPLE, "outcomes.jsonl"), "utf8").trimEnd().split("\n");
  const rows = lines.map((line) => {
    const row = JSON.parse(line) as { model: string; score: number };
    return JSON.stringify({ ...row, score: change(row.score, row.model) });
  });
  const outcomes = join(folder, `${name}.jsonl`);
  writeFileSync(outcomes, rows.join("\n"));
  await buildSet({
    prompts: [join(SAMPLE, "prompts.jsonl")],
    outcomes: [outcomes],
    folder: join(folder, name),
    keepNames: true,
  });
}

beforeAll(async () => {
  await build("live", (score, model) => (model === "sample-large" ? 1 : score / 2));
  await build("shadow", (score, model) => (model === "sample-small" ? 1 : score / 2));
  const environment = {
    SEXTANT_PORT: "0",
    SEXTANT_DATA_DIR: join(folder, "data"),
    SEXTANT_BOOTSTRAP_API_KEY: KEY,
    SEXTANT_PROFILES: join(folder, "live"),
    SEXTANT_SHADOW_PROFILES: "shadow",
    SEXTANT_PROFILES_WATCH_MS: "0",
  };
  const settings = loadSettings(environment, { workingDirectory: folder });
  const logger = pino({ level: "silent" });
  server = await composeServer(settings, { logger, environment, openRouter: openRouterFromSettings });
  address = await server.start();
}, PATIENT);
afterAll(() => server.stop());

const headers = { "x-api-key": KEY, "content-type": "application/json" };

type Shadow = Exclude<NonNullable<NonNullable<TraceBody["routing"]>["shadow"]>, { error: string }>;

function shadowOf({ routing }: TraceBody): Shadow {
  const shadow = routing?.shadow;
  if (shadow === undefined || "error" in shadow)
    throw new Error(`no shadow decision: ${JSON.stringify(shadow)}`);
  return shadow;
}

/** @returns the shadow decision in the trace of a decision */
async function decided(): Promise<Shadow> {
  const messages = [{ role: "user", content: "What is 12 × 12?" }];
  const body = JSON.stringify({ messages, execute: false });
  const reply = await fetch(`${address}/v1/router`, { method: "POST", headers, body });
  const { request_id: id, routing } = (await reply.json()) as TraceBody & { readonly routing: Routing };
  expect(routing.selected_model).toBe("sample-large");
  expect(routing).not.toHaveProperty("shadow");
  for (;;) {
    const found = await fetch(`${address}/v1/traces/${id}`, { headers });
    if (found.status === 200) return shadowOf((await found.json()) as TraceBody);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

it("decides beside the live set, for traces and metrics alone, and stays when it is damaged", {
  timeout: PATIENT,
}, async () => {
  const shadow = await decided();
  expect(shadow).toMatchObject({
    profile_version: expect.stringMatching(/^shadow@/),
    selected_model: "sample-small",
    live_model: { expected_quality: expect.any(Number) },
  });
  const metrics = await (await fetch(`${address}/metrics`)).text();
  expect(metrics).toContain('sextant_shadow_decisions_total{kind="router",decision="different"} 1');
  truncateSync(join(folder, "shadow", "anchors.bin"), 100);
  const reply = await fetch(`${address}/admin/reload`, { method: "POST", headers });
  const { notes } = (await reply.json()) as { readonly notes: readonly string[] };
  expect(notes).toContainEqual(expect.stringMatching(/^The shadow profile sets in use stay: /));
  expect((await decided()).profile_version).toBe(shadow.profile_version);
});
