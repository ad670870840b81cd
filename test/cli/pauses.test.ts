import { join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import { SqliteStore } from "../../src/gateway/storage/sqlite-store.js";
import { folderForTest } from "../support/folders.js";
import { sextant } from "./profile/sample-commands.js";

let folder = "";
beforeEach(() => {
  folder = folderForTest();
});

const run = (line: string) => sextant(folder, line, { environment: { OPENAI_API_KEY: "sk-test" } });

const events = async () => {
  const store = new SqliteStore(join(folder, "data"));
  const found = (await store.entries("events")).map(({ value }) => JSON.parse(value));
  await store.close();
  return found;
};

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
  const actor = { id: "command_line" };
  expect(await events()).toMatchObject([
    { kind: "pause.started", actor },
    { kind: "pause.ended", actor },
  ]);
});

it("`sextant pauses add --for ever` has no end, and what is misspelt is refused", async () => {
  const forever = await run("pauses add provider openai --reason x --for ever");
  expect(forever.stdout).toMatch(/^Paused provider openai \(pause_\w+\), until it is ended by hand\.\n$/);
  expect((await run("pauses list")).stdout).toMatch(/provider openai +– +/);
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
  expect((await events()).map(({ kind }) => kind)).toEqual([
    ...["key.created", "key.rotated", "key.updated", "key.revoked"],
  ]);
  expect((await events())[2]?.details).toEqual({ usd_per_month: 5 });
  for (const secret of [key, other]) expect(JSON.stringify(await events())).not.toContain(secret);
});
