/** Every JavaScript example of the documentation, run with the built package against a gateway with the sandbox. */
import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { folderForTests } from "../support/folders.js";
import { examplesIn, ROOT } from "./examples.js";
import { type SandboxGateway, startSandboxGateway } from "./sandbox-gateway.js";

const execute = promisify(execFile);

/** What each example prints. */
const PRINTED: Readonly<Record<string, RegExp>> = {
  "README.md, Three ways to use it, js 1": /^\S+ 0\.\d+ 0\.\d+ (highest|cheapest|best) .+\n$/,
  "README.md, Three ways to use it, js 2": /^\S+ 0 \[sandbox\] /,
  "docs/embedded.md, The embedded router, js 1":
    /^(\S+): (highest|cheapest|best) .+\n\1: 0\.\d+ ± 0\.\d+, 0\.\d+ USD\n(\S+: .+\n){2}$/,
  "docs/embedded.md, Prompts and conversations, js 1": /^\S+ \d+ tokens expected\n\S+, \S+\n$/,
  "docs/client.md, The client library, js 1": /^\S+ 0 \[sandbox\] /,
  "docs/client.md, The client library, js 2": /^\[sandbox\] [\s\S]*\n0 USD in [\d.]+ ms\n$/,
  "docs/client.md, The client library, js 3": /^2 vectors of 128 numbers for 0 USD\n$/,
  // The trace is that of the first example.
  "docs/client.md, The client library, js 4":
    /^\S+ 0\.\d+ (highest|cheapest|best) .+\nauto: \$[\d.e-]+ an answer\n\d+ models, \d+ providers ready\nreq_\S+ \S+ 0\n$/,
  "docs/client.md, The same with other clients, js 1": /^\S+ 0\n$/,
  "docs/client.md, The same with other clients, js 2": /^\S+ \[sandbox\] /,
  "docs/messages.md, With Anthropic's SDKs, js 1": /^\[sandbox\] /,
  "docs/workbench.md, In code, js 1": /^gpt-5\.4-mini 2 0\nclaude-haiku-4-5 2 0\n$/,
  "docs/workbench.md, In code, js 2":
    /^4 models, 84 prompts\n0 models differ\n\d+ of \d+ prompts go to another model than at cost weight 0\nwithin 2 points of the best: cost weight \S+\n10 prompts to label\n12 graded answers, \d+ prompts\n\d+ models, \d+ topics\n$/,
};

/** Where the files that examples name are. */
const folder = folderForTests();
const FILES = [
  "questions.csv",
  "collected",
  "held-out.jsonl",
  "graded.jsonl",
  "profiles/ours",
  "profiles/next",
  "known.jsonl",
  "known-graded.jsonl",
  "report.html",
  "traces.jsonl",
  "traffic",
  "profiles/learned",
];
const withFiles = (code: string): string =>
  FILES.reduce(
    (text, name) => text.replaceAll(JSON.stringify(name), JSON.stringify(join(folder, name))),
    code,
  );

/** `profiles/ours`, built from two thirds of the sample; the rest in `held-out.jsonl` and `graded.jsonl`. */
async function buildSet(): Promise<void> {
  const [prompts, outcomes] = ["prompts.jsonl", "outcomes.jsonl"].map((name) =>
    readFileSync(join(ROOT, "datasets/sample", name), "utf8")
      .trimEnd()
      .split("\n"),
  ) as [string[], string[]];
  const isHeld = (line: string) => /"id": ?"\w+-\d*[036]"/.test(line);
  const write = (name: string, rows: readonly string[]) => writeFileSync(join(folder, name), rows.join("\n"));
  write("held-out.jsonl", prompts.filter(isHeld));
  write("graded.jsonl", outcomes.filter(isHeld));
  write(
    "known.jsonl",
    prompts.filter((line) => !isHeld(line)),
  );
  write(
    "known-graded.jsonl",
    outcomes.filter((line) => !isHeld(line)),
  );
  write(
    "traces.jsonl",
    Array.from({ length: 12 }, (_, number) => JSON.stringify(tracedRequest(number))),
  );
  const files = ["--prompts", "known.jsonl", "--outcomes", "known-graded.jsonl", "--out", "profiles/ours"];
  await execute(process.execPath, [join(ROOT, "dist/cli/main.js"), "profile", "build", ...files], {
    cwd: folder,
  });
}

/** As `sextant traces export` prints a finished request with feedback. */
const tracedRequest = (number: number) => ({
  ...{ request_id: `req_${number}`, kind: "router", status: "success", model: "sample-large" },
  ...{ tokens_in: 10, tokens_out: 20, cost_usd: 0.001, latency_ms: 500, finish_reason: "stop" },
  ...{ input_text: `What is ${number} times ${number + 1}?`, output_text: "4", attempts: [{}] },
  ...{ feedback: { score: number % 2 }, routing: { selected_model: "sample-large" } },
});

let gateway: SandboxGateway;
beforeAll(async () => {
  writeFileSync(
    join(folder, "questions.csv"),
    "id,question,answer\n1,What is 1 + 1?,2\n2,What is 2 + 2?,4\n",
  );
  await buildSet();
  gateway = await startSandboxGateway();
});
afterAll(() => gateway.stop());

describe("JavaScript examples in the documentation", () => {
  it.each(examplesIn("js").map(({ name, code }) => [name, code]))("run: %s", async (name, code) => {
    const script = withFiles(gateway.here(code));
    // The workbench asks providers itself.
    const own = code.includes("sextant/workbench") ? { SEXTANT_SANDBOX: "true" } : {};
    const { stdout } = await execute(process.execPath, ["--input-type=module", "-e", script], {
      cwd: ROOT,
      env: { ...gateway.environment, ...own },
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
