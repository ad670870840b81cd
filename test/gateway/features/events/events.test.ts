import { beforeEach, expect, it } from "vitest";
import { COMMAND_LINE, type NewEvent } from "../../../../src/gateway/features/events/event.js";
import { EventLog } from "../../../../src/gateway/features/events/event-log.js";
import { MemoryStore } from "../../../fakes/store.js";

let store: MemoryStore;
let nowMs = 0;
const warnings: string[] = [];
beforeEach(() => {
  store = new MemoryStore();
  nowMs = Date.UTC(2026, 0, 2);
  warnings.length = 0;
});

function open(kept = 100): EventLog {
  let ids = 0;
  const log = { warn: (_: object, message: string) => void warnings.push(message) };
  return new EventLog({ store, kept, now: () => nowMs, newId: () => `${++ids}`, log });
}

const act = (changes: Partial<NewEvent> = {}): NewEvent => ({
  kind: "key.created",
  actor: COMMAND_LINE,
  target: { type: "key", id: "key_1", name: "app" },
  details: {},
  ...changes,
});

it("Events of several processes stand in one list, the newest first", async () => {
  await open().record(act());
  nowMs += 1000;
  await open().record(act({ kind: "key.revoked" }));
  const { events, hasMore } = await open().list({}, 10);
  expect(events.map(({ kind, at }) => [kind, at])).toEqual([
    ["key.revoked", "2026-01-02T00:00:01.000Z"],
    ["key.created", "2026-01-02T00:00:00.000Z"],
  ]);
  expect(hasMore).toBe(false);
});

it("Events are found by kind, by what they are about, and by time", async () => {
  const events = open();
  await events.record(act());
  nowMs += 1000;
  await events.record(act({ kind: "pause.started", target: { type: "model", id: "gpt-5.5", name: null } }));
  const found = async (filter: Parameters<EventLog["list"]>[0]) =>
    (await events.list(filter, 10)).events.map(({ kind }) => kind);
  expect(await found({ kinds: ["key.created", "key.revoked"] })).toEqual(["key.created"]);
  expect(await found({ target: "gpt-5.5" })).toEqual(["pause.started"]);
  expect(await found({ startMs: nowMs })).toEqual(["pause.started"]);
  expect(await found({ endMs: nowMs })).toEqual(["key.created"]);
  expect(await events.list({}, 1)).toMatchObject({ events: [{ kind: "pause.started" }], hasMore: true });
});

it("The oldest events go first, and lines that cannot be read are passed over, which is in the log once", async () => {
  const events = open(2);
  for (const kind of ["key.created", "key.updated", "key.revoked"] as const)
    await events.record(act({ kind }));
  for (const text of ['{"half":', '{"kind":"of another version"}']) await store.append("events", text);
  const later = open(10);
  for (let time = 0; time < 2; time++) {
    const { events: found } = await later.list({}, 10);
    expect(found.map(({ kind }) => kind)).toEqual(["key.revoked", "key.updated"]);
  }
  expect(warnings).toEqual(["events that are damaged or of another version are left out"]);
});

it("An act whose event cannot be kept is in the log, and was done all the same", async () => {
  store.fault = new Error("the disk is full");
  await open().record(act());
  expect(warnings).toEqual(["an administrative event could not be kept"]);
});
