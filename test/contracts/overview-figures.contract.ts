/** What the console shows of a period, against sums over the traces in plain code that shares nothing with the stores. */
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { DIMENSIONS, type Dimension } from "../../src/console/api/dimensions.js";
import type { Range } from "../../src/console/charts/ranges.js";
import { clockTime, momentOf, type ZoneOffset, zoneOffsets } from "../../src/foundation/time-zone.js";
import type { SeriesPointBody as Point } from "../../src/gateway/features/traces/schema/series.js";
import type { TraceStore } from "../../src/gateway/traces/store.js";
import type { Trace } from "../../src/gateway/traces/trace.js";
import { isDecisionAlone } from "../fakes/trace-matches.js";
import { dimensionOf, sumsOf } from "../fakes/trace-store.js";
import { ADMIN_KEY, startTestServer, type TestServer } from "../gateway/server.js";
import { anyTrace, METADATA_KEYS } from "../gateway/traces/arbitrary-traces.js";
import { requestIdAt } from "../gateway/traces/trace-for-test.js";
import type { StoreUnderTest } from "./trace-store.contract.js";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Zones with the changes of their clocks in 2026: at whole and at half hours, at midnight, and never. */
const ZONES: Readonly<Record<string, readonly string[]>> = {
  "Europe/Berlin": ["2026-03-29T01:00Z", "2026-10-25T01:00Z"],
  "Australia/Lord_Howe": ["2026-04-04T15:00Z", "2026-10-03T15:30Z"],
  "America/Santiago": ["2026-04-05T03:00Z", "2026-09-06T04:00Z"],
  "Asia/Kathmandu": ["2026-06-01T00:00Z"],
};

/** Every range that the page has, and a part of time of any length. */
const RANGES = ["15m", "1h", "6h", "24h", "7d", "30d", "month", "chosen"] as const;

interface Console {
  chosenRange(fromMs: number, toMs: number): Range | undefined;
  rangeNamed(name: string): Range;
  fetchFigures(range: Range, by: Dimension, signal: AbortSignal): Promise<Figures>;
  fetchBefore(range: Range, signal: AbortSignal): Promise<Point | null>;
  fetchNewer(
    before: Figures,
    asked: { readonly range: Range; readonly by: Dimension },
    signal: AbortSignal,
  ): Promise<Figures>;
}

interface Figures {
  readonly startMs: number;
  readonly all: readonly Point[];
  readonly split: readonly Point[];
  readonly totals: readonly Point[];
}

/** The console's own code, in the zone that the process has then. By address: its types are those of a browser. */
async function consoleIn(zone: string): Promise<Console> {
  process.env.TZ = zone;
  vi.resetModules();
  const [ranges, figures] = await Promise.all(
    ["charts/ranges.ts", "overview/fetch-figures.ts"].map(
      (file) => import(new URL(`../../src/console/${file}`, import.meta.url).href),
    ),
  );
  return { ...ranges, ...figures };
}

/** Every grouping that the page offers. */
const GROUPINGS: readonly Dimension[] = [
  ...DIMENSIONS,
  ...METADATA_KEYS.filter((key) => key !== "").map((key) => `metadata.${key}` as const),
];

const AGAIN: readonly Dimension[] = ["model", "day", "metadata.tenant"];

/** @param zones the clocks to ask in; default all */
export function overviewFiguresContract(
  name: string,
  underTest: StoreUnderTest,
  { zones = Object.keys(ZONES) }: { readonly zones?: readonly string[] } = {},
): void {
  describe(`The overview over ${name}`, () => {
    const zone = process.env.TZ;
    let store: TraceStore;
    let server: TestServer;
    beforeEach(async () => {
      store = await underTest.open();
      server = startTestServer({ traces: store, now: () => Date.now() });
      // The page asks without a host; others, such as a store, still ask theirs: again where the clock that the test sets has
      // kept a socket for too long.
      const elsewhere = fetch;
      const twice = (address: string | URL, options: RequestInit) =>
        elsewhere(address, options).catch(() => elsewhere(address, options));
      vi.stubGlobal("fetch", (address: string | URL, options: RequestInit = {}) =>
        (String(address).startsWith("/") ? ask.bind(null, server) : twice)(String(address), options),
      );
    });
    afterEach(async () => {
      vi.useRealTimers();
      vi.unstubAllGlobals();
      if (zone === undefined) delete process.env.TZ;
      else process.env.TZ = zone;
      await server.app.close();
      await underTest.dispose(store);
    });

    it.each(zones)(
      "has the figures of the traces for groupings and ranges of which each pair is asked for in two zones, on the clock of %s",
      async (timeZone) => {
        const there = await consoleIn(timeZone);
        const seed = 20_261_128;
        const [{ nowMs, traces, chosen, later } = fail()] = fc.sample(anyCase(timeZone), {
          numRuns: 1,
          seed,
        });
        vi.useFakeTimers({ toFake: ["Date"], now: nowMs });
        const offsets = zoneOffsets(timeZone, { fromMs: nowMs - 1000 * DAY, toMs: nowMs + 365 * DAY });
        const all = [...traces];
        await store.append(traces);
        for (const [rangeIndex, rangeName] of RANGES.entries()) {
          for (const [groupingIndex, by] of GROUPINGS.entries()) {
            if ((Object.keys(ZONES).indexOf(timeZone) + rangeIndex + groupingIndex) % 2 !== 0) continue;
            vi.setSystemTime(nowMs);
            const range =
              rangeName === "chosen"
                ? there.chosenRange(nowMs - chosen.agoMs, nowMs - chosen.agoMs + chosen.lengthMs)
                : there.rangeNamed(rangeName);
            if (range === undefined) throw new Error("the range is empty");
            const figures = await there.fetchFigures(range, by, signal());
            const asked = { range, by, offsets, startMs: figures.startMs, endMs: range.endMs ?? nowMs };
            const what = `${rangeName} by ${by}, seed ${seed}`;
            const inside = within(all, asked);
            expect(stepsOf(figures.all, asked), what).toEqual(expectedSteps(inside, asked, () => null));
            const shown = largestIn(inside, groupsOf(asked));
            const splitOf = ({ split }: Figures) => split.filter(({ group }) => shown.has(group));
            expect(stepsOf(splitOf(figures), asked), what).toEqual(
              expectedSteps(ofGroups(shown, inside, asked), asked, groupsOf(asked)),
            );
            expect(stepsOf(figures.totals, whole(asked)), what).toEqual(
              expectedSteps(inside, whole(asked), groupsOf(asked)),
            );
            // What does not depend on the grouping is asked for once, and what came since with three.
            if (by === GROUPINGS[0]) {
              const before = await there.fetchBefore(range, signal());
              const earlier = within(all, { startMs: startBefore(asked), endMs: figures.startMs });
              expect(stepsOf(before === null ? [] : [before], whole(asked)), what).toEqual(
                expectedSteps(earlier, whole(asked), () => null),
              );
            }
            if (range.endMs !== undefined || !AGAIN.includes(by)) continue;
            const arrived = later.map((trace) => at(trace, nowMs + 1000));
            await store.append(arrived);
            all.push(...arrived);
            vi.setSystemTime(nowMs + 5000);
            const newer = await there.fetchNewer(figures, { range, by }, signal());
            const then = { ...asked, startMs: newer.startMs, endMs: nowMs + 5000 };
            expect(stepsOf(splitOf(newer), then), what).toEqual(
              expectedSteps(ofGroups(shown, within(all, then), then), then, groupsOf(then)),
            );
          }
        }
      },
    );
  });
}

async function ask({ app }: TestServer, path: string, options: RequestInit): Promise<Response> {
  const reply = await app.inject({
    url: path,
    headers: { ...(options.headers as Record<string, string>), "x-api-key": ADMIN_KEY },
  });
  const headers = Object.entries(reply.headers).map(([name, value]): [string, string] => [
    name,
    String(value),
  ]);
  return new Response(reply.statusCode === 304 ? null : reply.body, { status: reply.statusCode, headers });
}

const fail = (): never => {
  throw new Error("there is no sample");
};

const signal = (): AbortSignal => new AbortController().signal;

const at = (trace: Trace, createdAtMs: number): Trace => ({
  ...trace,
  createdAtMs,
  requestId: requestIdAt(createdAtMs),
});

/** A time within the ranges after a change of the clock, and traces before it: many recent, some long ago, half at quarter hours ± 1 ms. */
const anyCase = (zone: string) =>
  fc
    .record({
      change: fc.constantFrom(...(ZONES[zone] ?? [])),
      sinceMs: fc.oneof(fc.integer({ min: 0, max: 2 * HOUR }), fc.integer({ min: 0, max: 29 * DAY })),
      traces: fc.array(
        fc.tuple(
          anyTrace,
          fc.integer({ min: 0, max: 1_000_000 }).map((part) => part / 1_000_000),
          fc.nat(5),
        ),
        { minLength: 150, maxLength: 250, size: "max" },
      ),
      later: fc.array(anyTrace, { minLength: 1, maxLength: 2 }),
      chosen: fc.record({
        agoMs: fc.integer({ min: DAY, max: 360 * DAY }),
        lengthMs: fc.integer({ min: 1000, max: 300 * DAY }),
      }),
    })
    .map(({ change, sinceMs, traces, ...more }) => {
      const nowMs = Date.parse(change) + sinceMs;
      return {
        ...more,
        nowMs,
        traces: traces.map(([trace, share, place]) => {
          const ageMs = share < 0.8 ? 70 * DAY * (share / 0.8) ** 4 : 400 * DAY * share;
          const exact = Math.floor(nowMs - ageMs);
          const quarter = Math.floor(exact / (15 * MINUTE)) * 15 * MINUTE;
          return at(trace, place < 3 ? quarter + place - 1 : exact);
        }),
      };
    });

interface Asked {
  readonly range: Pick<Range, "stepMs" | "lengthMs">;
  readonly by: Dimension;
  /** Of the clock that steps longer than an hour follow. */
  readonly offsets: readonly ZoneOffset[];
  readonly startMs: number;
  readonly endMs: number;
}

const within = (traces: readonly Trace[], { startMs, endMs }: Pick<Asked, "startMs" | "endMs">) =>
  traces.filter(({ createdAtMs }) => createdAtMs >= startMs && createdAtMs < endMs);

/** In one step. */
const whole = (asked: Asked): Asked => ({
  ...asked,
  range: { ...asked.range, stepMs: Number.POSITIVE_INFINITY },
});

/** The number of the step that a time is in: of hours and days on the clock, of shorter ones since the start. */
function stepNumber(ms: number, asked: Asked): number {
  const { stepMs } = asked.range;
  if (stepMs === Number.POSITIVE_INFINITY) return 0;
  const offsets = stepMs <= HOUR ? [] : asked.offsets;
  return Math.floor((clockTime(ms, offsets) - clockTime(asked.startMs, offsets)) / stepMs);
}

/** As long before as the range is long, on the clock where its steps are. */
function startBefore({ range: { stepMs, lengthMs }, startMs, offsets: ofZone }: Asked): number {
  const offsets = stepMs <= HOUR ? [] : ofZone;
  return momentOf(clockTime(startMs, offsets) - lengthMs, offsets);
}

type Grouping = (trace: Trace) => string | null;

const groupsOf =
  ({ by, offsets }: Asked): Grouping =>
  (trace) =>
    dimensionOf(trace, by, offsets);

/** Values that are among those of a chart for certain: of equal ones, all or none. */
const MOST_SPLIT = 10;

function largestIn(traces: readonly Trace[], groupOf: Grouping): ReadonlySet<string | null> {
  const sums = new Map<string | null, { picodollars: number; requests: number }>();
  for (const trace of traces) {
    const sum = sums.get(groupOf(trace)) ?? { picodollars: 0, requests: 0 };
    sum.picodollars += figuresOf(trace).at(-1) ?? 0;
    sum.requests += Number(!isDecisionAlone(trace));
    sums.set(groupOf(trace), sum);
  }
  const notSmaller = (than: { readonly picodollars: number; readonly requests: number }): number =>
    [...sums.values()].filter(
      ({ picodollars, requests }) =>
        picodollars > than.picodollars || (picodollars === than.picodollars && requests >= than.requests),
    ).length;
  return new Set([...sums].filter(([, sum]) => notSmaller(sum) <= MOST_SPLIT).map(([group]) => group));
}

const ofGroups = (groups: ReadonlySet<string | null>, traces: readonly Trace[], asked: Asked) =>
  traces.filter((trace) => groups.has(groupsOf(asked)(trace)));

/** Requests, errors, timeouts, decisions, requests without a cost, tokens in and out, and billionths of a thousandth of a dollar. */
type Sums = readonly number[];

function figuresOf(trace: Trace): Sums {
  const { requests, errors, timeouts, decisions, requestsWithoutCost, ...more } = sumsOf([trace]);
  // Sums of costs depend on their order.
  const picodollars = Math.round(more.costUsd * 1e12);
  return [
    requests,
    errors,
    timeouts,
    decisions,
    requestsWithoutCost,
    more.tokensIn,
    more.tokensOut,
    picodollars,
  ];
}

function expectedSteps(traces: readonly Trace[], asked: Asked, groupOf: Grouping): Record<string, Sums> {
  const steps: Record<string, Sums> = {};
  for (const trace of traces) {
    const name = JSON.stringify([stepNumber(trace.createdAtMs, asked), groupOf(trace)]);
    const sums = steps[name] ?? [];
    steps[name] = figuresOf(trace).map((figure, at) => (sums[at] ?? 0) + figure);
  }
  return steps;
}

/** The sums of the points; none may have the step and the group of another. */
function stepsOf(points: readonly Point[], asked: Asked): Record<string, Sums> {
  const steps = points.map((point): [string, Sums] => {
    const { requests, errors, timeouts, decisions, requests_without_cost: unpriced } = point;
    const figures = [requests, errors, timeouts, decisions, unpriced, point.tokens_in, point.tokens_out];
    const name = JSON.stringify([stepNumber(Date.parse(point.start), asked), point.group]);
    return [name, [...figures, Math.round(point.cost_usd * 1e12)]];
  });
  const names = steps.map(([name]) => name);
  expect(names.filter((name, at) => names.indexOf(name) < at)).toEqual([]);
  return Object.fromEntries(steps);
}
