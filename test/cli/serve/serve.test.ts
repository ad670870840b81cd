import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { runCli } from "../../../src/cli/program.js";
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
    environment: { SEXTANT_PORT: "0", ...environment },
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
  return cli;
}

const ask = (address: string, key?: string) =>
  fetch(`${address}/v1/router`, {
    method: "POST",
    headers: { "content-type": "application/json", ...(key === undefined ? {} : { "x-api-key": key }) },
    body: JSON.stringify({ messages: [{ role: "user", content: "hi" }], execute: false }),
  });

describe("sextant serve", () => {
  it("prints its address, a first key once, and a working curl command", async () => {
    await serving({}, async ({ address, stdout }) => {
      expect(stdout.split("\n")[0]).toBe(`sextant listening on ${address}`);
      const key = /pk_live_[0-9A-Za-z]{40}/.exec(stdout)?.[0] ?? "";
      expect((await ask(address, key)).status).toBe(200);
      expect((await ask(address)).status).toBe(401);
      expect(stdout.split("\n")).toContain(`  export SEXTANT_API_KEY=${key}`);
      expect(stdout.split(key)).toHaveLength(2);
      expect(stdout).not.toContain("sextant keys create");
      expect(stdout).toContain(`Try:  curl -s ${address}/v1/router -H "x-api-key: $SEXTANT_API_KEY" `);
      const body = /-d '(\{.*\})'/.exec(stdout)?.[1] ?? "";
      expect(JSON.parse(body)).toMatchObject({ models: ["large", "medium", "small"], execute: false });
    });
    await serving({}, async ({ stdout }) => {
      expect(stdout).not.toContain("pk_live_");
      expect(stdout).toContain('-H "x-api-key: $SEXTANT_API_KEY"');
      expect(stdout).toContain("\n  npx sextant keys create --name another --scopes admin\n");
    });
    expect(JSON.parse(readFileSync(join(folder, "data/keys.json"), "utf8")).keys).toHaveLength(1);
  });

  it("prints the address of the console", async () => {
    const cli = await serving({}, async () => {});
    expect(cli.stdout()).toMatch(/^Open: http:\/\/\S+\/console /m);
  });

  it("says where traces are kept, and what they hold", async () => {
    const lineOf = async (environment: Record<string, string>) => {
      const cli = await serving(environment, async () => {});
      return /^Traces .*$/m.exec(cli.stdout())?.[0];
    };
    const file = join(folder, "data/traces.duckdb");
    expect(await lineOf({})).toBe(
      `Traces are kept in ${file}, with prompts and answers (SEXTANT_TRACE_CONTENT=false leaves them out): npx sextant traces tail shows them.`,
    );
    expect(await lineOf({ SEXTANT_TRACE_CONTENT: "false" })).toContain("without prompts and answers:");
    expect(await lineOf({ SEXTANT_CH_ENABLED: "false" })).toContain(
      "Traces are not kept (SEXTANT_CH_ENABLED",
    );
  });

  it("prints a request to `auto` that is answered, where a provider is configured", async () => {
    const upstream = await UpstreamServer.start(CHAT_ONLY);
    const message = { role: "assistant", content: "4" };
    upstream.answer(jsonReply({ id: "1", choices: [{ index: 0, message, finish_reason: "stop" }] }));
    const base_url = `${upstream.origin}/v1`;
    const models = ["large", "medium", "small"].map((id) => ({ id }));
    const providers = [{ id: "lab", type: "openai-compatible", base_url, models }];
    writeFileSync(join(folder, "sextant.config.json"), JSON.stringify({ providers }));
    await serving({ SEXTANT_AUTH: "off" }, async ({ address, stdout }) => {
      const [, url = "", body = ""] = /^Ask: {2}curl -s (\S+) .*-d '(\{.*\})'$/m.exec(stdout) ?? [];
      expect(url).toBe(`${address}/v1/chat/completions`);
      expect(JSON.parse(body)).toMatchObject({ model: "auto", router: { cost_weight: expect.any(Number) } });
      const headers = { "content-type": "application/json" };
      const reply = await fetch(url, { method: "POST", headers, body });
      expect([reply.status, await reply.text()]).toEqual([200, expect.stringContaining('"content":"4"')]);
    });
    await upstream.close();
  });

  it("prints no request to `auto` where nothing can answer it", async () => {
    const cli = await serving({}, async () => {});
    expect(cli.stdout()).not.toContain("Ask:");
  });

  it("accepts the bootstrap key and creates no other", async () => {
    const key = `pk_live_${"a".repeat(32)}`;
    await serving({ SEXTANT_BOOTSTRAP_API_KEY: key }, async ({ address, stdout }) => {
      expect(stdout).not.toContain("pk_live_");
      expect(stdout).not.toContain("keys create");
      expect((await ask(address, key)).status).toBe(200);
    });
  });

  it("accepts a key that another process creates while it runs", async () => {
    await serving({}, async ({ address }) => {
      const tool = cliRun({ workingDirectory: folder });
      await runCli(["keys", "create", "--name", "late"], tool.context);
      expect((await ask(address, tool.stdout().trim())).status).toBe(200);
    });
  });

  it("needs no key with authentication off", async () => {
    await serving({ SEXTANT_AUTH: "off" }, async ({ address, stdout }) => {
      expect(stdout).not.toMatch(/x-api-key|keys create/);
      expect((await ask(address)).status).toBe(200);
    });
  });

  it("refuses to start with a misspelt variable", async () => {
    const environment = { SEXTANT_PORT: "0", SEXTANT_PROT: "1" };
    const cli = cliRun({ workingDirectory: folder, environment });
    expect(await runCli(["serve"], cli.context)).toBe(1);
    expect(cli.stderr()).toBe(
      "sextant: SEXTANT_PROT is not a setting. Did you mean SEXTANT_PORT? Otherwise unset it.\n",
    );
  });

  it("reports a port that is in use, with the remedy, and nothing about lengths that it would forget", async () => {
    const learned = { model: "large", answers: 9, expected_tokens: 9, actual_tokens: 20 };
    mkdirSync(join(folder, "data"));
    writeFileSync(
      join(folder, "data/lengths.json"),
      JSON.stringify({ version: 1, profile_version: "older", models: [learned] }),
    );
    const other = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => other.once("listening", resolve));
    const address = other.address();
    const port = typeof address === "object" ? address?.port : 0;
    const cli = cliRun({ workingDirectory: folder, environment: { SEXTANT_PORT: String(port) } });
    expect(await runCli(["serve"], cli.context)).toBe(1);
    expect(cli.stderr()).toBe(
      `sextant: cannot listen on 127.0.0.1:${port}: the port is in use. Stop the other process, or set SEXTANT_PORT to ` +
        "another port (0 for any free one).\n",
    );
    other.close();
    // The failed start has made no key that was shown to no one.
    await serving({}, async ({ stdout }) => expect(stdout).toMatch(/export SEXTANT_API_KEY=pk_live_/));
  });
});
