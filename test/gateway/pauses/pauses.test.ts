import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { AccessFileError } from "../../../src/foundation/shared-file.js";
import { textInFile } from "../../../src/foundation/shared-text.js";
import { PauseList } from "../../../src/gateway/pauses/pause-list.js";
import { itKeepsPauses, pauseOf, START_MS } from "../../contracts/pause-store.contract.js";
import { folderForTest } from "../../support/folders.js";

let folder = "";
beforeEach(() => {
  folder = folderForTest();
});

const file = () => textInFile(join(folder, "pauses.json"));

const open = async () => {
  const pauses = new PauseList(file(), {
    now: () => START_MS,
    newId: () => "1",
  });
  await pauses.refresh();
  return pauses;
};

describe("pauses.json", () => {
  itKeepsPauses(file);

  it("is refused when it is damaged, with its name and the remedy", async () => {
    writeFileSync(join(folder, "pauses.json"), "{");
    await expect(open()).rejects.toThrow(AccessFileError);
    await expect(open()).rejects.toThrow(/pauses\.json is not a readable list of pauses\. Restore it/);
  });
});

describe("A pause of a model", () => {
  it.each([
    [{ target: "gpt-5.5" }, "gpt-5.5", true],
    [{ target: "gpt-5.5" }, "gpt-5.5:high", true],
    [{ target: "gpt-5.5:high" }, "gpt-5.5", false],
    [{ target: "azure/gpt-5.5" }, "gpt-5.5", true],
    [{ target: "openai/gpt-5.5" }, "gpt-5.5", false],
    [{ target: "gpt-5.5-mini" }, "gpt-5.5", false],
    [{ kind: "provider" as const, target: "azure" }, "gpt-5.5", true],
    [{ kind: "key" as const, target: "gpt-5.5" }, "gpt-5.5", false],
  ])("%o covers %s at azure: %s", async (what, model, isPaused) => {
    const pauses = await open();
    await pauses.add(pauseOf(what));
    expect(pauses.ofDeployment({ model, provider: "azure" }) !== undefined).toBe(isPaused);
  });
});

it("A paused key is refused with the end of the pause, and without its reason", async () => {
  const pauses = await open();
  await pauses.add(pauseOf({ kind: "key", target: "key_1" }));
  expect(() => pauses.admit({ id: "key_2" })).not.toThrow();
  expect(() => pauses.admit({ id: "key_1" })).toThrow(
    "This API key is paused until 2026-01-02T04:00:00.000Z. Try again then, or ask whoever runs the gateway.",
  );
});
