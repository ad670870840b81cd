import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";

const PROGRAM = `
  import { contentBlocks } from "./src/gateway/providers/anthropic/content.js";
  const of = (data) => contentBlocks([{ type: "image_url", image_url: { url: "data:image/png;base64," + data } }], "content");
  const data = "A".repeat(12_000_000);
  console.log(of(data)[0].source.data === data);
  try { of(data.slice(0, -4) + "!AAA"); } catch ({ code }) { console.log(code); }
`;

it("An image for Anthropic may be large in a process with so much code that V8 does not optimize expressions", () => {
  // Such a process compiles all of its expressions in this way; one that has compiled some before keeps them as they are.
  const options = ["--no-regexp-optimization", "--import", "tsx", "--input-type=module", "--eval", PROGRAM];
  expect(execFileSync(process.execPath, options, { encoding: "utf8" })).toBe("true\nrequest_refused\n");
});
