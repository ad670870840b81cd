import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { composeServer } from "../../src/compose/compose.js";
import { openRouterFromSettings } from "../../src/compose/open-router.js";
import { loadSettings } from "../../src/settings/load-settings.js";
import type { Vendor, VendorRule } from "../../test/fakes/vendors/rule.js";
import {
  type BrokenRule,
  VENDOR_RULES,
  VENDORS,
  VendorServer,
} from "../../test/fakes/vendors/vendor-server.js";
import { CASES } from "./cases.js";
import { bodyFor, PATHS, SERVED_APIS, type ServedApi } from "./requests.js";

/**
 * How a request fared: `passed` at the first call, `repaired` when a later call passed, `refused_here` without a call,
 * `refused_there` with the vendor's text, `text_lost` when the vendor's text is not in the answer; `not_sayable` when
 * the API has no form for it.
 */
export type Fate = "passed" | "repaired" | "refused_here" | "refused_there" | "text_lost" | "not_sayable";

export interface Finding {
  readonly fate: Fate;
  /** HTTP; null when nothing was sent. */
  readonly status: number | null;
  /** What the refusal says; empty when the request was answered. */
  readonly text: string;
  /** The rules that refused calls, in order. */
  readonly refusedBy: readonly string[];
}

export interface RuleFinding {
  readonly rule: VendorRule;
  readonly found: Readonly<Record<ServedApi, Finding>>;
}

const KEY = "pk_live_0123456789abcdefghijklmnopqrstuvwxyzABCD";

/** Key variable and end of the address of each vendor. */
const ACCESS: Readonly<
  Record<Vendor, { readonly key: string; readonly address: string; readonly path: string }>
> = {
  openai: { key: "OPENAI_API_KEY", address: "OPENAI_BASE_URL", path: "/v1" },
  anthropic: { key: "ANTHROPIC_API_KEY", address: "ANTHROPIC_BASE_URL", path: "" },
  google: { key: "GEMINI_API_KEY", address: "GEMINI_BASE_URL", path: "/v1beta/openai" },
  mistral: { key: "MISTRAL_API_KEY", address: "MISTRAL_BASE_URL", path: "/v1" },
  deepseek: { key: "DEEPSEEK_API_KEY", address: "DEEPSEEK_BASE_URL", path: "" },
  "x-ai": { key: "XAI_API_KEY", address: "XAI_BASE_URL", path: "/v1" },
};

/** Sends what each rule is about through a gateway in this process, in each of its APIs, to vendors with those rules. */
export async function measureRules(): Promise<readonly RuleFinding[]> {
  const folder = await mkdtemp(join(tmpdir(), "sextant-vendors-"));
  const servers = await Promise.all(VENDORS.map((vendor) => VendorServer.start(vendor)));
  await writeFile(join(folder, "sextant.config.json"), "{}");
  const environment: Record<string, string> = {
    SEXTANT_PORT: "0",
    SEXTANT_DATA_DIR: folder,
    SEXTANT_BOOTSTRAP_API_KEY: KEY,
    SEXTANT_RETRIES: "0",
    SEXTANT_REQUESTS_PER_MINUTE: "1000000",
  };
  for (const { vendor, upstream } of servers) {
    const { key, address, path } = ACCESS[vendor];
    environment[key] = "sk-of-this-benchmark";
    environment[address] = `${upstream.origin}${path}`;
  }
  const settings = loadSettings(environment, { workingDirectory: folder });
  const logger = pino({ level: "silent" });
  const gateway = await composeServer(settings, { logger, environment, openRouter: openRouterFromSettings });
  const address = await gateway.start();
  try {
    const findings: RuleFinding[] = [];
    for (const rule of VENDOR_RULES) findings.push(await measureRule(rule, { address, servers }));
    return findings;
  } finally {
    await gateway.stop();
    await Promise.all(servers.map(({ upstream }) => upstream.close()));
    await rm(folder, { recursive: true, force: true });
  }
}

interface Running {
  readonly address: string;
  readonly servers: readonly VendorServer[];
}

async function measureRule(rule: VendorRule, running: Running): Promise<RuleFinding> {
  const found: Partial<Record<ServedApi, Finding>> = {};
  for (const api of SERVED_APIS) found[api] = await measureApi(rule, { ...running, api });
  return { rule, found: found as Record<ServedApi, Finding> };
}

async function measureApi(
  rule: VendorRule,
  { address, servers, api }: Running & { readonly api: ServedApi },
): Promise<Finding> {
  const request = CASES[rule.id];
  if (request === undefined) throw new Error(`bench/vendors/cases.ts has no request for ${rule.id}.`);
  const body = bodyFor(api, request);
  if (body === null) return { fate: "not_sayable", status: null, text: "", refusedBy: [] };
  for (const { calls } of servers) calls.length = 0;
  const headers = { "x-api-key": KEY, "content-type": "application/json", "anthropic-version": "2023-06-01" };
  const response = await fetch(`${address}${PATHS[api]}`, {
    ...{ method: "POST", headers, body: JSON.stringify(body) },
  });
  const text = textOf(await response.json());
  const calls = servers.flatMap((server) => server.calls);
  const refusals = calls.filter((call): call is BrokenRule => call !== null);
  const fate = fateOf({ answered: response.ok, calls: calls.length, refusals, text });
  const refusedBy = refusals.map(({ rule: { id } }) => id);
  return { fate, status: response.status, text: response.ok ? "" : text, refusedBy };
}

function textOf(answer: unknown): string {
  const { error } = answer as { readonly error?: { readonly message?: unknown } };
  return String(error?.message ?? "");
}

interface Course {
  readonly answered: boolean;
  readonly calls: number;
  readonly refusals: readonly BrokenRule[];
  readonly text: string;
}

function fateOf({ answered, calls, refusals, text }: Course): Fate {
  if (answered) return refusals.length === 0 ? "passed" : "repaired";
  if (calls === 0) return "refused_here";
  const last = refusals.at(-1);
  return last !== undefined && text.includes(beforeAddress(last.refusal.text))
    ? "refused_there"
    : "text_lost";
}

/** Addresses in vendors' texts are taken out on the way. */
const beforeAddress = (text: string): string => text.split("https://")[0] ?? "";
