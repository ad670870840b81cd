/** Every JavaScript example of the documentation, run with the built package against a gateway with the sandbox. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { examplesIn, ROOT } from "./examples.js";
import { type SandboxGateway, startSandboxGateway } from "./sandbox-gateway.js";

const execute = promisify(execFile);

/** What each example prints. */
const PRINTED: Readonly<Record<string, RegExp>> = {
  "README.md, Three ways to use it, js 1": /^\S+ 0\.\d+ 0\.\d+ (highest|cheapest|best) .+\n$/,
  "README.md, Three ways to use it, js 2": /^\S+ 0 \[sandbox\] /,
  "docs/client.md, The client library, js 1": /^\S+ 0 \[sandbox\] /,
  "docs/client.md, The client library, js 2": /^\[sandbox\] [\s\S]*\n0 USD in [\d.]+ ms\n$/,
  "docs/client.md, The client library, js 3": /^2 vectors of 128 numbers for 0 USD\n$/,
  // The trace is that of the first example.
  "docs/client.md, The client library, js 4":
    /^\S+ 0\.\d+ (highest|cheapest|best) .+\n\d+ models, \d+ providers ready\nreq_\S+ \S+ 0\n$/,
  "docs/client.md, The same with other clients, js 1": /^\S+ 0\n$/,
  "docs/client.md, The same with other clients, js 2": /^\S+ \[sandbox\] /,
  "docs/messages.md, With Anthropic's SDKs, js 1": /^\[sandbox\] /,
};

let gateway: SandboxGateway;
beforeAll(async () => {
  gateway = await startSandboxGateway();
});
afterAll(() => gateway.stop());

describe("JavaScript examples in the documentation", () => {
  it.each(examplesIn("js").map(({ name, code }) => [name, code]))("run: %s", async (name, code) => {
    const { stdout } = await execute(process.execPath, ["--input-type=module", "-e", gateway.here(code)], {
      cwd: ROOT,
      env: gateway.environment,
    });
    expect(PRINTED, "every example needs an entry in PRINTED").toHaveProperty([name]);
    expect(stdout).toMatch(PRINTED[name] as RegExp);
  });

  it("each have an expected output, and no other output is expected", () => {
    expect(Object.keys(PRINTED).sort()).toEqual(
      examplesIn("js")
        .map(({ name }) => name)
        .sort(),
    );
  });
});
