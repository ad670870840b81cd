import { describe, expect, it } from "vitest";
import { allInOrder } from "../../src/foundation/all-in-order.js";

/** A promise that is settled from outside. */
function held() {
  let reject: (error: Error) => void = () => {};
  let resolve: () => void = () => {};
  const promise = new Promise<void>((onDone, onFailed) => {
    resolve = onDone;
    reject = onFailed;
  });
  return { promise, reject, resolve };
}

describe("allInOrder", () => {
  it("returns the values in the order of the promises", async () => {
    const values: [string, number] = await allInOrder([Promise.resolve("first"), 2]);
    expect(values).toEqual(["first", 2]);
    expect(await allInOrder([])).toEqual([]);
  });

  it.each([[[0, 1, 2]], [[2, 1, 0]], [[1, 2, 0]]])(
    "rejects with the first error of the list when they fail in the order %j",
    async (order) => {
      const all = [held(), held(), held()];
      const result = allInOrder([Promise.resolve(), ...all.map(({ promise }) => promise)]);
      const rejected = expect(result).rejects.toThrow("fault 0");
      for (const at of order) {
        all[at]?.reject(new Error(`fault ${at}`));
        await new Promise((resolve) => setImmediate(resolve));
      }
      await rejected;
    },
  );

  it("waits for the other promises before it rejects", async () => {
    const [slow, failing] = [held(), held()];
    let settled = false;
    const result = allInOrder([slow.promise, failing.promise]).finally(() => {
      settled = true;
    });
    const rejected = expect(result).rejects.toThrow("no");
    failing.reject(new Error("no"));
    await new Promise((resolve) => setImmediate(resolve));
    expect(settled).toBe(false);
    slow.resolve();
    await rejected;
  });
});
