import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import { runCli } from "../../src/cli/program.js";
import { cliRun } from "../fakes/cli-context.js";
import { folderForTest } from "../support/folders.js";

let folder = "";
beforeEach(() => {
  folder = folderForTest();
});

async function run(line: string) {
  const environment = { OPENAI_API_KEY: "sk-test" };
  const cli = cliRun({ workingDirectory: folder, environment });
  const exitCode = await runCli(line.split(" "), cli.context);
  return { exitCode, stdout: cli.stdout(), stderr: cli.stderr() };
}

const events = (): readonly { kind: string; actor: { id: string }; details: object }[] =>
  readFileSync(join(folder, "data", "events.jsonl"), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));

it("`sextant pauses` adds, lists and ends a pause, and keeps each act", async () => {
  const pause = "pauses add model gpt-5.5 --redirect-to gpt-5.4-mini --reason outage --for 2h --json";
  const added = await run(pause);
  expect(added).toMatchObject({ exitCode: 0, stderr: "" });
  const { id } = JSON.parse(added.stdout);
  const listed = await run("pauses list");
  expect(listed.stdout).toContain(id);
  expect(listed.stdout).toMatch(/model gpt-5\.5 +gpt-5\.4-mini +20.* command_line +outage/);
  const ended = await run(`pauses end ${id}`);
  expect(ended.stdout).toBe(`Ended ${id}: model gpt-5.5 is in use again.\n`);
  expect(JSON.parse((await run("pauses list --json")).stdout)).toEqual([]);
  expect(events().map(({ kind, actor }) => [kind, actor.id])).toEqual([
    ["pause.started", "command_line"],
    ["pause.ended", "command_line"],
  ]);
});

it("`sextant pauses add --for ever` has no end, and what is misspelt is refused", async () => {
  const forever = await run("pauses add provider openai --reason x --for ever");
  expect(forever.stdout).toMatch(/^Paused provider openai \(pause_\w+\), until it is ended\.\n$/);
  const misspelt = await run("pauses add model gpt-nine --reason x");
  expect(misspelt.exitCode).toBe(1);
  expect(misspelt.stderr).toContain('There is no model "gpt-nine".');
  expect((await run("pauses add modle gpt-5.5 --reason x")).exitCode).toBe(2);
});

it("`sextant keys` keeps what it did to keys, without any secret", async () => {
  const { key, id } = JSON.parse((await run("keys create --name app --json")).stdout);
  const { key: other } = JSON.parse((await run(`keys rotate ${id} --grace 0 --json`)).stdout);
  await run(`keys edit ${id} --usd-per-month 5`);
  await run(`keys revoke ${id}`);
  expect(events().map(({ kind }) => kind)).toEqual([
    ...["key.created", "key.rotated", "key.updated", "key.revoked"],
  ]);
  expect(events()[2]?.details).toEqual({ usd_per_month: 5 });
  for (const secret of [key, other]) expect(JSON.stringify(events())).not.toContain(secret);
});
