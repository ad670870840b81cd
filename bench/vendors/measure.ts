import type { VendorRule } from "../../test/fakes/vendors/rule.js";
import { startVendorGateway, type VendorGateway } from "../../test/fakes/vendors/vendor-gateway.js";
import { type BrokenRule, VENDOR_RULES } from "../../test/fakes/vendors/vendor-server.js";
import { KEY } from "../../test/gateway/server.js";
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

/** The whole request, and the streamed one. */
export const WAYS = ["whole", "streamed"] as const;
export type Way = (typeof WAYS)[number];

export interface RuleFinding {
  readonly rule: VendorRule;
  readonly found: Readonly<Record<ServedApi, Readonly<Record<Way, Finding>>>>;
}

/** From so many characters on, a request is large. */
const LARGE = 4_000_000;

interface MeasureOptions {
  /** How large requests are sent; `whole`: what a stream finds is taken to be the same. */
  readonly large: "whole" | "both ways";
}

/** All rules, one after the other. */
export async function measureRules(options: MeasureOptions): Promise<readonly RuleFinding[]> {
  const gateway = await startRuleGateway();
  try {
    const findings: RuleFinding[] = [];
    for (const rule of VENDOR_RULES) findings.push(await measureRule(rule, { gateway, ...options }));
    return findings;
  } finally {
    await gateway.stop();
  }
}

/** A gateway in this process before vendors with their rules. */
export const startRuleGateway = (): Promise<VendorGateway> =>
  startVendorGateway(
    VENDOR_RULES.flatMap((rule) =>
      SERVED_APIS.flatMap((api) =>
        WAYS.map((way) => ({ name: nameOf(rule, api, way), vendor: rule.vendor, model: caseOf(rule).model })),
      ),
    ),
  );

const nameOf = ({ id }: VendorRule, api: ServedApi, way: Way): string => `${id}.${api}.${way}`;

function caseOf({ id }: VendorRule) {
  const request = CASES[id];
  if (request === undefined) throw new Error(`bench/vendors/cases.ts has no request for ${id}.`);
  return request;
}

/** Sends what a rule is about through the gateway, in each of its APIs, whole and streamed. */
export async function measureRule(
  rule: VendorRule,
  { gateway, large }: MeasureOptions & { readonly gateway: VendorGateway },
): Promise<RuleFinding> {
  const found: Partial<Record<ServedApi, Readonly<Record<Way, Finding>>>> = {};
  for (const api of SERVED_APIS) {
    const whole = await measureApi(rule, { gateway, api, way: "whole" });
    const isOnce = large === "whole" && JSON.stringify(bodyFor(api, caseOf(rule))).length > LARGE;
    found[api] = {
      whole,
      streamed: isOnce ? whole : await measureApi(rule, { gateway, api, way: "streamed" }),
    };
  }
  return { rule, found: found as RuleFinding["found"] };
}

interface Asking {
  readonly gateway: VendorGateway;
  readonly api: ServedApi;
  readonly way: Way;
}

async function measureApi(
  rule: VendorRule,
  { gateway: { address, servers }, api, way }: Asking,
): Promise<Finding> {
  const body = bodyFor(api, caseOf(rule));
  if (body === null) return { fate: "not_sayable", status: null, text: "", refusedBy: [] };
  // The largest has 32 MB: none is kept.
  for (const { calls, asked, upstream } of servers)
    for (const kept of [calls, asked, upstream.requests]) kept.length = 0;
  const response = await fetch(`${address}${PATHS[api]}`, {
    method: "POST",
    headers: {
      "x-api-key": KEY,
      "content-type": "application/json",
      "anthropic-version": "2023-06-01",
    },
    body: JSON.stringify({ ...body, model: nameOf(rule, api, way), stream: way === "streamed" }),
  });
  const answer = await response.text();
  const text = response.ok ? errorInStream(answer) : errorIn(JSON.parse(answer));
  const answered = response.ok && text === "";
  const calls = servers.flatMap((server) => server.calls);
  const refusals = calls.filter((call): call is BrokenRule => call !== null);
  const fate = fateOf({ answered, calls: calls.length, refusals, text });
  return { fate, status: response.status, text, refusedBy: refusals.map(({ rule: { id } }) => id) };
}

function errorIn(answer: unknown): string {
  const { error } = answer as { readonly error?: { readonly message?: unknown } };
  return String(error?.message ?? "");
}

/** What an event says that ends a stream early; empty for a whole answer, and for a stream without one. */
const errorInStream = (answer: string): string =>
  answer
    .split("\n")
    .filter((line) => line.startsWith("data: {") && line.includes('"error":{'))
    .map((line) => errorIn(JSON.parse(line.slice("data: ".length))))
    .join("");

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
