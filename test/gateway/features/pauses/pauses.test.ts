import { beforeEach, describe, expect, it } from "vitest";
import { PauseList } from "../../../../src/gateway/features/pauses/pause-list.js";
import type { Pause } from "../../../../src/gateway/run/pause.js";
import { MemoryStore } from "../../../fakes/store.js";

const START_MS = Date.UTC(2026, 0, 2, 3, 0);
const HOUR = 3_600_000;

const pauseOf = (changes: Partial<Pause> = {}): Omit<Pause, "id" | "created_at"> => ({
  kind: "model",
  target: "gpt-5.5",
  redirect_to: null,
  reason: "the vendor is down",
  created_by: "key_admin",
  ends_at: new Date(START_MS + HOUR).toISOString(),
  ...changes,
});

let store: MemoryStore;
let ids = 0;
beforeEach(() => {
  store = new MemoryStore();
  ids = 0;
});

/** The list of one process. */
const open = async (now: () => number = () => START_MS) => {
  const pauses = new PauseList(store, { now, newId: () => `${++ids}` });
  await pauses.refresh();
  return pauses;
};

describe("A list of pauses", () => {
  it("gives another process the pauses at its next look, and takes them back", async () => {
    const [one, other] = [await open(), await open()];
    const added = await one.add(pauseOf());
    expect(other.any).toBe(false);
    await other.refresh();
    expect(other.list()).toEqual([added]);
    await other.end(added.id);
    await one.refresh();
    expect([one.list(), one.any]).toEqual([[], false]);
  });

  it("has one pause of one thing: the newer counts", async () => {
    const pauses = await open();
    await pauses.add(pauseOf());
    const longer = await pauses.add(pauseOf({ ends_at: null }));
    await pauses.add(pauseOf({ kind: "provider", target: "openai" }));
    expect(pauses.list().map(({ kind, ends_at }) => [kind, ends_at])).toContainEqual(["model", null]);
    expect(pauses.list()).toHaveLength(2);
    expect(pauses.ofDeployment({ model: "gpt-5.5", provider: "azure" })).toEqual(longer);
  });

  it("ends at the end time by itself, and forgets what has ended when something else is paused", async () => {
    let nowMs = START_MS;
    const pauses = await open(() => nowMs);
    const { id } = await pauses.add(pauseOf());
    nowMs += HOUR;
    expect(pauses.list()).toEqual([]);
    expect(pauses.ofDeployment({ model: "gpt-5.5", provider: "openai" })).toBeUndefined();
    await expect(pauses.end(id)).rejects.toMatchObject({ code: "not_found" });
    await pauses.add(pauseOf({ target: "other", ends_at: null }));
    nowMs = START_MS;
    expect(pauses.list().map(({ target }) => target)).toEqual(["other"]);
  });

  it("is refused when it is damaged, with the place and the remedy", async () => {
    await store.put({ kind: "pauses", key: "all" }, "{");
    await expect(open()).rejects.toThrow("a store has no readable list of pauses. Restore it");
  });

  it("stays in force while the store cannot be asked", async () => {
    const pauses = await open();
    await pauses.add(pauseOf());
    store.fault = new Error("away");
    await expect(pauses.refresh()).rejects.toThrow("away");
    expect(pauses.list()).toHaveLength(1);
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
    "This API key is paused until 2026-01-02T04:00:00.000Z. Try again then, or ask the operator of the gateway.",
  );
});
