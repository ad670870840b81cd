import { expect, it } from "vitest";
import { systemTimers } from "../../../src/foundation/timers.js";
import { keptKey, openResponses } from "../../../src/gateway/conversations/stored-responses.js";
import { MemoryStore } from "../../fakes/store.js";

const ITEM = { id: "msg_1", type: "message" };
const STORED = { provider: "openai", model: "gpt-5.6-luna" };

function gateway({
  store = new MemoryStore(),
  fleet,
  ...settings
}: {
  readonly store?: MemoryStore;
  readonly fleet?: MemoryStore;
  readonly traceContent?: boolean;
  readonly responseItemsMaxBytes?: number;
}) {
  const sources = { store, fleet, now: () => 1, timers: systemTimers };
  return openResponses({ responseItemsMaxBytes: 1_000_000, traceContent: true, ...settings }, sources);
}

it("Where a response is stored outlives the process, until it is deleted; its items do not", async () => {
  const store = new MemoryStore();
  const before = gateway({ store });
  before.items.remember("i", ITEM);
  before.stored.remember("s", STORED);
  expect(await before.items.find("i")).toEqual(ITEM);
  const after = gateway({ store });
  expect(await after.items.find("i")).toBeUndefined();
  expect(await after.stored.find("s")).toEqual(STORED);
  after.stored.forget("s");
  expect(await gateway({ store }).stored.find("s")).toBeUndefined();
});

it.each([
  { what: "are shared by a fleet", settings: {}, found: ITEM },
  { what: "stay in one process where content is not stored", settings: { traceContent: false } },
  { what: "are not kept without room", settings: { responseItemsMaxBytes: 0 } },
])("Items $what", async ({ settings, found }) => {
  const fleet = new MemoryStore();
  const [here, there] = [
    gateway({ store: fleet, fleet, ...settings }),
    gateway({ store: fleet, fleet, ...settings }),
  ];
  here.items.remember("i", ITEM);
  expect(await there.items.find("i")).toEqual(found);
});

it("The same id has another key for another principal", () => {
  expect(keptKey("key_1", "msg_1")).not.toBe(keptKey("key_2", "msg_1"));
});
