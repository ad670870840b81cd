import { describe, expect, it } from "vitest";
import { comparisonListSchema } from "../../../../src/gateway/features/comparisons/schema.js";
import { ADMIN_KEY, get, NOTHING_WAITS, NOW_MS, startTestServer } from "../../server.js";
import { RESULT } from "./result-for-test.js";

const ENTRY = { name: "cheaper", with: "auto:0.5", share: 0.05, max_usd_per_day: 2, judges: ["judge"] };
const started = () =>
  startTestServer({
    comparisons: {
      entries: () => [ENTRY],
      results: async () => [
        { ...RESULT, at: NOW_MS },
        { ...RESULT, at: NOW_MS, outcome: "same", difference: 0 },
      ],
      state: () => ({ ...NOTHING_WAITS, waiting: 2 }),
    },
  }).app;

describe("GET /admin/comparisons", () => {
  it("shows what each comparison came to, as documented", async () => {
    const response = await get(started(), "/admin/comparisons", { "x-api-key": ADMIN_KEY });
    expect(response.statusCode).toBe(200);
    expect(comparisonListSchema.parse(response.json())).toEqual(response.json());
    expect(response.json().data).toMatchObject([
      {
        name: "cheaper",
        with: "auto:0.5",
        graded_by: "judge",
        comparisons: 2,
        losses: 1,
        ties: 1,
        same: 1,
        wins: 0,
        verdict: "unclear",
        bill_change: null,
        served_usd: 0.04,
        waiting: 2,
        spent: { today: 0.08, answers: 0.02, judging: 0.06 },
      },
    ]);
  });
});
