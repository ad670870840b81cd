import { writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { runCli } from "../../../src/cli/program.js";
import { announcement } from "../../../src/cli/serve/announcement.js";
import { SqliteStore } from "../../../src/gateway/storage/sqlite-store.js";
import { cliRun } from "../../fakes/cli-context.js";
import { FakeRouter } from "../../fakes/router.js";
import { CHAT_ONLY, jsonReply, UpstreamServer } from "../../fakes/upstream-server.js";
import { folderForTest } from "../../support/folders.js";

let folder = "";
beforeEach(() => {
  folder = folderForTest();
});

/** Starts `serve` on a free port, lets `use` work with it, and stops it. */
async function serving(
  environment: Record<string, string>,
  use: (server: { readonly address: string; readonly stdout: string }) => Promise<void>,
) {
  const router = new FakeRouter();
  const cli = cliRun({
    workingDirectory: folder,
    router,
    environment: { SEXTANT_PORT: "0", SEXTANT_CH_ENABLED: "false", ...environment },
  });
  const ended = runCli(["serve"], cli.context);
  await cli.printed("Try:");
  const address = /listening on (http:\/\/\S+)/.exec(cli.stdout())?.[1] ?? "";
  try {
    await use({ address, stdout: cli.stdout() });
  } finally {
    cli.stop();
  }
  expect(await ended).toBe(0);
  expect(router.closed).toBe(true);
}

/** A server that stops waits a while for clients with an open connection. */
const HEADERS = { "content-type": "application/json", connection: "close" };

async function ask(address: string, key?: string): Promise<number> {
  const { status } = await fetch(`${address}/v1/router`, {
    method: "POST",
    headers: { ...HEADERS, ...(key === undefined ? {} : { "x-api-key": key }) },
    body: JSON.stringify({ messages: [{ role: "user", content: "hi" }], execute: false }),
  });
  return status;
}

describe("sextant serve", () => {
  it("accepts a bootstrap key, else prints a first key once, and accepts one that another process creates meanwhile", async () => {
    const bootstrap = `pk_live_${"a".repeat(32)}`;
    await serving({ SEXTANT_BOOTSTRAP_API_KEY: bootstrap }, async ({ address, stdout }) => {
      expect(stdout).not.toMatch(/pk_live_|keys create/);
      expect(await ask(address, bootstrap)).toBe(200);
    });
    await serving({}, async ({ address, stdout }) => {
      expect(stdout.split("\n")[0]).toBe(`sextant listening on ${address}`);
      const key = /^ {2}export SEXTANT_API_KEY=(pk_live_[0-9A-Za-z]{40})$/m.exec(stdout)?.[1] ?? "";
      expect(stdout.split(key)).toHaveLength(2);
      expect([await ask(address, key), await ask(address)]).toEqual([200, 401]);
      const body = /-d '(\{.*\})'/.exec(stdout)?.[1] ?? "";
      expect(JSON.parse(body)).toMatchObject({ models: ["large", "medium", "small"], execute: false });
      expect(stdout).not.toContain("sextant keys create");
    });
    await serving({}, async ({ address, stdout }) => {
      expect(stdout).not.toContain("pk_live_");
      expect(stdout).toContain("npx sextant keys create --name another --scopes admin\n");
      const tool = cliRun({ workingDirectory: folder });
      await runCli(["keys", "create", "--name", "late"], tool.context);
      expect(await ask(address, tool.stdout().trim())).toBe(200);
    });
  });

  it("prints a request to `auto` that is answered, where a provider is configured, and needs no key with authentication off", async () => {
    const upstream = await UpstreamServer.start(CHAT_ONLY);
    const message = { role: "assistant", content: "4" };
    upstream.answer(jsonReply({ id: "1", choices: [{ index: 0, message, finish_reason: "stop" }] }));
    const models = ["large", "medium", "small"].map((id) => ({ id }));
    const lab = { id: "lab", type: "openai-compatible", base_url: `${upstream.origin}/v1`, models };
    writeFileSync(join(folder, "sextant.config.json"), JSON.stringify({ providers: [lab] }));
    await serving({ SEXTANT_AUTH: "off" }, async ({ address, stdout }) => {
      expect(stdout).not.toMatch(/x-api-key|keys create|pk_live_/);
      expect(await ask(address)).toBe(200);
      const [, url = "", body = ""] = /^Try: +curl -s (\S+) .*-d '(\{.*\})'$/m.exec(stdout) ?? [];
      expect(url).toBe(`${address}/v1/chat/completions`);
      expect(JSON.parse(body)).toMatchObject({ model: "auto" });
      const reply = await fetch(url, { method: "POST", headers: HEADERS, body });
      expect([reply.status, await reply.text()]).toEqual([200, expect.stringContaining('"content":"4"')]);
    });
    await upstream.close();
  });

  it("refuses to start with a misspelt variable", async () => {
    const environment = { SEXTANT_PORT: "0", SEXTANT_PROT: "1" };
    const cli = cliRun({ workingDirectory: folder, environment });
    expect(await runCli(["serve"], cli.context)).toBe(1);
    expect(cli.stderr()).toContain("SEXTANT_PROT is not a setting. Did you mean SEXTANT_PORT?");
  });

  it("reports a port that is in use alone, with the remedy, and makes no key that is shown to no one", async () => {
    const store = new SqliteStore(join(folder, "data"));
    const learned = { answers: 9, expectedTokens: 9, actualTokens: 20 };
    const lengths = { profileVersion: "older", models: [["large", learned]] };
    await store.put({ kind: "lengths", key: "all" }, JSON.stringify(lengths));
    const other = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => other.once("listening", resolve));
    const address = other.address();
    const port = typeof address === "object" ? address?.port : 0;
    const environment = { SEXTANT_PORT: String(port), SEXTANT_CH_ENABLED: "false" };
    const cli = cliRun({ workingDirectory: folder, environment });
    expect(await runCli(["serve"], cli.context)).toBe(1);
    const remedy = `sextant: cannot listen on 127.0.0.1:${port}: the port is in use. Stop the other process, or set`;
    expect(cli.stderr()).toMatch(/^.*\n$/);
    expect(cli.stderr()).toContain(remedy);
    expect(await store.entries("key")).toEqual([]);
    await store.close();
    await new Promise((resolve) => other.close(resolve));
  });
});

describe("What `sextant serve` prints", () => {
  type Started = Parameters<typeof announcement>[0];
  const settings: Started["settings"] = { auth: "on", console: true, chEnabled: true, traceContent: true };
  const example = { models: ["a", "b"], costWeight: 0.3, isRunnable: true };
  const firstKey = { key: "pk_live_new" } as NonNullable<Started["firstKey"]>;
  const providers = "openai (OPENAI_API_KEY).";
  const printed = (changes: Partial<Started["settings"]>, given: Partial<Started> = {}) =>
    announcement({
      ...{ address: "http://here", firstKey: undefined, providers, example },
      ...given,
      settings: { ...settings, ...changes },
    });

  it("is the address, the console, the key, the providers and one request to try", () => {
    expect(printed({}, { firstKey }).split("\n")).toEqual([
      "sextant listening on http://here",
      "Console:   http://here/console (traces with prompts and answers, decisions, keys)",
      "API key:   shown only now. Paste this line into the terminal that sends requests:",
      "",
      "  export SEXTANT_API_KEY=pk_live_new",
      "",
      "Providers: openai (OPENAI_API_KEY).",
      'Try:       curl -s http://here/v1/chat/completions -H "x-api-key: $SEXTANT_API_KEY" -H "content-type: application/json" ' +
        `-d '{"model":"auto","messages":[{"role":"user","content":"What is 2 + 2?"}]}'`,
    ]);
  });

  it.each([
    [{ traceContent: false }, {}, "Console:   http://here/console (traces, decisions, keys)"],
    [{ chEnabled: false }, {}, "Console:   http://here/console (decisions and keys)"],
    [{ auth: "off" }, {}, "API key:   not needed (SEXTANT_AUTH=off)"],
    [{ auth: "off" }, { example: null }, "Try:       curl -s http://here/v1/models"],
    [{ bootstrapApiKey: "secret" }, {}, "API key:   the value of SEXTANT_BOOTSTRAP_API_KEY"],
    [
      { auth: "off" },
      { example: { ...example, isRunnable: false } },
      'Try:       curl -s http://here/v1/router -H "content-type: application/json" -d \'{"messages":[{"role":"user","content":"What is 2 + 2?"}],"models":["a","b"],"cost_weight":0.3,"execute":false}\'',
    ],
  ] as const)("with %j and %j has the line: %s", (changes, given, line) => {
    expect(printed(changes, given).split("\n")).toContain(line);
  });

  it("names no console that is off", () => {
    expect(printed({ console: false })).not.toContain("onsole");
  });
});
