/**
 * Every command and every JavaScript example of the documentation: curl and the client against a gateway with the sandbox, `sextant`
 * and the package as they are built. Commands that are not run are in `NOT_RUN`, with the reason.
 */
import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { folderForTests } from "../support/folders.js";
import { documentedScripts } from "./commands.js";
import { examplesIn, ROOT } from "./examples.js";
import { type SandboxGateway, startSandboxGateway } from "./sandbox-gateway.js";

const execute = promisify(execFile);

const NOT_RUN: readonly (readonly [command: RegExp, why: string])[] = [
  [/^npm ci && npm start$/, "sandbox-gateway.ts runs what `npm start` runs, and .ci/run runs `npm ci`"],
  [/^npm ci && npm test$/, "this test is part of it"],
  [/^npm pack -w sextant-engine$/, "test/e2e/installed-package.test.ts packs"],
  [/^npm install \.\.\/sextant\/sextant-\S+\.tgz$/, "test/e2e/installed-package.test.ts installs"],
  [
    /^npm run (bench(:quality)?|proof)( |$)/,
    "measures for minutes; test/bench and proofs/test have its tests, and .ci/run runs the gate",
  ],
  [/^npm run datasets -- /, "downloads public data sets; test/datasets has its tests"],
  [
    /^(cd training|\.venv\/bin\/python train|for s in |cd \.\. && npm run bench -- quality)/,
    "trains embedders for minutes, in Python",
  ],
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
  [
    /^sextant catalog update /,
    "needs a newer file, or an address; test/cli/catalog.test.ts runs the command",
  ],
  [/^sextant keys (edit|rotate) /, "needs the id of a key; test/cli/keys/keys.test.ts runs the commands"],
  [
    /^SEXTANT_(EXPLORE_SHARE|PROFILES)=\S+ .*sextant serve$|^SEXTANT_EXPLORE_SHARE=\S+ sextant serve$/,
    "runs until it is stopped; test/gateway/settings has the settings",
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
/** Built once: building a set and measuring it take longer than most examples. */
const evaluation = folderForTests();
let gateway: SandboxGateway;
/** What the printed curl command prints before any example has changed the gateway. */
let first: { object: string; request_id: string };

beforeAll(async () => {
  mkdirSync(join(folder, "bin"));
  for (const [name, script] of Object.entries(PROGRAMS))
    writeFileSync(join(folder, "bin", name), `#!/bin/bash\n${script}\n`, { mode: 0o755 });
  gateway = await startSandboxGateway();
  first = JSON.parse(await sendRequest());
  await addEvaluation(evaluation, (script) => runIn(evaluation, script));
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
  const isHeld = (line: string) => /"id": ?"\w+-\d*[036]"/.test(line);
  const divide = (name: string, [held, known]: readonly [held: string, known: string]) => {
    const lines = readFileSync(join(ROOT, "datasets/sample", name), "utf8")
      .trimEnd()
      .split("\n");
    writeFileSync(join(path, held), lines.filter(isHeld).join("\n"));
    writeFileSync(join(path, known), lines.filter((line) => !isHeld(line)).join("\n"));
  };
  divide("prompts.jsonl", ["held-out.jsonl", "known.jsonl"]);
  divide("outcomes.jsonl", ["graded.jsonl", "known-graded.jsonl"]);
  cpSync(join(path, "held-out.jsonl"), join(path, "pool.jsonl"));
  await run("sextant profile build --prompts known.jsonl --outcomes known-graded.jsonl --out profiles/ours");
  for (const name of ["old", "new"])
    cpSync(join(path, "profiles/ours"), join(path, "profiles", name), { recursive: true });
  await run(
    "sextant profile eval --set profiles/ours --prompts held-out.jsonl --outcomes graded.jsonl --cost-weight .3 --save baseline.json",
  );
}

/** What it prints on standard output. @throws Error when a command fails */
async function run(script: string): Promise<string> {
  const path = workspace(script);
  if (script.includes("sextant replay")) await sendRequest();
  const [, conversation] = /sextant cost (\S+)/.exec(script) ?? [];
  if (conversation !== undefined) await traceOf("conversation_id", conversation);
  if (/held-out|profiles\/(ours|old|new)/.test(script)) cpSync(evaluation, path, { recursive: true });
  return runIn(path, script);
}

/** A request to decide again, once it is in the store. */
async function sendRequest(): Promise<string> {
  const before = await storedTraces();
  const printed = await runIn(folder, gateway.curlLine);
  await vi.waitUntil(async () => (await storedTraces()) > before, { timeout: 240_000 });
  return printed;
}

const storedTraces = async (): Promise<number> =>
  JSON.parse(await runIn(folder, "sextant traces search --limit 1 --json")).total;

async function runIn(cwd: string, script: string): Promise<string> {
  const { PATH = "", ...environment } = gateway.environment;
  const text = gateway.here(script).replaceAll(EXAMPLE_ID, first?.request_id ?? EXAMPLE_ID);
  const { stdout } = await execute("bash", ["-eo", "pipefail", "-c", text], {
    cwd,
    // `sextant connect` writes into the home.
    env: {
      ...environment,
      NODE_COMPILE_CACHE: join(folder, "compiled"),
      HOME: cwd,
      PATH: `${folder}/bin:${PATH}`,
      USUAL_PATH: PATH,
    },
    maxBuffer: 2 ** 26,
  });
  return stdout;
}

describe("The quick start of the documentation", () => {
  it("prints a key and a working curl command", () => {
    expect(first.object).toBe("chat.completion");
  });
});

/** What kind of object the answer is, of examples that print one. */
const OBJECTS: Readonly<Record<string, string>> = {
  "README.md, Thirty seconds, bash 1": "router.decision",
  "docs/api.md, POST /v1/chat/completions, sh 1": "chat.completion",
  "docs/api.md, POST /v1/embeddings, sh 1": "list",
  "docs/api.md, POST /v1/router, sh 1": "router.decision",
  "docs/api.md, POST /v1/feedback, sh 1": "feedback",
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

/** What each example prints. */
const PRINTED: Readonly<Record<string, RegExp>> = {
  "README.md, Thirty seconds, js 1": /^\S+ 0 \[sandbox\] /,
  "README.md, Thirty seconds, js 2": /^\S+ 0\.\d+ 0\.\d+ (highest|cheapest|best) .+\n$/,
  "docs/embedded.md, The embedded router, js 1":
    /^(\S+): (highest|cheapest|best) .+\n\1: 0\.\d+ ± 0\.\d+, 0\.\d+ USD\n(\S+: .+\n){2}$/,
  "docs/embedded.md, Prompts and conversations, js 1": /^\S+ \d+ tokens expected\n\S+, \S+\n$/,
  "docs/client.md, The client library, js 1": /^\S+ 0 \[sandbox\] /,
  "docs/client.md, The client library, js 2": /^\[sandbox\] [\s\S]*\n0 USD in [\d.]+ ms\n$/,
  "docs/client.md, The client library, js 3":
    /^\S+ 0\.\d+ (highest|cheapest|best) .+\nauto: \$[\d.e-]+ an answer\n\d+ models, \d+ providers ready\n(req_\S+ \S+ 0\n)+$/,
  "docs/client.md, The same with other clients, js 1": /^\S+ \[sandbox\] /,
  "docs/messages.md, With Anthropic's SDKs, js 1": /^\[sandbox\] /,
  "docs/workbench.md, In code, js 1": /^gpt-5\.4-mini 2 0\nclaude-haiku-4-5 2 0\n$/,
  "docs/workbench.md, In code, js 2":
    /^4 models, 84 prompts\n0 models differ\n\d+ of \d+ prompts go to another model than at cost weight 0\nwithin 2 points of the best: cost weight \S+\n$/,
};

/** What examples read and write, in a folder that begins as the one of the evaluation. */
const ofCode = folderForTests();
const FILES = [
  "questions.csv",
  "collected",
  "held-out.jsonl",
  "graded.jsonl",
  "profiles/ours",
  "profiles/next",
  "known.jsonl",
  "known-graded.jsonl",
];
const withFiles = (code: string): string =>
  FILES.reduce(
    (text, name) => text.replaceAll(JSON.stringify(name), JSON.stringify(join(ofCode, name))),
    code,
  );

/** Leaves a trace for the examples that look for those with a metadata value. */
async function traceOf(key: string, value: string): Promise<void> {
  const { address, environment } = gateway;
  const headers = { "x-api-key": environment.SEXTANT_API_KEY ?? "", "content-type": "application/json" };
  const body = { model: "auto", messages: [{ role: "user", content: "Hello" }], metadata: { [key]: value } };
  const chat = { method: "POST", headers, body: JSON.stringify(body) };
  expect((await fetch(`${address}/v1/chat/completions`, chat)).status).toBe(200);
  const isFound = async (): Promise<boolean> => {
    const found = await fetch(`${address}/v1/traces?metadata.${key}=${value}`, { headers });
    return ((await found.json()) as { readonly traces: unknown[] }).traces.length > 0;
  };
  // Only against hanging for ever, as the time limits of the tests.
  await vi.waitUntil(isFound, { timeout: 240_000, interval: 20 });
}

describe("JavaScript examples in the documentation", () => {
  beforeAll(async () => {
    cpSync(evaluation, ofCode, { recursive: true });
    writeFileSync(
      join(ofCode, "questions.csv"),
      "id,question,answer\n1,What is 1 + 1?,2\n2,What is 2 + 2?,4",
    );
    await traceOf("team", "search");
  });

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
