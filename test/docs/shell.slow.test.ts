/**
 * Every command of the documentation: curl against a gateway with the sandbox, and `sextant` as it is built. Those that are not
 * run are in `NOT_RUN`, with the reason.
 */
import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { folderForTests } from "../support/folders.js";
import { commandsOf, documentedScripts } from "./commands.js";
import { ROOT } from "./examples.js";
import { type SandboxGateway, startSandboxGateway } from "./sandbox-gateway.js";

const execute = promisify(execFile);

const NOT_RUN: readonly (readonly [command: RegExp, why: string])[] = [
  [/^npm ci && npm start$/, "sandbox-gateway.ts runs what `npm start` runs, and .ci/run runs `npm ci`"],
  [/^npm ci && npm test$/, "this test is part of it"],
  [/^npm pack$/, "test/e2e/installed-package.test.ts packs"],
  [/^npm install \.\.\/sextant\/sextant-\S+\.tgz$/, "test/e2e/installed-package.test.ts installs"],
  [
    /^npm run (bench(:quality)?|proof)( |$)/,
    "measures for minutes; test/bench and proofs/test have its tests, and .ci/run runs the gate",
  ],
  [/^npm run datasets -- /, "downloads public data sets; test/datasets has its tests"],
  [/^(cd training|for s in |cd \.\. && npm run bench:quality)/, "trains embedders for minutes, in Python"],
  [/^training\/build-profiles\.sh /, "needs the public outcome sets"],
  [/^sextant profile build --config datasets\/default-set\.json /, "needs the public outcome sets"],
  [
    /^sextant profile add-model our-fine-tune /,
    "needs ids of these sets; test/cli/profile/add-model.test.ts runs it",
  ],
  [
    /^sextant profile collect --prompts questions\.jsonl /,
    "needs keys of providers; test/e2e/collect.test.ts runs the command",
  ],
  [
    /^sextant profile from-traces /,
    "needs requests with feedback; test/cli/profile/from-traces.test.ts runs the command",
  ],
  [
    /^(npx )?sextant (run |connect \S+ --undo)/,
    "needs a coding agent, or a connection; test/cli/connect runs the commands",
  ],
  [/^sextant pauses add /, "needs a provider, or the id of a key; test/cli/pauses.test.ts runs the command"],
  [/^sextant keys (edit|rotate) /, "needs the id of a key; test/cli/keys/keys.test.ts runs the commands"],
  [
    /^SEXTANT_(EXPLORE_SHARE|PROFILES)=\S+ .*sextant serve$|^SEXTANT_EXPLORE_SHARE=\S+ sextant serve$/,
    "runs until it is stopped; test/gateway/settings and test/compose/shadow.test.ts have the settings",
  ],
  [/^(SEXTANT_PORT=9000 .+ )?sextant serve$/, "runs until it is stopped; sandbox-gateway.ts starts it"],
  [/^sextant traces tail /, "runs until it is stopped; test/cli/traces/traces.test.ts runs it"],
  [/^docker compose /, "needs a container runtime; test/e2e/container-layout.test.ts runs the same layout"],
  [/^npm install @opentelemetry\//, "test/foundation/optional-package.test.ts compares it with package.json"],
  [
    /^duckdb -readonly /,
    "opens a prompt; test/gateway/traces/duckdb/documented-queries.test.ts opens the file",
  ],
];

const isRun = (command: string): boolean => !NOT_RUN.some(([pattern]) => pattern.test(command));
const scripts = documentedScripts();

/** Programs that the commands name, in the place of installed ones. curl fails when the status does. */
const PROGRAMS = {
  sextant: `exec "${process.execPath}" "${ROOT}dist/cli/main.js" "$@"`,
  curl: '[[ " $* " = *" --fail "* ]] || set -- --fail-with-body "$@"; PATH="$USUAL_PATH" exec curl "$@"',
  duckdb: `[ "$1" = -c ] && exec "${process.execPath}" -e '
    const { DuckDBInstance } = require("${ROOT}node_modules/@duckdb/node-api");
    DuckDBInstance.create()
      .then((database) => database.connect())
      .then((connection) => connection.runAndReadAll(process.argv[1]))
      .then((reader) => console.log(reader.columnNames().join(" ")));' -- "$2"`,
};

/** The request id of all examples; one that exists takes its place. */
const EXAMPLE_ID = "req_01KAFC0S3VZ7TJD8M0HRB1PGCE";
const folder = folderForTests();
let gateway: SandboxGateway;
let requestId = EXAMPLE_ID;

beforeAll(async () => {
  mkdirSync(join(folder, "bin"));
  for (const [name, script] of Object.entries(PROGRAMS))
    writeFileSync(join(folder, "bin", name), `#!/bin/bash\n${script}\n`, { mode: 0o755 });
  gateway = await startSandboxGateway();
});
afterAll(() => gateway.stop());

/** A folder with the files that the commands name. */
function workspace(script: string): string {
  const path = mkdtempSync(join(folder, "workspace-"));
  symlinkSync(join(ROOT, "datasets"), join(path, "datasets"));
  if (script.includes("profiles/default"))
    cpSync(join(ROOT, "profiles/default"), join(path, "profiles/default"), { recursive: true });
  writeFileSync(
    join(path, "config.yaml"),
    "model_list:\n  - { model_name: a, litellm_params: { model: openai/gpt-5.4-mini } }\n",
  );
  writeFileSync(join(path, "prompt.txt"), "What is 2 + 2?");
  writeFileSync(join(path, "prompts.jsonl.gz"), gzipSync('{"id": 1, "prompt": "What is 2 + 2?"}\n'));
  writeFileSync(join(path, "scores.json"), '{"gpqa": 0.84, "hle": 0.21}');
  return path;
}

/** `profiles/ours`, built from two thirds of the sample; the rest in `held-out.jsonl` and `graded.jsonl`; and a baseline. */
async function addEvaluation(path: string, run: (script: string) => Promise<unknown>): Promise<void> {
  const lines = (name: string) =>
    readFileSync(join(ROOT, "datasets/sample", name), "utf8")
      .trimEnd()
      .split("\n");
  const isHeld = (line: string) => /"id": ?"\w+-\d*[036]"/.test(line);
  const write = (name: string, rows: readonly string[]) => writeFileSync(join(path, name), rows.join("\n"));
  write("held-out.jsonl", lines("prompts.jsonl").filter(isHeld));
  write("pool.jsonl", lines("prompts.jsonl").filter(isHeld));
  write("graded.jsonl", lines("outcomes.jsonl").filter(isHeld));
  write(
    "known.jsonl",
    lines("prompts.jsonl").filter((line) => !isHeld(line)),
  );
  write(
    "known-graded.jsonl",
    lines("outcomes.jsonl").filter((line) => !isHeld(line)),
  );
  await run("sextant profile build --prompts known.jsonl --outcomes known-graded.jsonl --out profiles/ours");
  for (const [name, folder] of [
    ["old", "ours"],
    ["new", "ours"],
  ] as const)
    cpSync(join(path, "profiles", folder), join(path, "profiles", name), { recursive: true });
  await run(
    "sextant profile eval --set profiles/ours --prompts held-out.jsonl --outcomes graded.jsonl --cost-weight .3 --save baseline.json",
  );
}

/** What it prints on standard output. @throws Error when a command fails */
async function run(script: string): Promise<string> {
  const path = workspace(script);
  if (script.includes("sextant replay")) await sendRequest();
  if (/held-out|profiles\/(ours|old|new)/.test(script)) {
    evaluation ??= evaluate();
    cpSync(await evaluation, path, { recursive: true });
  }
  return runIn(path, script);
}

/** Made once: building a set and measuring it take longer than most examples. */
let evaluation: Promise<string> | undefined;

async function evaluate(): Promise<string> {
  const path = mkdtempSync(join(folder, "evaluation-"));
  await addEvaluation(path, (before) => runIn(path, before));
  return path;
}

/** A request to decide again, once it is in the store. */
async function sendRequest(): Promise<void> {
  const before = await storedTraces();
  await runIn(folder, gateway.curlLine);
  await vi.waitUntil(async () => (await storedTraces()) > before, { timeout: 240_000 });
}

const storedTraces = async (): Promise<number> =>
  JSON.parse(await runIn(folder, "sextant traces search --limit 1 --json")).total;

async function runIn(cwd: string, script: string): Promise<string> {
  const { PATH = "", ...environment } = gateway.environment;
  const text = gateway.here(script).replaceAll(EXAMPLE_ID, requestId);
  const { stdout } = await execute("bash", ["-eo", "pipefail", "-c", text], {
    cwd,
    // `sextant connect` writes there.
    env: { ...environment, HOME: cwd, PATH: `${folder}/bin:${PATH}`, USUAL_PATH: PATH },
    maxBuffer: 2 ** 26,
  });
  return stdout;
}

describe("The quick start of the documentation", () => {
  it("prints a key and a working curl command", async () => {
    const decision = JSON.parse(await run(gateway.curlLine));
    expect(decision.object).toBe("router.decision");
    expect(decision.routing.candidates).toHaveLength(3);
    requestId = decision.request_id;
  });
});

/** What kind of object the answer is, of examples that print one. */
const OBJECTS: Readonly<Record<string, string>> = {
  "README.md, Three ways to use it, bash 1": "router.decision",
  "docs/api.md, POST /v1/chat/completions, sh 1": "chat.completion",
  "docs/api.md, POST /v1/completions, sh 1": "text_completion",
  "docs/api.md, POST /v1/responses, sh 1": "response",
  "docs/api.md, POST /v1/embeddings, sh 1": "list",
  "docs/api.md, POST /v1/router, sh 1": "router.decision",
  "docs/api.md, POST /v1/feedback, sh 1": "feedback",
  "docs/client.md, The same with other clients, bash 1": "chat.completion",
};

describe("Shell commands in the documentation", () => {
  const runnable = scripts
    .map(({ name, commands }) => ({ name, commands: commands.filter(isRun) }))
    .filter(({ commands }) => commands.length > 0);

  it.each(runnable.map(({ name, commands }) => [name, commands] as const))(
    "run: %s",
    async (name, commands) => {
      const printed = await run(commands.join("\n"));
      if (name in OBJECTS) expect(JSON.parse(printed).object).toBe(OBJECTS[name]);
    },
  );

  it("are all run, except those with a stated reason, and no stated reason is obsolete", () => {
    const all = scripts.flatMap(({ commands }) => commands);
    const unused = NOT_RUN.filter(([pattern]) => !all.some((command) => pattern.test(command)));
    expect(unused).toEqual([]);
    const names = runnable.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(Object.keys(OBJECTS)));
  });
});

describe("commandsOf", () => {
  it("joins continued lines, quotes and loops, and drops comments", () => {
    const script =
      'a --b  # c\n\n# d\ncurl \\\n  -d \'{"x": 1,\n       "y": 2}\'\nfor s in 0 1; do\n  e $s\ndone\n';
    expect(commandsOf(script)).toEqual([
      "a --b",
      'curl \\\n  -d \'{"x": 1,\n       "y": 2}\'',
      "for s in 0 1; do\n  e $s\ndone",
    ]);
  });

  it("refuses a script that ends in the middle of a command", () => {
    expect(() => commandsOf("echo 'a\n")).toThrow("has no end");
  });
});
