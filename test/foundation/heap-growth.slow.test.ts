import { execFile } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const MODULE = pathToFileURL(join(import.meta.dirname, "../../src/foundation/heap-growth.ts")).href;

/** Makes garbage that lives long enough to leave the young generation. */
const CHURN = `
  const live = Array.from({ length: 300_000 }, (_, index) => ({ index, text: "x" + index }));
  const recent = [];
  for (let index = 0; index < 4_000_000; index++) recent[index % 200_000] = { index, list: [index] };
  console.log(live.length);
`;

/** How often the old generation was collected. */
async function collections(preparation: string): Promise<number> {
  const code = `${preparation}${CHURN}`;
  const args = ["--trace-gc", "--import", "tsx", "--input-type=module", "--eval", code];
  const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 2 ** 24 });
  return stdout.match(/Mark-Compact/g)?.length ?? 0;
}

it("limitHeapGrowth has the old generation collected at least twice as often as V8 would by itself", async () => {
  const [byItself, limited] = await Promise.all([
    collections(""),
    collections(`(await import(${JSON.stringify(MODULE)})).limitHeapGrowth();`),
  ]);
  expect(byItself).toBeGreaterThan(0);
  expect(limited).toBeGreaterThanOrEqual(2 * byItself);
});
