import { describe, expect, it } from "vitest";
import { RefusalHistory } from "../../../../src/gateway/access/limits/refusal-history.js";

const MINUTE = 60_000;
const NOON = Date.UTC(2026, 0, 15, 12);
const refused = (principal: string) => ({ principal, refusedBy: "requests", budget: null }) as const;

describe("The history of refusals", () => {
  it("forgets what is a day old", () => {
    const history = new RefusalHistory();
    history.note(refused("key_a"), NOON);
    history.note(refused("key_a"), NOON + MINUTE);
    const later = NOON + 24 * 60 * MINUTE;
    expect(history.of("key_a", later).map(({ minuteMs }) => minuteMs)).toEqual([NOON + MINUTE]);
  });

  it("keeps at most 50,000 counts, the newest ones", () => {
    const [noted, learned] = [new RefusalHistory(), new RefusalHistory()];
    const ids = Array.from({ length: 60_000 }, (_, at) => `jwt:${at}`);
    for (const id of ids) noted.note(refused(id), NOON);
    learned.learn(ids.map((id) => ({ ...refused(id), minuteMs: NOON, requests: 1 })));
    for (const history of [noted, learned]) {
      const kept = history.of(undefined, NOON);
      expect(kept).toHaveLength(50_000);
      expect(kept.at(-1)?.principal).toBe("jwt:59999");
    }
  });
});
