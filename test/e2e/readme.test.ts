/** The README's examples, run as they stand there. */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { folderForTests } from "../support/folders.js";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const README = readFileSync(join(ROOT, "README.md"), "utf8");
const CLIENT_PAGE = readFileSync(join(ROOT, "docs/client.md"), "utf8");
const folder = folderForTests();
const run = promisify(execFile);

/** The first code block of a language that mentions a word. */
function example(language: string, word: string, page: string = README): string {
  const blocks = [...page.matchAll(/```(\w+)\n([\s\S]*?)```/g)].filter(([, tag]) => tag === language);
  const found = blocks.find(([, , code]) => code?.includes(word))?.[2];
  if (found === undefined) throw new Error(`there is no ${language} example with ${word}`);
  return found;
}

let server: ChildProcess;
let address: string;
let printed = "";

/** `npm start` is the README's first command; the scripts say what it runs. With the sandbox, as the README says. */
beforeAll(async () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  const [command, ...argv] = scripts.start.split(" ");
  expect(command).toBe("node");
  server = spawn(process.execPath, argv, {
    cwd: ROOT,
    env: { PATH: process.env.PATH, SEXTANT_PORT: "0", SEXTANT_DATA_DIR: folder, SEXTANT_SANDBOX: "true" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  server.stderr?.on("data", (chunk) => {
    printed += chunk;
  });
  await new Promise<void>((resolve, reject) => {
    server.once("exit", (code) => reject(new Error(`the server ended with ${code}: ${printed}`)));
    server.stdout?.on("data", (chunk) => {
      printed += chunk;
      if (printed.includes("curl -s")) resolve();
    });
  });
  address = /listening on (http:\/\/\S+)/.exec(printed)?.[1] as string;
});

afterAll(async () => {
  server.removeAllListeners("exit");
  server.kill("SIGTERM");
  await new Promise((resolve) => server.once("exit", resolve));
});

const key = () => /pk_live_[0-9A-Za-z]+/.exec(printed)?.[0] as string;
const here = (code: string) => code.replaceAll("http://127.0.0.1:8080", address);
const environment = () => ({
  PATH: process.env.PATH,
  SEXTANT_API_KEY: key(),
  SEXTANT_BASE_URL: `${address}/v1`,
});

async function runScript(code: string): Promise<string> {
  const { stdout } = await run(process.execPath, ["--input-type=module", "-e", here(code)], {
    cwd: ROOT,
    env: environment(),
  });
  return stdout;
}

async function runShell(code: string): Promise<string> {
  const { stdout } = await run("bash", ["-c", here(code)], { cwd: ROOT, env: environment() });
  return stdout;
}

describe("The README", () => {
  it("has a quick start that prints a key and a working curl command", async () => {
    const line = /curl -s .*$/m.exec(printed)?.[0] as string;
    const decision = JSON.parse(await runShell(line));
    expect(decision.object).toBe("router.decision");
    expect(decision.routing.candidates.length).toBeGreaterThan(10);
  });

  it("has an embedded example that prints a model, its figures and the reason", async () => {
    expect(await runScript(example("js", "openRouter"))).toMatch(
      /^\S+ 0\.\d+ 0\.\d+ (highest|cheapest|best) /,
    );
  });

  it("has a curl example that gets a decision among its three models", async () => {
    const decision = JSON.parse(await runShell(example("bash", "/v1/router")));
    expect(["gpt-5.4-mini", "claude-sonnet-4-6", "gemini-3.5-flash"]).toContain(decision.model);
    expect(Object.keys(decision.routing.all_scores)).toHaveLength(3);
  });

  it("has an OpenAI SDK example that prints a model, its cost and its answer", async () => {
    expect(await runScript(example("js", 'from "openai"'))).toMatch(/^\S+ 0 \[sandbox\] /);
  });
});

describe("The page of the client library", () => {
  const shown = (language: string, word: string) => example(language, word, CLIENT_PAGE);

  it("has a first example that prints a model, its cost and its answer", async () => {
    expect(await runScript(shown("js", "metadata"))).toMatch(/^\S+ 0 \[sandbox\] /);
  });

  it("has a stream example that prints its text and its cost", async () => {
    expect(await runScript(shown("js", "stream: true"))).toMatch(
      /^\[sandbox\] [\s\S]*\n0 USD in [\d.]+ ms\n$/,
    );
  });

  it("has an embeddings example", async () => {
    expect(await runScript(shown("js", "client.embeddings"))).toBe("2 vectors of 128 numbers for 0 USD\n");
  });

  it("has an example of a decision, profiles, providers and traces", async () => {
    const lines = (await runScript(shown("js", "client.traces.list"))).trim().split("\n");
    expect(lines[0]).toMatch(/^\S+ 0\.\d+ (highest|cheapest|best) /);
    expect(lines[1]).toMatch(/^\d+ models, \d+ providers ready$/);
    // The trace of the first example.
    expect(lines[2]).toMatch(/^req_\S+ \S+ 0$/);
  });

  it.each([
    ["plain openai", 'from "openai"', /^\S+ 0\n$/],
    ["the Vercel AI SDK", "generateText", /^\S+ \[sandbox\] /],
  ])("has an example of %s", async (_, word, printedByIt) => {
    expect(await runScript(shown("js", word))).toMatch(printedByIt);
  });

  it("has a curl example", async () => {
    const answer = JSON.parse(await runShell(shown("bash", "curl")));
    expect(answer.usage.total_cost_usd).toBe(0);
  });
});
