import { encodeTime, ulid } from "ulid";
import { describe, expect, it } from "vitest";
import { timeOfRequestId } from "../../../src/gateway/traces/request-time.js";

describe("The time in a request id", () => {
  it("is that of its ULID", () => {
    for (const ms of [1, 1_763_600_000_123, 281_474_976_710_655]) {
      expect(timeOfRequestId(`req_${ulid(ms)}`)).toBe(ms);
    }
    expect(timeOfRequestId(`req_${encodeTime(31, 10)}`)).toBe(31);
  });

  it.each([
    "",
    "req_",
    "req_01ARZ3NDE",
    "01ARZ3NDEKTSV4RRFFQ69G5FAV",
    "req_01arz3ndektsv4rrffq69g5fav",
    "req_01ARZ3NDEU…",
  ])("of %j is 0, because it has no ULID", (id) => {
    expect(timeOfRequestId(id)).toBe(0);
  });
});
