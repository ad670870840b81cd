import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import { parse } from "yaml";
import { runCli } from "../../../src/cli/program.js";
import { SqliteStore } from "../../../src/gateway/storage/sqlite-store.js";
import { cliRun } from "../../fakes/cli-context.js";
import { folderForTest } from "../../support/folders.js";
import type { Row } from "../profile/sample-commands.js";

let home = "";
beforeEach(() => {
  home = folderForTest();
});

interface Options {
  readonly environment?: Readonly<Record<string, string>>;
  /** What the server answers; a key of it by default. */
  readonly answer?: (path: string, init: RequestInit) => Response;
}

const MODELS = () => Response.json({ object: "list", data: [] });

async function run(words: readonly string[], { environment = {}, answer = MODELS }: Options = {}) {
  const cli = cliRun({ workingDirectory: home, environment: { HOME: home, ...environment } });
  const asked: { url: string; headers: unknown; body: unknown }[] = [];
  const fetch = async (url: string, init: RequestInit) => {
    asked.push({ url, headers: Object.fromEntries(new Headers(init.headers)), body: init.body });
    return answer(new URL(url).pathname, init);
  };
  const context = { ...cli.context, fetch: fetch as typeof globalThis.fetch };
  const exitCode = await runCli(words, context);
  return { exitCode, stdout: cli.stdout(), stderr: cli.stderr(), asked };
}

const connect = (agent: string, ...more: readonly string[]) => run(["connect", agent, ...more]);

async function keys(): Promise<readonly Row[]> {
  const { stdout } = await run(["keys", "list", "--json"]);
  return JSON.parse(stdout);
}

async function expectFailure(argv: readonly string[], message: string, options?: Options): Promise<void> {
  const { exitCode, stderr } = await run(["connect", ...argv], options);
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining(message)]);
}

function write(path: string, text: string): string {
  const file = join(home, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

const CLAUDE = ".claude/settings.json";
const SETTINGS = `{
    "model": "opus",
    "env": { "ANTHROPIC_API_KEY": "sk-ant-secret", "ANTHROPIC_MODEL": "claude-opus-5", "FOO": "1" }
}
`;

it("prints what would change, without a secret, and changes nothing", async () => {
  const file = write(CLAUDE, SETTINGS);
  const { exitCode, stdout, asked } = await connect("claude-code");
  expect(exitCode).toBe(0);
  for (const part of [
    file,
    'set env.ANTHROPIC_BASE_URL to "http://127.0.0.1:8080"',
    'set env.ANTHROPIC_MODEL to "auto:0.2", now "claude-opus-5"',
    "remove env.ANTHROPIC_API_KEY",
    "before-sextant",
  ])
    expect(stdout).toContain(part);
  expect(stdout).not.toContain("sk-ant");
  expect([readFileSync(file, "utf8"), await keys(), asked]).toEqual([SETTINGS, [], []]);
});

it("Claude Code: writes its settings with a key made for it, and --undo gives every byte back and revokes the key", async () => {
  const file = write(CLAUDE, SETTINGS);
  const { exitCode, stdout, asked } = await connect("claude-code", "--model", "auto:0.4", "--write");
  expect(exitCode, stdout).toBe(0);
  const written = JSON.parse(readFileSync(file, "utf8"));
  expect(written).toEqual({
    model: "opus",
    env: {
      FOO: "1",
      ANTHROPIC_BASE_URL: "http://127.0.0.1:8080",
      ANTHROPIC_AUTH_TOKEN: expect.stringMatching(/^pk_live_/),
      ANTHROPIC_MODEL: "auto:0.4",
      ANTHROPIC_DEFAULT_HAIKU_MODEL: "auto:0.8",
    },
    statusLine: {
      type: "command",
      command: expect.stringMatching(/agent-line\.js" "http:\/\/127\.0\.0\.1:8080" ".*settings\.json"$/),
    },
  });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(stdout).not.toContain("pk_live_");
  expect(asked).toMatchObject([{ headers: { authorization: `Bearer ${written.env.ANTHROPIC_AUTH_TOKEN}` } }]);
  expect(await keys()).toMatchObject([
    { name: "connect claude-code", source: "claude-code", scopes: ["inference"], revoked_at: null },
  ]);
  const undone = await connect("claude-code", "--undo");
  expect(undone.exitCode, undone.stderr).toBe(0);
  expect(readFileSync(file, "utf8")).toBe(SETTINGS);
  expect(existsSync(`${file}.before-sextant`)).toBe(false);
  expect(await keys()).toMatchObject([{ revoked_at: expect.any(String) }]);
});

it("--undo keeps what was changed in the file since, and removes a file that was not there before", async () => {
  const file = join(home, CLAUDE);
  expect((await connect("claude-code")).stdout).not.toContain("before-sextant");
  await connect("claude-code", "--write");
  const changed = JSON.parse(readFileSync(file, "utf8"));
  writeFileSync(file, JSON.stringify({ ...changed, theme: "dark" }));
  await connect("claude-code", "--undo");
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({ theme: "dark" });
  await connect("opencode", "--write");
  const opencode = join(home, ".config/opencode/opencode.json");
  const provider = { sextant: { options: { baseURL: "http://127.0.0.1:8080/v1" } } };
  const models = { model: "sextant/auto:0.2", small_model: "sextant/auto:0.8" };
  expect(JSON.parse(readFileSync(opencode, "utf8"))).toMatchObject({ ...models, provider });
  await connect("opencode", "--undo");
  expect(existsSync(opencode)).toBe(false);
});

it("a second connection keeps the file that was there before the first, and ends its key", async () => {
  const file = write(CLAUDE, SETTINGS);
  await connect("claude-code", "--write");
  await connect("claude-code", "--model", "gpt-5.4", "--write");
  expect(JSON.parse(readFileSync(file, "utf8")).env.ANTHROPIC_MODEL).toBe("gpt-5.4");
  // The key of the first one works no longer.
  expect((await keys()).map(({ revoked_at }) => revoked_at === null)).toEqual([false, true]);
  await connect("claude-code", "--undo");
  expect(readFileSync(file, "utf8")).toBe(SETTINGS);
});

it("aider: keeps comments and other members of its YAML file; a link stays a link", async () => {
  const text = "# my settings\nauto-commits: false # by hand\nmodel: gpt-4o\n";
  const target = write("dotfiles/aider.yml", text);
  symlinkSync(target, join(home, ".aider.conf.yml"));
  await connect("aider", "--write");
  const written = readFileSync(target, "utf8");
  expect(written).toContain("# my settings\nauto-commits: false # by hand\n");
  expect(parse(written)).toMatchObject({
    "openai-api-base": "http://127.0.0.1:8080/v1",
    model: "openai/auto:0.2",
    "weak-model": "openai/auto:0.8",
  });
  await connect("aider", "--undo");
  expect(readFileSync(join(home, ".aider.conf.yml"), "utf8")).toBe(text);
});

it("Codex: a profile of its own, which is printed without a key, and no other file", async () => {
  expect((await connect("codex")).stdout).toContain(
    '  base_url = "http://127.0.0.1:8080/v1"\n  experimental_bearer_token = "a key"\n',
  );
  expect(await keys()).toEqual([]);
  const { stdout } = await connect("codex", "--write");
  expect(stdout).toContain("codex --profile sextant");
  const file = join(home, ".codex/sextant.config.toml");
  expect(readFileSync(file, "utf8")).toMatch(
    /model = "auto:0.2"\nmodel_provider = "sextant"\n\n\[model_providers\.sextant\]\n(.+\n){2}experimental_bearer_token = "pk_live_\w+"\nwire_api = "responses"\n/,
  );
  await connect("codex", "--undo");
  expect(existsSync(file)).toBe(false);
  write(".codex/sextant.config.toml", "model = 1\n");
  await expectFailure(["codex", "--write"], "was not written by `sextant connect`");
  expect((await keys()).every(({ revoked_at }) => revoked_at !== null)).toBe(true);
  const store = new SqliteStore(join(home, "data"));
  const events = await store.entries("events");
  await store.close();
  expect(events.slice(0, 2).map(({ value }) => JSON.parse(value).kind)).toEqual([
    "key.created",
    "key.revoked",
  ]);
});

it("Cursor: says what to enter, and refuses to write", async () => {
  expect((await connect("cursor")).stdout).toContain("Override OpenAI Base URL");
  expect(await connect("cursor", "--write")).toMatchObject({ exitCode: 2 });
});

it("Claude Code: takes away what leads it to a cloud, and --undo brings it back", async () => {
  const file = write(CLAUDE, '{ "env": { "CLAUDE_CODE_USE_BEDROCK": "1", "AWS_REGION": "us-east-1" } }\n');
  expect((await connect("claude-code")).stdout).toContain("remove env.CLAUDE_CODE_USE_BEDROCK");
  await connect("claude-code", "--write");
  expect(JSON.parse(readFileSync(file, "utf8")).env).not.toHaveProperty("CLAUDE_CODE_USE_BEDROCK");
  writeFileSync(file, readFileSync(file, "utf8").replace("us-east-1", "eu-west-1"));
  await connect("claude-code", "--undo");
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({
    env: { CLAUDE_CODE_USE_BEDROCK: "1", AWS_REGION: "eu-west-1" },
  });
});

const COMMENTED = `{
    // my providers
    "provider": { "ollama": { "models": { "llama2": {} } } },
    "model": "ollama/llama2", // the small one
}
`;

it("opencode: changes the file that counts, opencode.jsonc, and keeps its comments and form", async () => {
  const file = write(".config/opencode/opencode.jsonc", COMMENTED);
  await connect("opencode", "--write");
  await connect("opencode", "--model", "auto:0.4", "--write");
  const written = readFileSync(file, "utf8");
  expect(written).toMatch(
    /^ {4}\/\/ my providers\n {4}"provider": \{.+"model": "sextant\/auto:0.4",.+\/\/ the small one\n/ms,
  );
  expect(written).toContain('"llama2": {}');
  expect(existsSync(join(home, ".config/opencode/opencode.json"))).toBe(false);
  await connect("opencode", "--undo");
  expect(readFileSync(file, "utf8")).toBe(COMMENTED);
});

it("--undo keeps a comment that was written since", async () => {
  const file = write(".config/opencode/opencode.json", COMMENTED);
  await connect("opencode", "--write");
  writeFileSync(file, readFileSync(file, "utf8").replace("// my providers", "// our providers"));
  await connect("opencode", "--undo");
  const undone = readFileSync(file, "utf8");
  expect(undone).toContain("// our providers");
  expect(undone).toMatch(/"model": "ollama\/llama2",? \/\/ the small one/);
  expect(undone).not.toContain("sextant");
});

/** The user's own change of a file of JSON. */
function change(file: string, changed: (settings: Record<string, unknown>) => object): void {
  writeFileSync(file, JSON.stringify(changed(JSON.parse(readFileSync(file, "utf8")))));
}

const PLUGINS = `{
  "plugin": ["mine", // "resting"
    "other"
  ]
}
`;

it("opencode: adds its plugin to the user's, once, and --undo removes that one alone", async () => {
  const file = write(".config/opencode/opencode.json", PLUGINS);
  const ours = expect.stringMatching(/^file:.*\/cli\/connect\/opencode-plugin\.js$/);
  const planned = (await connect("opencode")).stdout;
  expect(planned).toMatch(/ add "file:.*\/opencode-plugin\.js" to plugin\n/);
  expect(planned).toContain('"options":{"baseURL":"http://127.0.0.1:8080/v1","apiKey":"a key"}');
  await connect("opencode", "--write");
  await connect("opencode", "--write");
  const written = readFileSync(file, "utf8");
  expect(written).toContain('// "resting"');
  expect(parse(written.replace(/\/\/ .*/, "")).plugin).toEqual(["mine", "other", ours]);
  await connect("opencode", "--undo");
  expect(readFileSync(file, "utf8")).toBe(PLUGINS);
  await connect("opencode", "--write");
  writeFileSync(file, written.replace('"mine"', '"since", "mine"'));
  await connect("opencode", "--undo");
  const undone = readFileSync(file, "utf8");
  expect(undone).toContain('// "resting"');
  expect(parse(undone.replace(/\/\/ .*/, ""))).toEqual({ plugin: ["since", "mine", "other"] });
});

it.each([
  [["ours", "since"], ["since"]],
  [["ours"], undefined],
  [["since"], ["since"]],
])("opencode: of the plugins %j --undo leaves %j", async (plugins, left) => {
  const file = join(home, ".config/opencode/opencode.json");
  await connect("opencode", "--write");
  change(file, ({ plugin, ...rest }) => {
    const [ours] = plugin as string[];
    return { ...rest, theme: "dark", plugin: plugins.map((each) => (each === "ours" ? ours : each)) };
  });
  await connect("opencode", "--undo");
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({
    theme: "dark",
    ...(left !== undefined && { plugin: left }),
  });
});

it("opencode: something else than a list of plugins is refused by its name", async () => {
  const file = write(".config/opencode/opencode.json", '{ "plugin": {} }');
  await expectFailure(["opencode", "--write"], `${file} has no list where plugin belongs.`);
});

it("--undo keeps a model that was chosen since, what was removed since, and a cloud that was set since", async () => {
  const opencode = write(".config/opencode/opencode.json", '{ "model": "a/1", "small_model": "a/2" }');
  await connect("opencode", "--write");
  change(opencode, ({ small_model, ...rest }) => ({ ...rest, model: "b/1" }));
  await connect("opencode", "--undo");
  expect(JSON.parse(readFileSync(opencode, "utf8"))).toEqual({ model: "b/1" });
  const claude = join(home, CLAUDE);
  await connect("claude-code", "--write");
  change(claude, ({ env, ...rest }) => ({
    ...rest,
    env: { ...(env as object), CLAUDE_CODE_USE_VERTEX: "1" },
  }));
  await connect("claude-code", "--undo");
  expect(JSON.parse(readFileSync(claude, "utf8"))).toEqual({ env: { CLAUDE_CODE_USE_VERTEX: "1" } });
});

it("--undo keeps what was changed since in place of what a connection set, by any of them, and says so", async () => {
  const claude = write(CLAUDE, SETTINGS);
  await connect("claude-code", "--write");
  await connect("claude-code", "--model", "gpt-5.4", "--write");
  change(claude, ({ env, ...rest }) => ({
    ...rest,
    env: { ...(env as object), ANTHROPIC_MODEL: "claude-opus-6", ANTHROPIC_BASE_URL: "http://other" },
  }));
  const { stdout } = await connect("claude-code", "--undo");
  expect(stdout).toContain(
    "Stays as you have changed it since: env.ANTHROPIC_BASE_URL, env.ANTHROPIC_MODEL.",
  );
  expect(JSON.parse(readFileSync(claude, "utf8"))).toEqual({
    model: "opus",
    env: {
      FOO: "1",
      ANTHROPIC_API_KEY: "sk-ant-secret",
      ANTHROPIC_MODEL: "claude-opus-6",
      ANTHROPIC_BASE_URL: "http://other",
    },
  });
  const aider = write(".aider.conf.yml", "model: gpt-4o\n");
  await connect("aider", "--write");
  writeFileSync(aider, readFileSync(aider, "utf8").replace("openai/auto:0.2", "openai/gpt-5"));
  expect((await connect("aider", "--undo")).stdout).toContain("Stays as you have changed it since: model.");
  expect(parse(readFileSync(aider, "utf8"))).toEqual({ model: "openai/gpt-5" });
  expect(
    readdirSync(home)
      .concat(readdirSync(dirname(claude)))
      .join(),
  ).not.toContain("sextant");
});

const OWN_LINE = { type: "command", command: "~/my-line.sh" };

it("Claude Code: a status line of the user's stays, and how to show the cost is said", async () => {
  const file = write(CLAUDE, JSON.stringify({ statusLine: OWN_LINE }));
  for (const more of [[], ["--write"], ["--write"]]) {
    const { stdout } = await connect("claude-code", ...more);
    expect(stdout).toMatch(/Your own status line stays\. .*`sextant cost SESSION`.*agent-line\.js"/);
    expect(stdout).not.toContain("set statusLine");
    expect(JSON.parse(readFileSync(file, "utf8")).statusLine).toEqual(OWN_LINE);
  }
  await connect("claude-code", "--undo");
  expect(readFileSync(file, "utf8")).toBe(JSON.stringify({ statusLine: OWN_LINE }));
});

it.each([
  [
    "a status line of the user's that was set since",
    { ...OWN_LINE, padding: 0 },
    { statusLine: { ...OWN_LINE, padding: 0 } },
  ],
  ["nothing of ours that the user added to", { padding: 0 }, {}],
])("Claude Code: connecting again and --undo leave %s", async (_name, set, left) => {
  const file = join(home, CLAUDE);
  await connect("claude-code", "--write");
  change(file, ({ statusLine, ...rest }) => ({
    ...rest,
    theme: "dark",
    statusLine: { ...(statusLine as object), ...set },
  }));
  await connect("claude-code", "--write");
  expect(JSON.parse(readFileSync(file, "utf8")).statusLine).toMatchObject(set);
  await connect("claude-code", "--undo");
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({ theme: "dark", ...left });
});

it.each([
  ["a file with comments", '{ // mine\n "env": {} }', "JSON without comments"],
  ["damaged JSON", '{ "env": ', "JSON without comments"],
])("refuses %s, and makes no key", async (_name, text, message) => {
  const file = write(CLAUDE, text);
  await expectFailure(["claude-code", "--write"], message);
  expect([readFileSync(file, "utf8"), await keys()]).toEqual([text, []]);
});

it("a file with something else where an object belongs is refused by its name, before there is a key", async () => {
  const file = write(CLAUDE, '{ "env": null }');
  await expectFailure(
    ["claude-code", "--write"],
    `${file} has no object where env.ANTHROPIC_BASE_URL belongs.`,
  );
  const list = write(".aider.conf.yml", "- model\n");
  await expectFailure(["aider"], `${list} has no object where openai-api-base belongs.`);
  expect(await keys()).toEqual([]);
});

it("without a server that answers nothing is written, and the key is revoked", async () => {
  const answer = () => {
    throw new TypeError("fetch failed");
  };
  await expectFailure(["claude-code", "--write"], "No server answers at http://127.0.0.1:8080", { answer });
  expect(existsSync(join(home, CLAUDE))).toBe(false);
  expect(await keys()).toMatchObject([{ revoked_at: expect.any(String) }]);
});

it("--undo of what is not connected says so, and never revokes another key that begins alike", async () => {
  await expectFailure(["claude-code", "--undo"], "has no connection");
  const { stdout } = await run(["keys", "create", "--name", "another"]);
  const key = stdout.trim();
  write(
    ".codex/sextant.config.toml",
    `# Written by \`sextant connect\`, which removes it with --undo.\nk = "${key}"\n`,
  );
  expect(await connect("codex", "--undo")).toMatchObject({ exitCode: 0 });
  expect(await keys()).toMatchObject([{ name: "another", revoked_at: null }]);
});

it("a server elsewhere makes and revokes the key, by a key with the scope admin", async () => {
  const calls: string[] = [];
  const made = { id: "key_1", prefix: "pk_live_remo", name: "connect claude-code", revoked_at: null };
  const answer = (path: string, { method, headers }: RequestInit) => {
    calls.push(`${method?.toUpperCase()} ${path} ${new Headers(headers).get("authorization")}`);
    if (method?.toUpperCase() === "POST")
      return Response.json({ key: "pk_live_remote0000", id: "key_1" }, { status: 201 });
    return path === "/admin/keys" ? Response.json({ data: [made] }) : MODELS();
  };
  const environment = { SEXTANT_API_KEY: "pk_live_admin" };
  const given = ["connect", "claude-code", "--url", "https://llm.example.com/v1/"];
  expect(await run([...given, "--write"], { environment, answer })).toMatchObject({ exitCode: 0 });
  expect(JSON.parse(readFileSync(join(home, CLAUDE), "utf8")).env).toMatchObject({
    ANTHROPIC_BASE_URL: "https://llm.example.com",
    ANTHROPIC_AUTH_TOKEN: "pk_live_remote0000",
  });
  expect(await run([...given, "--undo"], { environment, answer })).toMatchObject({ exitCode: 0 });
  expect(calls).toEqual([
    "POST /admin/keys Bearer pk_live_admin",
    "GET /v1/models Bearer pk_live_remote0000",
    "GET /admin/keys Bearer pk_live_admin",
    "DELETE /admin/keys/key_1 Bearer pk_live_admin",
  ]);
});

it("a server that refuses the key says why and what is needed", async () => {
  const error = {
    message: "It lacks the scope.",
    type: "permission_error",
    code: "insufficient_scope",
    param: null,
  };
  const answer = () => Response.json({ error }, { status: 403 });
  const message = "It lacks the scope. SEXTANT_API_KEY must be a key with the scope `admin`.";
  await expectFailure(["claude-code", "--url", "http://other:1", "--write"], message, { answer });
});
