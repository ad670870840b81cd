import { describe, expect, it } from "vitest";
import { BoundedMemo } from "../../src/catalog/bounded-memo.js";

/** A memo of each argument in capitals, with the arguments it had to work out. */
function memo(capacity: number) {
  const computed: string[] = [];
  const capitals = new BoundedMemo((key: string) => {
    computed.push(key);
    return key.toUpperCase();
  }, capacity);
  return { capitals, computed };
}

describe("a bounded memo", () => {
  it("works each argument out once", () => {
    const { capitals, computed } = memo(10);
    expect([capitals.get("a"), capitals.get("b"), capitals.get("a")]).toEqual(["A", "B", "A"]);
    expect(computed).toEqual(["a", "b"]);
  });

  it("keeps what is in use through a flood of others", () => {
    const { capitals, computed } = memo(10);
    for (let flood = 0; flood < 1_000; flood++) {
      capitals.get(`other ${flood}`);
      if (flood % 5 === 0) capitals.get("used");
    }
    expect(computed.filter((key) => key === "used")).toHaveLength(1);
  });

  it("forgets what has not been asked for since twice its capacity", () => {
    const { capitals, computed } = memo(10);
    capitals.get("once");
    for (let other = 0; other < 25; other++) capitals.get(`other ${other}`);
    capitals.get("once");
    expect(computed.filter((key) => key === "once")).toHaveLength(2);
  });

  it("forgets all when told to", () => {
    const { capitals, computed } = memo(10);
    capitals.get("a");
    capitals.clear();
    capitals.get("a");
    expect(computed).toEqual(["a", "a"]);
  });

  it("takes names of object members for arguments like any other", () => {
    const { capitals } = memo(10);
    expect(capitals.get("__proto__")).toBe("__PROTO__");
    expect(capitals.get("constructor")).toBe("CONSTRUCTOR");
  });
});
