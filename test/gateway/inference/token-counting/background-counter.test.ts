import { describe, expect, it } from "vitest";
import {
  backgroundCounter,
  TokenCountError,
} from "../../../../src/gateway/inference/token-counting/token-counter.js";

/** A counter that answers when it is told to. */
class HeldCounter {
  readonly asked: { readonly texts: readonly string[]; readonly settle: (result: number | Error) => void }[] =
    [];

  count(texts: readonly string[]): Promise<number> {
    return new Promise((resolve, reject) => {
      const settle = (result: number | Error) => (result instanceof Error ? reject(result) : resolve(result));
      this.asked.push({ texts, settle });
    });
  }
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe("Counts that nobody waits for", () => {
  it("are asked for one after the other, so that one at most takes turns with those that clients wait for", async () => {
    const counter = new HeldCounter();
    const background = backgroundCounter(counter);
    const counts = Array.from({ length: 20 }, (_, at) =>
      background.count([`text ${at}`], { model: "gpt-4o" }),
    );
    for (let at = 0; at < 20; at++) {
      await turn();
      expect(counter.asked).toHaveLength(at + 1);
      expect(counter.asked[at]?.texts).toEqual([`text ${at}`]);
      counter.asked[at]?.settle(at);
    }
    expect(await Promise.all(counts)).toEqual(Array.from({ length: 20 }, (_, at) => at));
  });

  it("go on after one that fails", async () => {
    const counter = new HeldCounter();
    const background = backgroundCounter(counter);
    const failing = background.count(["a"], { model: "gpt-4o" });
    const next = background.count(["b"], { model: "gpt-4o" });
    await turn();
    counter.asked[0]?.settle(new TokenCountError("closed"));
    await expect(failing).rejects.toThrow("closed");
    await turn();
    counter.asked[1]?.settle(2);
    expect(await next).toBe(2);
  });
});
