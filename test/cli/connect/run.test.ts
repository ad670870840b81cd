import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import { runCli } from "../../../src/cli/program.js";
import { cliRun } from "../../fakes/cli-context.js";
import { folderForTest } from "../../support/folders.js";

let home = "";
beforeEach(() => {
  home = folderForTest();
});

const ADMIN = "pk_live_admin";

interface Started {
  readonly program: string;
  readonly parameters: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
}

interface RunOptions {
  readonly exitCode?: number;
  readonly environment?: Readonly<Record<string, string>>;
}

async function run(words: readonly string[], { exitCode = 0, environment = {} }: RunOptions = {}) {
  const started: Started[] = [];
  const cli = cliRun({
    workingDirectory: join(home, "project"),
    environment: { HOME: home, FOO: "1", SEXTANT_API_KEY: ADMIN, ...environment },
    runProgram: async (program, parameters, environment) => {
      started.push({ program, parameters, environment });
      return exitCode;
    },
  });
  const context = { ...cli.context, fetch: async () => Response.json({ data: [] }) };
  const code = await runCli(["run", ...words], context);
  return { code, stderr: cli.stderr(), started: started[0] };
}

async function keys(): Promise<readonly { source: string; revoked_at: string | null; expires_at: string }[]> {
  const cli = cliRun({ workingDirectory: join(home, "project") });
  await runCli(["keys", "list", "--json"], cli.context);
  return JSON.parse(cli.stdout());
}

it.each([
  [
    "claude",
    { ANTHROPIC_BASE_URL: "http://127.0.0.1:8080", ANTHROPIC_MODEL: "auto:0.2", ANTHROPIC_API_KEY: "" },
  ],
  ["opencode", { OPENCODE_CONFIG_CONTENT: expect.stringContaining('"model":"sextant/auto:0.2"') }],
  ["aider", { OPENAI_API_BASE: "http://127.0.0.1:8080/v1", AIDER_MODEL: "openai/auto:0.2" }],
])(
  "%s gets the server by its environment, with a key that ends with the run",
  async (program, environment) => {
    const { code, started } = await run(["--", `/usr/bin/${program}`, "--flag", "a prompt"]);
    expect(code).toBe(0);
    expect(started?.program).toBe(`/usr/bin/${program}`);
    expect(started?.parameters.slice(-2)).toEqual(["--flag", "a prompt"]);
    expect(started?.parameters.join(" ")).not.toContain("pk_live_");
    expect(started?.environment).toMatchObject({ FOO: "1", ...environment });
    const given = JSON.stringify(started?.environment);
    expect([given.includes("pk_live_"), given.includes(ADMIN)]).toEqual([true, false]);
    const [key] = await keys();
    expect(key).toMatchObject({ revoked_at: expect.any(String) });
    expect(Date.parse(key?.expires_at ?? "")).toBe(Date.UTC(2026, 0, 3));
  },
);

it("Codex gets the server by parameters and the key by its environment alone", async () => {
  const { started } = await run(["--model", "auto:0.4", "--", "codex", "exec", "fix it"]);
  const [line] = started?.parameters.filter((each) => each.startsWith("hooks.Stop")) ?? [];
  expect(line).toMatch(
    /^hooks\.Stop=\[\{hooks=\[\{type="command",command=".*agent-line\.js.* \\"http:\/\/127\.0\.0\.1:8080\\""\}\]\}\]$/,
  );
  expect(started?.parameters.join(" ").replace(` -c ${line}`, "")).toBe(
    '-c model="auto:0.4" -c model_provider="sextant" -c model_providers.sextant.name="Sextant" ' +
      '-c model_providers.sextant.base_url="http://127.0.0.1:8080/v1" ' +
      '-c model_providers.sextant.env_key="SEXTANT_API_KEY" -c model_providers.sextant.wire_api="responses" exec fix it',
  );
  expect(started?.environment.SEXTANT_API_KEY).toMatch(/^pk_live_/);
});

it("Claude Code: counts before its settings file and a cloud of the environment, by options without the key", async () => {
  const { started } = await run(["--", "claude", "-p", "hi"]);
  const [option, settings = "", ...own] = started?.parameters ?? [];
  expect([option, own]).toEqual(["--settings", ["-p", "hi"]]);
  const server = { ANTHROPIC_BASE_URL: "http://127.0.0.1:8080", ANTHROPIC_MODEL: "auto:0.2" };
  expect(JSON.parse(settings)).toMatchObject({
    env: { ...server, ANTHROPIC_AUTH_TOKEN: "", CLAUDE_CODE_USE_BEDROCK: "" },
    apiKeyHelper: expect.stringContaining("-p process.env.SEXTANT_API_KEY"),
    statusLine: {
      type: "command",
      command: expect.stringMatching(/agent-line\.js" "http:\/\/127\.0\.0\.1:8080"$/),
    },
  });
  expect(started?.environment).toMatchObject({ CLAUDE_CODE_USE_BEDROCK: "", CLAUDE_CODE_USE_VERTEX: "" });
});

it.each([
  ["~/.claude/settings.json", ".claude/settings.json", {}],
  ["CLAUDE_CONFIG_DIR", "elsewhere/settings.json", { CLAUDE_CONFIG_DIR: "elsewhere" }],
  ["a project", "project/.claude/settings.local.json", {}],
])("Claude Code: a status line of %s is not replaced", async (_name, path, folders) => {
  mkdirSync(dirname(join(home, path)), { recursive: true });
  const file = (statusLine: object) => writeFileSync(join(home, path), JSON.stringify({ statusLine }));
  const environment = Object.fromEntries(
    Object.entries(folders).map(([name, folder]) => [name, join(home, folder)]),
  );
  const given = async () =>
    JSON.parse((await run(["--", "claude"], { environment })).started?.parameters[1] ?? "");
  const { statusLine } = await given();
  file({ type: "command", command: "~/my-line.sh" });
  expect(await given()).not.toHaveProperty("statusLine");
  file(statusLine);
  expect(await given()).toMatchObject({ statusLine });
});

it("ends as the program does, and revokes the key then too", async () => {
  expect(await run(["--", "claude"], { exitCode: 3 })).toMatchObject({
    code: 3,
    stderr: "sextant: claude ended with 3\n",
  });
  expect(await keys()).toMatchObject([{ revoked_at: expect.any(String) }]);
});

it("asks which agent an unknown command starts, and takes --agent", async () => {
  const { code, stderr } = await run(["--", "npx", "thing"]);
  expect([code, stderr]).toEqual([2, expect.stringContaining('"npx" is not a known agent')]);
  const { started } = await run(["--agent", "codex", "--", "npx", "@openai/codex", "exec", "hi"]);
  expect(started?.parameters.slice(0, 4)).toEqual(["@openai/codex", "exec", "hi", "-c"]);
});
