import { beforeEach, expect, it } from "vitest";
import { runCli } from "../../../src/cli/program.js";
import { cliRun } from "../../fakes/cli-context.js";
import { folderForTest } from "../../support/folders.js";

/** Control characters but line ends and tabs, and marks that turn the direction of writing. */
const ESCAPES = /[^\P{Cc}\n\t]|[\u202a-\u202e]/u;

let folder = "";
beforeEach(() => {
  folder = folderForTest();
});

async function run(...argv: readonly string[]) {
  const cli = cliRun({ workingDirectory: folder });
  const exitCode = await runCli(["keys", ...argv], cli.context);
  return { exitCode, stdout: cli.stdout(), stderr: cli.stderr() };
}

/** What a command prints with `--json`. */
const json = async (...argv: readonly string[]) => JSON.parse((await run(...argv, "--json")).stdout);

it("`sextant keys create` prints the key alone on standard output; `list` omits it and `revoke` ends it", async () => {
  const created = await run("create", "--name", "my app", "--source", "shop", "--scopes", "inference,admin");
  expect(created.exitCode).toBe(0);
  expect(created.stdout).toMatch(/^pk_live_[0-9A-Za-z]{40}\n$/);
  const listed = await run("list");
  expect(listed.stdout).not.toContain(created.stdout.trim());
  expect(listed.stdout).toContain(created.stdout.slice(0, 12));
  expect(listed.stdout).toMatch(/my app .* shop .* inference admin .* never .* active/);
  const id = listed.stdout.split("\n")[1]?.split(" ")[0] ?? "";
  const revoked = await run("revoke", id);
  expect([revoked.exitCode, revoked.stdout]).toEqual([0, `Revoked ${id} (my app).\n`]);
  expect((await run("list")).stdout).toContain("revoked");
});

it.each([true, false])(
  "`sextant keys list` prints names as one line without escapes of terminals, and JSON as it is: terminal %s",
  async (isTTY) => {
    const name = "a\u001b]0;owned\u0007\u202e\nb\u009b31m";
    await run("create", "--name", name);
    const cli = cliRun({ workingDirectory: folder, isTTY });
    await runCli(["keys", "list"], cli.context);
    expect(cli.stdout()).toContain("a\\u001b]0;owned\\u0007\\u202e\\u000ab\\u009b31m");
    expect(cli.stdout()).not.toMatch(ESCAPES);
    const { stdout } = await run("list", "--json");
    expect(stdout).not.toMatch(ESCAPES);
    expect(JSON.parse(stdout)[0].name).toBe(name);
  },
);

it("an error that quotes its argument has no escapes of terminals", async () => {
  const { stderr, exitCode } = await run("revoke", "\u001b]0;owned\u0007");
  expect(exitCode).toBe(1);
  expect(stderr).toContain("\\u001b]0;owned\\u0007");
  expect(stderr).not.toMatch(ESCAPES);
});

it("`sextant keys --json` prints all fields of a key, without its digest", async () => {
  const created = await json("create", "--name", "a", "--expires", "2d");
  const { key, ...metadata } = created;
  expect(key).toMatch(/^pk_live_/);
  expect(metadata.expires_at.slice(0, 4)).toBe("2026");
  const [listed] = await json("list");
  expect(listed).toEqual(metadata);
  expect(Object.keys(listed).join(" ")).toBe(
    "id name prefix source team scopes limits cost_weight created_at expires_at revoked_at last_used_at previous",
  );
  expect((await json("revoke", metadata.id)).revoked_at).toMatch(/^\d{4}-/);
});

it("`sextant keys create` makes a key that may not read traces, unless asked to, and warns of the shared source", async () => {
  expect((await json("create", "--name", "app")).scopes).toEqual(["inference"]);
  const warning = "of the source `default`, which all keys without --source share";
  expect((await run("create", "--name", "app")).stderr).not.toContain(warning);
  const reader = ["create", "--name", "app", "--scopes", "inference,traces:read"];
  expect((await run(...reader)).stderr).toContain(warning);
  expect((await run(...reader, "--source", "shop")).stderr).not.toContain(warning);
});

it("`sextant keys create` sets limits of the key's own, which `list` shows", async () => {
  const rates = ["--requests-per-minute", "60", "--tokens-per-minute", "100000"];
  const caps = ["--max-usd-per-request", "0.05", "--allowed-models", "gpt-*, o3", "--min-cost-weight", "0.3"];
  const { limits } = await json("create", "--name", "interns", ...rates, "--usd-per-month", "25.50", ...caps);
  expect(Object.values(limits)).toEqual([60, 100_000, 25.5, 0.05, ["gpt-*", "o3"], 0.3]);
  await run("create", "--name", "unlimited");
  const [head, limited, unlimited] = (await run("list")).stdout.split("\n");
  expect(head).toContain("limits");
  expect(limited).toContain(
    "60 requests/min, 100000 tokens/min, 25.5 USD/month, 0.05 USD/request, models gpt-*,o3, weight at least 0.3",
  );
  expect(unlimited).toMatch(/unlimited .* – /);
});

it("`sextant keys create --team` ties a key to a team, and `edit --team` to another or none", async () => {
  const { id, team } = await json("create", "--name", "a", "--team", "search");
  expect(team).toBe("search");
  const edited = async (to: string) => (await json("edit", id, "--team", to)).team;
  expect(await edited("billing")).toBe("billing");
  expect(await edited("none")).toBeNull();
});

it.each([
  ["--requests-per-minute", ["0", "1.5", "1e3", "1000000001", ""], "a whole number from 1 to 1000000000"],
  ["--tokens-per-minute", ["0"], "a whole number from 1 to 1000000000"],
  ["--usd-per-month", ["0", "1000001", "5 USD", "1e-10"], "an amount above 0, at most 1000000"],
  ["--team", ["a,b", ""], "1 to 128 printable ASCII characters"],
  ["--source", ["a,b", "büro", " shop", "", "x".repeat(129)], "1 to 128 printable ASCII characters"],
])("`sextant keys create` refuses an invalid %s and creates no key", async (option, values, rule) => {
  for (const value of values) {
    const { exitCode, stderr } = await run("create", "--name", "a", `${option}=${value}`);
    expect([exitCode, stderr], value).toEqual([2, expect.stringContaining(rule)]);
  }
  expect((await run("list", "--json")).stdout).toBe("[]\n");
});

it("`sextant keys create --expires` accepts a date or a time from now, and refuses past and unreadable values", async () => {
  const at = async (when: string) => (await json("create", "--name", "a", "--expires", when)).expires_at;
  expect(await at("90d")).toBe("2026-04-02T00:00:00.000Z");
  expect(await at("12h")).toBe("2026-01-02T12:00:00.000Z");
  expect(await at("2030-01-31")).toBe("2030-01-31T00:00:00.000Z");
  for (const when of ["2020-01-01", "0d", "soon", "5", "2030-13-01", "9999999999999d"]) {
    const { exitCode, stderr } = await run("create", "--name", "a", "--expires", when);
    expect(exitCode, when).toBe(2);
    expect(stderr).toContain("It must be in the future");
  }
});

it("`sextant keys` refuses unknown scopes, a missing name, and unknown ids", async () => {
  expect((await run("create", "--name", "a", "--scopes", "inference,root")).stderr).toContain(
    '"root" is not a scope',
  );
  expect(await run("create")).toMatchObject({ exitCode: 2, stdout: "" });
  const unknown = await run("revoke", "key_nope");
  expect([unknown.exitCode, unknown.stderr]).toEqual([
    1,
    "sextant: No key has the id or prefix `key_nope`. `sextant keys list` shows the ids of all keys.\n",
  ]);
});

it("`sextant keys edit` changes what is named of a key, and nothing else", async () => {
  const limited = ["--name", "app", "--usd-per-month", "5", "--expires", "2d", "--allowed-models", "o3"];
  const { key: _, ...before } = await json("create", ...limited);
  const edited = await run("edit", before.id, "--requests-per-minute", "60", "--usd-per-month", "2.5");
  expect([edited.exitCode, edited.stdout]).toEqual([0, `Changed ${before.id} (app).\n`]);
  const limits = { ...before.limits, requests_per_minute: 60, usd_per_month: 2.5 };
  expect(await json("list")).toEqual([{ ...before, limits }]);
  const renaming = [
    "--name",
    "renamed",
    "--expires",
    "never",
    "--usd-per-month",
    "default",
    "--allowed-models",
    "none",
  ];
  expect(await json("edit", before.prefix, ...renaming)).toEqual({
    ...before,
    name: "renamed",
    expires_at: null,
    limits: { ...limits, usd_per_month: null, allowed_models: null },
  });
});

it("`sextant keys rotate` prints a new key alone on standard output, and says until when the old one works", async () => {
  const { key, ...before } = await json("create", "--name", "app");
  const rotated = await run("rotate", before.id, "--grace", "12h");
  expect(rotated.stdout).toMatch(/^pk_live_[0-9A-Za-z]{40}\n$/);
  expect(rotated.stdout.trim()).not.toBe(key);
  const text = /^Rotated (\S+) \(app\)\. The old key works until (\S+)\. The new one is shown only once:\n$/;
  const [, id, until] = text.exec(rotated.stderr) ?? [];
  expect(id).toBe(before.id);
  const [listed] = await json("list");
  const previous = { prefix: before.prefix, expires_at: until, refused: null };
  expect(listed).toEqual({ ...before, prefix: rotated.stdout.slice(0, 12), previous });
  const leaked = await run("rotate", before.id, "--grace", "0");
  expect(leaked.stderr).toContain("The old key no longer works.");
});

it.each([
  ["edit ID", 2, "nothing to change: name --name, --team, --expires"],
  ["edit ID --name=", 2, "It must have 1 to 128 characters."],
  ["edit key_nope --name x", 1, "No key has the id or prefix `key_nope`"],
  ["rotate ID", 2, "--grace"],
  ["rotate ID --grace 31d", 2, "It must be 0, or a time of at most 30 days such as 30m, 12h or 1d."],
  ["rotate key_nope --grace 0", 1, "No key has the id or prefix `key_nope`"],
])("`sextant keys %s` ends with %i, says %j, and changes nothing", async (command, exitCode, message) => {
  const { id } = await json("create", "--name", "app");
  const before = await json("list");
  const result = await run(...command.replace("ID", id).split(" "));
  expect(result).toMatchObject({ exitCode, stderr: expect.stringContaining(message) });
  expect(await json("list")).toEqual(before);
});
