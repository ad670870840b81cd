import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openBrowser, signedIn } from "../../../bench/console/browser.js";
import { ADMIN_KEY, type Gateway, startGateway } from "../../../test/e2e/console/gateway.js";
import { figuresOf } from "../../shift/figures.js";
import { type TailReading, tailShift } from "../../shift/live-tail.js";

let gateway: Gateway;
let browser: Browser;

beforeAll(async () => {
  gateway = await startGateway();
  browser = await openBrowser();
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await gateway?.stop();
});

const tail = async (minutes: number, readings: number): Promise<TailReading[]> =>
  tailShift({
    ...{ page: await signedIn(browser, gateway.address, ADMIN_KEY), address: gateway.address },
    ...{ minutes, readings },
  });

it("Half an hour of live tail leaves memory, nodes and listeners as they were", async () => {
  const readings = (await tail(30, 6)).slice(1);
  const [first] = readings;
  if (first === undefined) throw new Error("there are no readings");
  for (const { heapBytes, nodes, listeners } of readings) {
    expect(nodes / first.nodes).toBeLessThan(1.1);
    expect(listeners / first.listeners).toBeLessThan(1.1);
    // A row that leaked took 24 kB: 1,500 of them would be 36 MB.
    expect(heapBytes - first.heapBytes).toBeLessThan(2 * 1024 ** 2);
  }
});

it("Trends of a page that keeps rows are far from level", () => {
  const readings = Array.from({ length: 20 }, (_, at): TailReading => {
    const minute = 5 * at;
    return { minute, heapBytes: 5e6 + 24_000 * 60 * minute, nodes: 3000 + 41 * 60 * minute, listeners: 170 };
  });
  const perHour = (id: string) => figuresOf(readings).find((figure) => figure.id === `shift/${id}/per-hour`);
  expect(perHour("nodes")?.value).toBeCloseTo(41 * 3600, 3);
  expect(perHour("heap")?.interval?.low).toBeGreaterThan(80);
  expect(perHour("listeners")?.value).toBeCloseTo(0, 9);
});
