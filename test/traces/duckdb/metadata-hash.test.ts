import { describe, expect, it } from "vitest";
import { metadataHash } from "../../../src/traces/duckdb/metadata-hash.js";

describe("the hash of a metadata value", () => {
  it("never changes, because files hold it", () => {
    expect(metadataHash("tenant", "acme")).toBe(-6553032054156511807n);
    expect(metadataHash("", "")).toBe(-6222809348231128597n);
  });

  it("is a signed number of 64 bits, that differs in half of them from that of a text like it", () => {
    let differing = 0;
    for (let number = 0; number < 1000; number++) {
      const [one, other] = [metadataHash("user", `u${number}`), metadataHash("user", `u${number + 1}`)];
      expect(BigInt.asIntN(64, one)).toBe(one);
      differing += BigInt.asUintN(64, one ^ other)
        .toString(2)
        .replaceAll("0", "").length;
    }
    expect(differing / 1000).toBeGreaterThan(30);
    expect(differing / 1000).toBeLessThan(34);
  });

  it("tells apart keys and values that make the same text, and a million of each other", () => {
    const hashes = new Set<bigint>();
    for (const [key, value] of [
      ["a", "bc"],
      ["ab", "c"],
      ["abc", ""],
      ["", "abc"],
      ["c", "ab"],
    ] as const) {
      hashes.add(metadataHash(key, value));
    }
    for (let number = 0; number < 250_000; number++) {
      hashes.add(metadataHash("user", `u${number}`));
      hashes.add(metadataHash("user", String(number)));
      hashes.add(metadataHash(`k${number % 500}`, `${Math.floor(number / 500)}`));
      hashes.add(metadataHash("ids", `${number}-${number * 7}`));
    }
    expect(hashes.size).toBe(1_000_005);
  });
});
