import { expect, it } from "vitest";
import { assembleScoreModule } from "../../../../scripts/assemble-wasm.js";
import { scoreModuleBytes } from "../../../../src/engine/estimation/scoring/score-wasm.js";

it("score-wasm contains exactly what its source assembles to", async () => {
  expect(Buffer.from(scoreModuleBytes())).toEqual(Buffer.from(await assembleScoreModule()));
});
