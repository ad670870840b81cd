import fc from "fast-check";
import { expect, it } from "vitest";
import { AnchorHeap } from "../../../src/profiles/index/heap.js";

const entries = fc.array(fc.integer({ min: -1_000, max: 1_000 }), { minLength: 1, maxLength: 200 });

it("gives anchors back by rising key, whatever the order they came in", () => {
  fc.assert(
    fc.property(entries, (keys) => {
      const heap = new AnchorHeap(4);
      for (const [anchor, key] of keys.entries()) heap.push(key, anchor);
      const popped = keys.map(() => keys[heap.pop()]);
      expect(popped).toEqual(keys.toSorted((a, b) => a - b));
      expect(heap.size).toBe(0);
    }),
  );
});

it("replaces its lowest entry", () => {
  fc.assert(
    fc.property(entries, fc.integer({ min: -1_000, max: 1_000 }), (keys, added) => {
      const heap = new AnchorHeap(4);
      for (const [anchor, key] of keys.entries()) heap.push(key, anchor);
      heap.replaceTop(added, keys.length);
      const all = [...keys, added];
      const left = keys.toSorted((a, b) => a - b).slice(1);
      expect(keys.map(() => all[heap.pop()])).toEqual([...left, added].sort((a, b) => a - b));
    }),
  );
});
