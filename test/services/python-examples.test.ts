/**
 * Every Python example of the documentation, run with the real packages, on upstreams that end a stream as OpenAI does: with a
 * chunk without choices. Where the packages cannot be installed, the requests that they sent before are sent again.
 *
 * `RECORD_REQUESTS=1 npx vitest run test/services/python-examples.test.ts` records the requests.
 */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { runCli } from "../../src/cli/program.js";
import { openRouterFromSettings } from "../../src/engine/open-router.js";
import { buildSet } from "../../src/workbench.js";
import { examplesIn } from "../docs/examples.js";
import { type Gateway, startGateway } from "../e2e/clients/gateway.js";
import { chatReply, chatStream, messageReply } from "../e2e/replies.js";
import { newFolder, removeFolder } from "../e2e/server-process.js";
import { cliRun } from "../fakes/cli-context.js";
import { KEY } from "../gateway/server.js";
import { pythonWith } from "./python.js";
import { RecordingProxy, type SentRequest, send } from "./recording-proxy.js";

const execute = promisify(execFile);
const SAMPLE = fileURLToPath(new URL("../../datasets/sample", import.meta.url));
/** The page about notebooks is one program. */
const isNotebook = ({ page }: { readonly page: string }) => page === "docs/python.md";
const examples = examplesIn("python").filter((example) => !isNotebook(example));
const notebook = examplesIn("python")
  .filter(isNotebook)
  .map(({ code }) => code);

/** What each example prints: the upstreams say "Hello!". */
const PRINTED: Readonly<Record<string, RegExp>> = {
  "README.md, Thirty seconds, python 1": /^\S+ \d\.\d+(e-\d+)?\n$/,
  "docs/messages.md, With Anthropic's SDKs, python 1": /^\S+ Hello!\n$/,
};

interface Recording {
  readonly name: string;
  /** Of the example's code. */
  readonly sha256: string;
  readonly requests: readonly SentRequest[];
}

/** An example a line. */
const RECORDINGS = new URL("python-requests.jsonl", import.meta.url).pathname;
const sha256 = (code: string) => createHash("sha256").update(code).digest("hex");

const folder = newFolder();
/** Exact, so that a release of theirs changes no verdict: the newest on 2026-11-28. */
const PACKAGES = [
  "openai==3.57.0",
  "anthropic==2.14.0",
  "pandas==3.1.1",
  "pyarrow==26.0.1",
  "matplotlib==3.11.2",
];
const python = await pythonWith(PACKAGES, folder);
const way = python.interpreter === null ? `as recorded (${python.why})` : `with ${python.packages}`;

let gateway: Gateway;
let proxy: RecordingProxy;
beforeAll(async () => {
  gateway = await startGateway();
  proxy = await RecordingProxy.start(gateway.address);
  gateway.openai.answer((exchange) => {
    const { stream } = JSON.parse(exchange.request.body);
    const script = stream
      ? chatStream([{ role: "assistant", content: "" }, { content: "Hel" }, { content: "lo!" }])
      : chatReply({ content: "Hello!" });
    return script(exchange);
  });
  gateway.anthropic.answer(messageReply([{ type: "text", text: "Hello!" }]));
});
afterAll(async () => {
  proxy.close();
  await gateway.stop();
  removeFolder(folder);
});

/** The text of a reply, read as a program would that checks nothing. */
function textOf(reply: string): string {
  if (!reply.startsWith("data:")) {
    const body = JSON.parse(reply);
    return (body.choices?.[0].message ?? { content: body.content[0].text }).content;
  }
  const events = [...reply.matchAll(/^data: (\{.*)$/gm)].map(([, event = ""]) => JSON.parse(event));
  return events.map(({ choices }) => choices[0].delta.content ?? "").join("");
}

/** The value with the members of objects by name: their order is the package's, and another in each of its versions. */
const inOrder = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
  return Object.fromEntries(members.map(([name, member]) => [name, inOrder(member)]));
};

/** Runs the example. @returns what it printed */
async function run(interpreter: string, code: string): Promise<string> {
  const program = code.replaceAll("http://127.0.0.1:8080", proxy.origin);
  const env = { PATH: process.env.PATH, SEXTANT_API_KEY: KEY };
  const { stdout } = await execute(interpreter, ["-c", program], { env });
  return stdout;
}

const readRecordings = (): readonly Recording[] =>
  readFileSync(RECORDINGS, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));

it(`Python examples in the documentation run ${way}, and are those whose requests are recorded`, async () => {
  const recorded: Recording[] = [];
  for (const { name, code } of examples) {
    if (python.interpreter === null) {
      const recording = readRecordings().find((one) => one.name === name);
      for (const request of recording?.requests ?? []) await send(request, proxy.origin);
    } else {
      expect(PRINTED, "every example needs an entry in PRINTED").toHaveProperty([name]);
      expect(await run(python.interpreter, code)).toMatch(PRINTED[name] as RegExp);
    }
    const exchanges = proxy.take();
    expect(
      exchanges.map(({ status, reply }) => [status, textOf(reply)]),
      name,
    ).toEqual([[200, "Hello!"]]);
    recorded.push({ name, sha256: sha256(code), requests: exchanges.map(({ request }) => request) });
  }
  const lines = recorded.map((recording) => `${JSON.stringify(inOrder(recording))}\n`);
  if (python.interpreter !== null && process.env.RECORD_REQUESTS === "1")
    writeFileSync(RECORDINGS, lines.join(""));
  // What the packages send besides differs by their version.
  const examplesOf = (recordings: readonly Recording[]) =>
    recordings.map(({ name, sha256 }) => [name, sha256]);
  expect(examplesOf(recorded)).toEqual(examplesOf(readRecordings()));
});

/** Runs `sextant` in the folder. @returns what it printed */
async function sextant(...argv: string[]): Promise<string> {
  const cli = cliRun({ workingDirectory: folder });
  const exitCode = await runCli(argv, { ...cli.context, openRouter: openRouterFromSettings });
  expect([exitCode, cli.stderr()]).toEqual([0, expect.any(String)]);
  return cli.stdout();
}

it.skipIf(python.interpreter === null)(
  `The page about notebooks runs from its first line to its last ${way}, and its tables build a set`,
  async () => {
    const settings = { workingDirectory: folder, environment: {} };
    const sources = { prompts: [SAMPLE], outcomes: [SAMPLE] };
    await buildSet({ ...sources, folder: join(folder, "set"), name: "set" }, settings);
    const evaluated = ["profile", "eval", "--set", "set", "--prompts", SAMPLE, "--outcomes", SAMPLE];
    const json = await sextant(...evaluated, "--include-known", "--json");
    writeFileSync(join(folder, "evaluation.json"), json);
    const program = notebook.join("\n").replaceAll("http://127.0.0.1:8080", gateway.address);
    const { stdout } = await execute(python.interpreter as string, ["-c", program], {
      cwd: folder,
      env: { PATH: process.env.PATH, HOME: folder, SEXTANT_API_KEY: KEY },
    });
    expect(stdout).toMatch(/^\S+ \d\.\d+(e-\d+)?\n/);
    for (const id of ["sum", "proof", "code"])
      expect(stdout).toMatch(new RegExp(`^${id} +\\S+ +\\S+ +\\d`, "m"));
    expect(stdout).toMatch(/^mean regret 0\.\d{3} over 120 prompts$/m);
    expect(stdout).toMatch(/expected +seen +answers/);
    expect(readFileSync(join(folder, "frontier.png")).subarray(1, 4).toString()).toBe("PNG");
    const built = ["--prompts", "questions.parquet", "--outcomes", "graded.parquet", "--out", "ours"];
    expect(await sextant("profile", "build", ...built, "--keep-names")).not.toBe("");
    expect(existsSync(join(folder, "ours/manifest.json"))).toBe(true);
  },
);
