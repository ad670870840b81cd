import { expect, it } from "vitest";
import { backgroundCounter } from "../../../src/gateway/token-counting/token-counter.js";
import { quiet } from "../../fakes/manual-time.js";

const GPT = { model: "gpt-4o" };

it("Counts that nobody waits for are asked for one after the other, also after one that fails", async () => {
  const asked: { readonly text: string | undefined; readonly settle: (result: number | Error) => void }[] =
    [];
  const background = backgroundCounter({
    count: ([text]) =>
      new Promise((resolve, reject) => {
        const settle = (result: number | Error) =>
          typeof result === "number" ? resolve(result) : reject(result);
        asked.push({ text, settle });
      }),
  });
  const texts = ["first", "second", "third"];
  const counts = texts.map((text) => background.count([text], GPT).catch((error: Error) => error.message));
  const results = [1, new Error("closed"), 3];
  for (const [at, result] of results.entries()) {
    await quiet();
    expect(asked.map(({ text }) => text)).toEqual(texts.slice(0, at + 1));
    asked[at]?.settle(result);
  }
  expect(await Promise.all(counts)).toEqual([1, "closed", 3]);
});
