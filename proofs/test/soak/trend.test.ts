import { describe, expect, it } from "vitest";
import { seededRandom } from "../../../src/foundation/random.js";
import { trendOf } from "../../soak/trend.js";

const readings = (minutes: number, valueAt: (minute: number) => number) =>
  Array.from({ length: minutes * 12 }, (_, at) => ({ minute: at / 12, value: valueAt(at / 12) }));

describe("The trend of measurements over time", () => {
  it("has an interval that contains the true slope in about 95 of 100 noisy series", () => {
    const random = seededRandom(7);
    const noise = () => random() + random() + random() - 1.5;
    let held = 0;
    for (let series = 0; series < 400; series++) {
      const ofMinute = Array.from({ length: 15 }, noise);
      const trend = trendOf(readings(15, (minute) => minute + (ofMinute[Math.floor(minute)] ?? 0)));
      if (trend && trend.interval.low <= 60 && trend.interval.high >= 60) held++;
    }
    expect(held / 400).toBeGreaterThan(0.92);
    expect(held / 400).toBeLessThan(0.98);
  });
});
