import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { watchedFiles, whenChanged } from "../../src/compose/reloads.js";
import { SettingsSource } from "../../src/gateway/settings/settings-source.js";
import { folderForTest } from "../support/folders.js";

function makeSet(): string {
  const set = join(folderForTest(), "set");
  mkdirSync(join(set, "models"), { recursive: true });
  writeFileSync(join(set, "manifest.json"), "{}");
  return set;
}

it("Sets and settings that change while they are loaded are loaded again", async () => {
  const set = makeSet();
  const workingDirectory = folderForTest();
  const source = new SettingsSource({}, { workingDirectory });
  const settings = { profiles: [set], watchMs: 10 };
  const changes = await watchedFiles(settings, source);
  writeFileSync(join(set, "manifest.json"), '{"name": "other"}');
  writeFileSync(join(workingDirectory, ".env"), "OPENAI_API_KEY=other");
  const reloads: string[] = [];
  const stops = (["profiles", "settings"] as const).map((which) =>
    whenChanged(changes[which], { everyMs: 10, task: async () => void reloads.push(which) }),
  );
  await expect.poll(() => [...reloads].sort()).toEqual(["profiles", "settings"]);
  for (const stop of stops) stop();
});

it("Files are not looked at when the interval is 0", async () => {
  const settings = { profiles: [makeSet()], watchMs: 0 };
  const source = new SettingsSource({}, { workingDirectory: folderForTest() });
  expect(await watchedFiles(settings, source)).toEqual({ profiles: undefined, settings: undefined });
});
