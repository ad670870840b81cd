import { setTimeout as wait } from "node:timers/promises";
import type { CDPSession, Page } from "playwright-core";
import { tracesAt } from "./arrivals.js";

/** Seconds between two questions of the page, which are made as fast as it draws. */
const POLL_SECONDS = 2;
const QUIET_MS = 50;
/** Of the arrivals between two readings. */
const LONGEST_MS = 600_000;

export interface TailReading {
  /** Minutes of the shift. */
  readonly minute: number;
  readonly heapBytes: number;
  readonly nodes: number;
  readonly listeners: number;
}

interface Shift {
  readonly page: Page;
  readonly address: string;
  /** Of live tail, with an arrival each second. */
  readonly minutes: number;
  readonly readings: number;
  readonly onReading?: (reading: TailReading) => void;
}

/**
 * Hours of live tail in minutes: the console's own page, built and served by a gateway, whose pauses between two questions are left
 * out and whose lists are made up here.
 *
 * @param page signed in
 * @returns what the page takes after forced garbage collection, at even times
 */
export async function tailShift({
  page,
  address,
  minutes,
  readings,
  onReading,
}: Shift): Promise<TailReading[]> {
  const startMs = Date.now();
  const polls = (minutes * 60) / POLL_SECONDS;
  let poll = 0;
  let wanted = 1;
  await page.addInitScript(`{
    const start = setTimeout;
    window.setTimeout = (act, ms, ...more) => start(act, ms === ${POLL_SECONDS * 1000} ? 0 : ms, ...more);
  }`);
  await page.route(/\/admin\/traces\?/, async (route) => {
    // While the page is read, nothing arrives.
    if (poll < wanted) poll += 1;
    else await wait(QUIET_MS);
    const traces = tracesAt(poll * POLL_SECONDS, startMs);
    await route.fulfill({ json: { traces, total: poll * POLL_SECONDS + 1, has_more: true } });
  });
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable");
  await page.goto(`${address}/console/traces?live=1`);
  const found: TailReading[] = [];
  for (let at = 0; at <= readings; at++) {
    wanted = Math.max(1, Math.round((polls * at) / readings));
    const last = tracesAt(wanted * POLL_SECONDS, startMs)[0]?.request_id;
    await page.locator(`tbody tr a[title="${last}"]`).waitFor({ timeout: LONGEST_MS });
    const reading = { minute: (wanted * POLL_SECONDS) / 60, ...(await memoryOf(session)) };
    found.push(reading);
    onReading?.(reading);
  }
  await page.unrouteAll({ behavior: "ignoreErrors" });
  return found;
}

/** Of what is garbage, some is freed only once other garbage is. */
const COLLECTIONS = 3;

async function memoryOf(session: CDPSession): Promise<Omit<TailReading, "minute">> {
  for (let time = 0; time < COLLECTIONS; time++) await session.send("HeapProfiler.collectGarbage");
  const { metrics } = await session.send("Performance.getMetrics");
  const metric = (name: string): number => metrics.find((one) => one.name === name)?.value ?? Number.NaN;
  return {
    heapBytes: metric("JSHeapUsedSize"),
    nodes: metric("Nodes"),
    listeners: metric("JSEventListeners"),
  };
}
