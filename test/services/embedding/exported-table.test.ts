import { readFileSync } from "node:fs";
import { join } from "node:path";
import { InferenceSession, Tensor } from "onnxruntime-node";
import { expect, it } from "vitest";
import { readExportedTable } from "../../../src/engine/embedding/static/exported-table.js";
import { exportedTokenTable } from "../../../src/engine/embedding/static/token-table.js";
import { SHIPPED_MODEL } from "../../engine/embedding/tiny-model.js";

const path = join(SHIPPED_MODEL, "onnx/model.onnx");
const shipped = readFileSync(path);

it("The table read from the shipped ONNX file gives every text the vector that the ONNX runtime computes", async () => {
  const exported = readExportedTable(shipped);
  if (exported === undefined) throw new Error("the shipped model was not recognised");
  const largestId = exported.scales.length - 1;
  const session = await InferenceSession.create(shipped, { executionProviders: ["cpu"] });
  const table = exportedTokenTable(exported, { largestId, path });
  for (let text = 0; text < 300; text++) {
    const ids = Int32Array.from(
      { length: 1 + (text % 60) },
      (_, at) => (text * 7_919 + at * at * 977) % largestId,
    );
    const input = new Tensor("int64", BigInt64Array.from(ids, BigInt), [1, ids.length]);
    const { sentence_embedding: output } = await session.run({ input_ids: input });
    const expected = output?.data as Float32Array;
    const found = table.unitSum(ids, ids.length);
    expect(
      Math.max(...found.map((value, at) => Math.abs(value - (expected[at] ?? Number.NaN)))),
    ).toBeLessThan(1e-6);
  }
  await session.release();
});
