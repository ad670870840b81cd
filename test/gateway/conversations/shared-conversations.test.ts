import { describe, expect, it } from "vitest";
import type { ConversationRecord } from "../../../src/gateway/conversations/conversation-memory.js";
import { LocalConversations } from "../../../src/gateway/conversations/local-conversations.js";
import { SharedConversations } from "../../../src/gateway/conversations/shared-conversations.js";
import type { SharedStore } from "../../../src/gateway/conversations/shared-store.js";
import { ManualTime } from "../../fakes/manual-time.js";
import { recordAt } from "./record-for-test.js";

/** A store that two gateways share, and that fails or falls silent when a test says so. */
class FakeStore implements SharedStore {
  mode: "up" | "down" | "silent" = "up";
  closed = false;
  readonly #local = new LocalConversations({ ttlMs: 60_000, now: () => 0 });

  async get(key: string) {
    if (this.mode === "down") throw new Error("ECONNREFUSED");
    if (this.mode === "silent") return new Promise<undefined>(() => {});
    return this.#local.find(key);
  }

  async set(key: string, record: object) {
    if (this.mode !== "up") throw new Error("ECONNREFUSED");
    this.#local.remember(key, record as ConversationRecord);
  }

  async close() {
    this.closed = true;
  }
}

function gateways() {
  const store = new FakeStore();
  const time = new ManualTime();
  const open = () =>
    new SharedConversations({
      store,
      local: new LocalConversations({ ttlMs: 60_000, now: () => 0 }),
      ttlMs: 60_000,
      timers: time.timers,
    });
  return { store, time, here: open(), there: open() };
}

describe("Conversations that gateways share", () => {
  it("are found by each of them", async () => {
    const { here, there, time } = gateways();
    here.remember("a", recordAt(0));
    expect(await there.find("a")).toEqual(recordAt(0));
    expect(time.running).toBe(0);
  });

  it("do not keep a request waiting for a store that is silent", async () => {
    const { here, store, time } = gateways();
    here.remember("a", recordAt(0));
    store.mode = "silent";
    const found = here.find("a");
    await time.advance(50);
    expect(await found).toEqual(recordAt(0));
  });

  it("are those of the store again once it answers", async () => {
    const { here, there, store } = gateways();
    store.mode = "down";
    here.remember("a", recordAt(0));
    store.mode = "up";
    there.remember("a", recordAt(5, { model: "small" }));
    expect(await here.find("a")).toEqual(recordAt(5, { model: "small" }));
    await here.close();
    expect(store.closed).toBe(true);
  });
});
