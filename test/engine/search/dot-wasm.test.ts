import { expect, it } from "vitest";
import { assembleDotModule } from "../../../scripts/assemble-wasm.js";
import { dotModuleBytes } from "../../../src/engine/search/dot-wasm.js";

it("dot-wasm contains exactly what its source assembles to", async () => {
  expect(Buffer.from(dotModuleBytes())).toEqual(Buffer.from(await assembleDotModule()));
});
