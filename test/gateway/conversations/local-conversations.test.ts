import { describe, expect, it } from "vitest";
import { LocalConversations } from "../../../src/gateway/conversations/local-conversations.js";
import { recordAt } from "./record-for-test.js";

describe("Conversations in memory", () => {
  it("are found until their time is over", () => {
    let now = 1_000;
    const conversations = new LocalConversations({ ttlMs: 60_000, now: () => now });
    conversations.remember("a", recordAt(1_000));
    now = 61_000;
    expect(conversations.find("a")).toEqual(recordAt(1_000));
    now = 61_001;
    expect(conversations.find("a")).toBeUndefined();
  });

  it("have the last answer", () => {
    const conversations = new LocalConversations({ ttlMs: 60_000, now: () => 2_000 });
    conversations.remember("a", recordAt(1_000));
    conversations.remember("a", recordAt(2_000, { model: "small" }));
    expect(conversations.find("a")).toEqual(recordAt(2_000, { model: "small" }));
    expect(conversations.find("b")).toBeUndefined();
  });

  it("are forgotten when there are more than there is room for, the least recently used first", () => {
    const conversations = new LocalConversations({ ttlMs: 60_000, now: () => 0, most: 2 });
    for (const key of ["a", "b"]) conversations.remember(key, recordAt(0));
    conversations.find("a");
    conversations.remember("c", recordAt(0));
    expect(["a", "b", "c"].map((key) => conversations.find(key) !== undefined)).toEqual([true, false, true]);
  });
});
