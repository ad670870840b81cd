import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import pino from "pino";
import { expect, it } from "vitest";
import { reloadOnChange, watchedSets } from "../../src/compose/profile-reloads.js";
import type { NewEvent } from "../../src/gateway/audit/event.js";
import { folderForTest } from "../support/folders.js";

const log = pino({ enabled: false });

function makeSet(): string {
  const set = join(folderForTest(), "set");
  mkdirSync(join(set, "models"), { recursive: true });
  writeFileSync(join(set, "manifest.json"), "{}");
  return set;
}

it("A set that changes while the sets are loaded is loaded again", async () => {
  const set = makeSet();
  const settings = { profiles: [set], shadowProfiles: undefined, profilesWatchMs: 10 };
  const changes = await watchedSets(settings);
  writeFileSync(join(set, "manifest.json"), '{"name": "other"}');
  const reloads: string[] = [];
  const acts: NewEvent[] = [];
  const reload = async () => {
    reloads.push("again");
    return { version: "v2", count: 1, notes: [] };
  };
  const events = { record: async (act: NewEvent) => void acts.push(act) };
  const stop = reloadOnChange(changes, settings, { reload, log, events });
  await expect.poll(() => reloads).toEqual(["again"]);
  await expect.poll(() => acts).toHaveLength(1);
  expect(acts[0]).toMatchObject({ kind: "profiles.reloaded", actor: { id: "server" }, target: { id: "v2" } });
  stop();
});

it("Sets are not looked at when the interval is 0", async () => {
  const settings = { profiles: [makeSet()], shadowProfiles: undefined, profilesWatchMs: 0 };
  expect(await watchedSets(settings)).toBeUndefined();
});
