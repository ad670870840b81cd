import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { SextantError } from "../../../../src/foundation/errors.js";
import { systemTimers, type Timers } from "../../../../src/foundation/timers.js";
import type { DuckDbStoreOptions } from "../../../../src/gateway/traces/duckdb/duckdb-store.js";
import type { TraceStore } from "../../../../src/gateway/traces/store.js";
import type { Trace } from "../../../../src/gateway/traces/trace.js";
import { FakeClock } from "../../../fakes/clock.js";
import { threadServing } from "../../../fakes/thread.js";
import { rejectionOf } from "../../../support/errors.js";
import { folderForTest } from "../../../support/folders.js";
import { NOON, said, traceWith } from "../trace-for-test.js";
import { openStore } from "./database-for-test.js";

const ALL = { scope: "all" } as const;
const PAGE = { limit: 10, offset: 0 };

let folder = "";
let path = "";
const opened: TraceStore[] = [];
beforeEach(() => {
  folder = folderForTest();
  path = join(folder, "traces.duckdb");
});
afterEach(() => Promise.all(opened.splice(0).map((store) => store.close())));

function open(options: Partial<DuckDbStoreOptions> = {}): TraceStore {
  const store = openStore(path, options);
  opened.push(store);
  return store;
}

const incompressible = (): string => randomBytes(600).toString("base64");
const tracesAt = (
  length: number,
  msOf: (at: number) => number = () => 0,
  parts: Partial<Trace> = {},
): Trace[] => Array.from({ length }, (_, at) => traceWith({ createdAtMs: NOON + msOf(at), ...parts }));
const count = async (store: TraceStore): Promise<number> =>
  (await store.ask("list", { filter: {}, page: PAGE }, ALL)).total;
/** Aborts what runs at some step of it, sooner or later from round to round; what it finds then must not depend on that. */
async function abortAfter(turns: number, controller: AbortController): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
  controller.abort(new Error("not now"));
}

/** The message of the refusal. */
async function refusal(call: Promise<unknown>): Promise<string> {
  const { code, message } = await rejectionOf(call, SextantError);
  expect(code).toBe("store_down");
  return message;
}

const messageOf = (error: Error): string => error.message;

/** Runs a script beside this file in a process of its own; `under` is a command that runs a command, with its arguments. */
function start(script: string, argv: readonly string[], under: readonly string[] = []): ChildProcess {
  const file = fileURLToPath(new URL(script, import.meta.url));
  const [program, ...rest] = [...under, process.execPath, "--import", "tsx", file, ...argv];
  return spawn(program as string, rest, { stdio: ["ignore", "pipe", "inherit"] });
}

/** The first line a process writes. Rejects when it cannot be started, or ends without one. */
const line = (child: ChildProcess): Promise<string> =>
  new Promise((resolve, reject) => {
    child.stdout?.once("data", (data) => resolve(String(data).trim()));
    child.once("error", reject);
    child.once("close", (code, signal) =>
      reject(new Error(`it ended with ${code ?? signal} and wrote nothing`)),
    );
  });

/**
 * Nothing is forbidden to the superuser, who therefore gives up the one right to write what others may not. Another user
 * would not do: the files of this project need not be readable to others.
 */
const WITHOUT_PRIVILEGE =
  process.getuid?.() === 0 ? ["setpriv", "--bounding-set", "-dac_override", "--"] : [];
const CAN_LACK_RIGHTS = process.platform === "linux" || process.getuid?.() !== 0;

describe("A DuckDB file that is in use", () => {
  it("by another process is refused with that process and the remedy, and opened once that process has ended", async () => {
    const holder = start("holding-process.ts", [path]);
    expect(await line(holder)).toBe("holding");
    const clock = new FakeClock();
    const reasons: string[] = [];
    const store = open({ clock: clock.now, onUnusable: (reason) => reasons.push(reason) });
    await expect.poll(() => reasons).toEqual([expect.stringContaining(`another process (${holder.pid})`)]);
    const message = await refusal(store.append([traceWith()]));
    expect(message).toBe(
      `Traces cannot be used: another process (${holder.pid}) uses the file, which only one process can open. Stop it, or give this ` +
        "one another folder with SEXTANT_DATA_DIR. Inference continues.",
    );
    expect(store.health()).toMatchObject({ ok: false, state: expect.stringMatching(/another process/) });
    const ended = new Promise((resolve) => holder.once("exit", resolve));
    holder.kill();
    await ended;
    expect(await refusal(store.append([traceWith()]))).toBe(message);
    clock.advance(60_000);
    await store.append([traceWith()]);
    expect(await count(store)).toBe(2);
    expect(reasons).toHaveLength(1);
  });

  it("by the same process is refused", () => {
    open();
    expect(() => open()).toThrow(`${path} is open in this process already`);
  });
});

describe("A DuckDB file that cannot be used", () => {
  const kept = async (content: string | Buffer): Promise<string> => {
    writeFileSync(path, content);
    const store = open();
    const message = await refusal(store.ask("list", { filter: {}, page: PAGE }, ALL));
    await store.close();
    expect(readFileSync(path)).toEqual(Buffer.from(content));
    return message;
  };

  it("is left unchanged when it is not a database, truncated or overwritten, with the remedy", async () => {
    const whole = open();
    await whole.append(tracesAt(500));
    await whole.close();
    const good = readFileSync(path);
    const overwritten = Buffer.from(good);
    for (let at = 4096; at < overwritten.length; at += 500) overwritten[at] = 0xaa;
    for (const bad of ["hello, world\n".repeat(1000), good.subarray(0, 5000), overwritten]) {
      const message = await kept(bad);
      expect(message).not.toContain(folder);
      expect(message).toMatch(
        /^Traces cannot be used: the file is damaged \(.+\)\. It was left as it is: restore it from a backup, or move it away to begin a new one\. Inference continues\.$/s,
      );
    }
  });

  it("is created anew when it is empty, as after a crash at its creation", async () => {
    writeFileSync(path, "");
    await open().append([traceWith()]);
  });

  it("is created with its folder, and both are private to their owner", async () => {
    path = join(folder, "deep", "data", "traces.duckdb");
    await open().append([traceWith()]);
    expect(statSync(path).mode & 0o077).toBe(0);
    expect(statSync(join(folder, "deep")).mode & 0o077).toBe(0);
  });

  it("is reported when its folder cannot be created", async () => {
    writeFileSync(join(folder, "data"), "a file");
    path = join(folder, "data", "traces.duckdb");
    expect(await refusal(open().append([traceWith()]))).toMatch(/^Traces cannot be used: (EEXIST|ENOTDIR)/);
  });

  it.skipIf(!CAN_LACK_RIGHTS)("is reported when permissions are missing, and left unchanged", async () => {
    const store = open();
    await store.append([traceWith()]);
    await store.close();
    const before = readFileSync(path);
    chmodSync(path, 0o444);
    chmodSync(folder, 0o555);
    const other = start("holding-process.ts", [path], WITHOUT_PRIVILEGE);
    expect(await line(other)).toBe(
      "Traces cannot be used: the file cannot be written. Give the process the right to write to it and to its folder. " +
        "Inference continues.",
    );
    chmodSync(folder, 0o755);
    expect(readFileSync(path)).toEqual(before);
  });
});

describe("A full disk", () => {
  it.skipIf(process.platform !== "linux")(
    "fails appends and nothing else; acknowledged traces remain, and appends work again when there is room",
    async () => {
      // A limit on the size of files is as good as a full disk, and needs no disk.
      const limited = ["bash", "-c", `trap '' XFSZ; ulimit -S -f 2048; exec "$0" "$@"`];
      const output = await line(start("full-disk.ts", [folder], limited));
      const report = JSON.parse(output) as Record<string, unknown>;
      expect(report).toMatchObject({
        refused: expect.stringMatching(
          /^Traces cannot be used: the disk is full\. Make room\. Inference continues\.$/,
        ),
        recorded: 3000,
        dropped: 0,
        foundAfterwards: 3000,
      });
      expect(report.foundWhileFull).toBe(report.acknowledged);
      expect(report.acknowledged).toBeGreaterThan(0);
    },
  );
});

describe("A DuckDB worker thread that ends", () => {
  const crash = `() => { setImmediate(() => { throw new Error("out of order"); }); return new Promise(() => {}); }`;
  const dying = `{ methods: { opened: () => {}, collect: () => {}, append: ${crash}, ask: ${crash} } }`;

  it("is replaced, after waiting calls were rejected with the reason", async () => {
    const clock = new FakeClock();
    let starts = 0;
    const startWorker = () => {
      starts += 1;
      return threadServing(dying);
    };
    const store = open({ clock: clock.now, startWorker });
    expect(await refusal(store.ask("find", "x", ALL))).toBe(
      "Traces cannot be used: the thread that keeps them crashed: out of order. Inference continues.",
    );
    expect(store.health().ok).toBe(false);
    clock.advance(1000);
    await refusal(store.append([traceWith()]));
    expect(starts).toBe(2);
  });
});

describe("A DuckDB query", () => {
  it("that takes too long is refused with the limit and a remedy, and the next one is answered", async () => {
    let isUp = false;
    const after: Timers["after"] = (_, task) => {
      if (isUp) queueMicrotask(task);
      return () => {};
    };
    const store = open({ timers: { ...systemTimers, after }, queryTimeoutMs: 5000 });
    await store.append([traceWith()]);
    isUp = true;
    await expect(count(store)).rejects.toMatchObject({
      code: "query_timeout",
      message:
        "The search took longer than 5000 ms (SEXTANT_TRACE_QUERY_TIMEOUT_MS). Narrow it, for example with start_date and end_date.",
    });
    isUp = false;
    expect(await count(store)).toBe(1);
  });

  it("that needs too much memory is refused with a remedy", async () => {
    // What the thread says once the library has no memory left; the library would rather write to the disk for minutes.
    const short = `{ methods: { opened: () => {}, ask: () => { throw new Error("Out of Memory Error"); } } }`;
    const store = open({ startWorker: () => threadServing(short) });
    await expect(store.ask("stats", { filter: {}, by: ["model"] }, ALL)).rejects.toMatchObject({
      code: "query_timeout",
      message: expect.stringMatching(/SEXTANT_TRACE_MEMORY_BYTES/),
    });
  });
});

describe("Removing old traces from DuckDB", () => {
  it("keeps what is appended meanwhile", async () => {
    const store = open();
    const content = { input: said("x".repeat(2000)), output: "" };
    for (let batch = 0; batch < 3; batch++) await store.append(tracesAt(2000, (at) => at % 2, { content }));
    let late = 0;
    let isDone = false;
    const removal = store.removeBefore(NOON + 1).finally(() => {
      isDone = true;
    });
    while (!isDone) {
      await store.append([traceWith({ createdAtMs: NOON + 2 })]);
      late += 1;
      expect(await count(store)).toBeGreaterThan(0);
    }
    expect(await removal).toBe(3000);
    expect(late).toBeGreaterThan(0);
    expect(await count(store)).toBe(3000 + late);
  });

  it("removes all or none when it is aborted at any time, and leaves no second file", async () => {
    const store = open();
    await store.append([...tracesAt(500), ...tracesAt(1, () => 1)]);
    for (let step = 0; step < 15; step++) {
      const before = await count(store);
      const controller = new AbortController();
      const removal = store.removeBefore(NOON + 1, controller).catch(messageOf);
      await abortAfter(step ** 2, controller);
      expect([500, "not now"]).toContain(await removal);
      // The next one waits for its end, and has nothing to do or everything.
      expect(await store.removeBefore(NOON - 1)).toBe(0);
      const left = await count(store);
      expect([1, before]).toContain(left);
      if (left === 1) await store.append(tracesAt(500));
    }
    await store.close();
    expect(readdirSync(folder).sort()).toEqual(["traces.duckdb", "traces.duckdb.acknowledged"]);
  });

  it("leaves all or none when the store is closed during it", async () => {
    const store = open();
    await store.append(tracesAt(2000, (at) => at % 2));
    const removal = store.removeBefore(NOON + 1).catch((error) => error);
    await store.close();
    const left = (await removal) === 1000 ? 1000 : 2000;
    if (left === 2000) expect(await removal).toMatchObject({ code: "store_down" });
    expect(await count(open())).toBe(left);
  });

  it("has its room used again by later traces", async () => {
    const store = open({ checkpointBytes: 2 ** 20 });
    const sizes: number[] = [];
    for (let day = 0; day < 8; day++) {
      for (let batch = 0; batch < 10; batch++)
        await store.append(
          tracesAt(512, () => day).map((trace) => ({
            ...trace,
            content: { input: said(incompressible()), output: "" },
          })),
        );
      await store.removeBefore(NOON + day);
      sizes.push(statSync(path).size);
    }
    expect(await count(store)).toBe(10 * 512);
    expect(Math.max(...sizes.slice(4))).toBeLessThan(1.3 * Math.max(...sizes.slice(0, 4)));
  });
});

it("Long texts in DuckDB may exceed the memory limit, and can be checkpointed, found and removed", async () => {
  const store = open({ memoryBytes: 2 ** 26 });
  const text = "a prompt with much context. ".repeat(7000);
  for (let batch = 0; batch < 12; batch++)
    await store.append(
      tracesAt(20, (at) => at % 2).map((trace, at) => ({
        ...trace,
        content: { input: said(`${text}${batch}-${at}.`), output: text },
      })),
    );
  const found = (part: string) => store.ask("list", { filter: { text: part }, page: PAGE }, ALL);
  expect((await found("1-11.")).total).toBe(2);
  expect(await store.removeBefore(NOON + 1)).toBe(120);
  const [kept] = (await found(" 11-11.")).traces;
  const content = { input: said(`${text}11-11.`) };
  expect(await store.ask("find", kept?.requestId ?? "", ALL)).toMatchObject({ content });
});
