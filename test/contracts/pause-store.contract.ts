import { expect, it } from "vitest";
import type { SharedText } from "../../src/foundation/shared-text.js";
import type { Pause } from "../../src/gateway/pauses/pause.js";
import { PauseList } from "../../src/gateway/pauses/pause-list.js";

export const START_MS = Date.UTC(2026, 0, 2, 3, 0);
const HOUR = 3_600_000;

export const pauseOf = (changes: Partial<Pause> = {}): Omit<Pause, "id" | "created_at"> => ({
  kind: "model",
  target: "gpt-5.5",
  redirect_to: null,
  reason: "the vendor is down",
  created_by: "key_admin",
  ends_at: new Date(START_MS + HOUR).toISOString(),
  ...changes,
});

/** @param open the same place, empty at the beginning of each test */
export function itKeepsPauses(open: () => SharedText): void {
  const process = async (now: () => number = () => START_MS) => {
    let ids = 0;
    const pauses = new PauseList(open(), { now, newId: () => `${++ids}` });
    await pauses.refresh();
    return pauses;
  };

  it("gives another process the pauses at its next look, and takes them back", async () => {
    const [one, other] = [await process(), await process()];
    const added = await one.add(pauseOf());
    expect(other.any).toBe(false);
    await other.refresh();
    expect(other.list()).toEqual([added]);
    await other.end(added.id);
    await one.refresh();
    expect([one.list(), one.any]).toEqual([[], false]);
    await Promise.all([one.close(), other.close()]);
  });

  it("has one pause of one thing: the newer counts", async () => {
    const pauses = await process();
    await pauses.add(pauseOf());
    const longer = await pauses.add(pauseOf({ ends_at: null }));
    await pauses.add(pauseOf({ kind: "provider", target: "openai" }));
    expect(pauses.list().map(({ kind, ends_at }) => [kind, ends_at])).toContainEqual(["model", null]);
    expect(pauses.list()).toHaveLength(2);
    expect(pauses.ofDeployment({ model: "gpt-5.5", provider: "azure" })).toEqual(longer);
    await pauses.close();
  });

  it("ends at the end time by itself, and forgets what has ended when something else is paused", async () => {
    let nowMs = START_MS;
    const pauses = await process(() => nowMs);
    const { id } = await pauses.add(pauseOf());
    nowMs += HOUR;
    expect(pauses.list()).toEqual([]);
    expect(pauses.ofDeployment({ model: "gpt-5.5", provider: "openai" })).toBeUndefined();
    await expect(pauses.end(id)).rejects.toMatchObject({ code: "not_found" });
    await pauses.add(pauseOf({ target: "other", ends_at: null }));
    nowMs = START_MS;
    expect(pauses.list().map(({ target }) => target)).toEqual(["other"]);
    await pauses.close();
  });
}
