import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { digestOf, generateApiKey, prefixOf } from "../../../../src/gateway/access/keys/api-key.js";
import { seededBytes } from "../../../fakes/random.js";

describe("generateApiKey", () => {
  it("returns pk_live_ and 40 letters and digits for any random bytes", () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        expect(generateApiKey(seededBytes(seed))).toMatch(/^pk_live_[0-9A-Za-z]{40}$/);
      }),
    );
  });

  it("discards bytes that would bias the distribution of characters", () => {
    const bytes = [255, 254, 248, 61];
    let next = 0;
    const key = generateApiKey((count) => Uint8Array.from({ length: count }, () => bytes[next++ % 4] ?? 0));
    expect(key).toBe(`pk_live_${"z".repeat(40)}`);
  });
});

it("digestOf returns SHA-256 in hexadecimal, and prefixOf the first 12 characters", () => {
  expect(digestOf("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  expect(prefixOf("pk_live_abcdefgh")).toBe("pk_live_abcd");
});
