import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { overloadFigures } from "../../overload/figures.js";
import type { OverloadRound } from "../../overload/measure.js";
import { sendOpenLoop } from "../../overload/open-loop.js";

/** Answers by the number in the body: even ones, ones that are refused, one that is rejected and one that hangs. */
const server = createServer((request, response) => {
  let body = "";
  request.on("data", (text) => {
    body += text;
  });
  request.on("end", () => {
    const answers: Readonly<Record<string, () => void>> = {
      refuse: () =>
        response
          .writeHead(503, { "retry-after": "1" })
          .end(JSON.stringify({ error: { code: "overloaded" } })),
      down: () => response.writeHead(503).end("{}"),
      reject: () => response.writeHead(400).end("{}"),
      hang: () => undefined,
    };
    (answers[body] ?? (() => response.end("{}")))();
  });
});

beforeAll(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)));
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const round = (peak: number, goodput: number): OverloadRound => ({
  ...{ peak, goodput, p50Ms: 10, p99Ms: 20, refused: 0.5, refusedWell: 1, refusalP50Ms: 1, failed: 0 },
  ...{ memoryMb: 300, sentLateP99Ms: 2 },
});

describe("The open-loop load", () => {
  it("accounts for every request that it sends, by what became of it", async () => {
    const { port } = server.address() as AddressInfo;
    const bodies = ["accept", "accept", "refuse", "down", "reject", "hang"];
    const result = await sendOpenLoop(
      { address: `http://127.0.0.1:${port}`, path: "/", headers: {}, bodies },
      { perSecond: 600, seconds: 0.2, drainMs: 500, connections: 64 },
    );
    const { sent, accepted, refused, refusedWell, others, unanswered } = result;
    expect(sent).toBeGreaterThan(0);
    const rejected = others["400"] ?? 0;
    expect(accepted.length + refused.length + rejected + unanswered).toBe(sent);
    expect(accepted.length).toBeGreaterThanOrEqual(Math.floor(sent / bodies.length));
    expect(refusedWell).toBeLessThan(refused.length + 1);
    expect(unanswered).toBeGreaterThanOrEqual(Math.floor(sent / bodies.length));
    expect(result.sentLate).toHaveLength(sent);
  });
});

describe("The figures of overload", () => {
  it("compare the goodput with the peak of the same round, and take the median", () => {
    const figures = overloadFigures("decisions", [round(100, 95), round(200, 100), round(50, 49)]);
    const ratio = figures.find(({ id }) => id === "overload/decisions/goodput_ratio");
    expect(ratio).toMatchObject({ value: 0.95, goal: 0.9, samples: [0.95, 0.5, 0.98] });
  });
});
