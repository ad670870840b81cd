import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import type { Worker } from "node:worker_threads";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { SextantError } from "../../../src/foundation/errors.js";
import { RestartingThread } from "../../../src/foundation/workers/restarting-thread.js";
import { WorkerThread } from "../../../src/foundation/workers/worker-thread.js";
import { threadServing } from "../../fakes/thread.js";

type TestApi = {
  double(number: number): number;
  /** As `double`, after calls that came with it. */
  later(number: number): number;
  echo(value: unknown): unknown;
  /** Never answers, unless it is aborted. */
  wait(): string;
  /** Why `wait` was aborted. */
  aborted(): string;
  fail(error: { readonly message: string; readonly code?: string }): void;
  /** With a SextantError. */
  refuse(details: object): void;
  crash(): void;
  exit(): void;
  /** Bytes, which are moved. */
  bytes(): Uint8Array;
  /** How many of them are left in the thread. */
  left(): number;
  uncloneable(): unknown;
  /** What was echoed. */
  log(): readonly unknown[];
};

const ERRORS = new URL("../../../src/foundation/errors.ts", import.meta.url).href;
const SERVICE = `
  (() => {
    const ERRORS = "${ERRORS}";
    let aborted = "not aborted";
    const bytes = new Uint8Array(1024).fill(7);
    const log = [];
    const aborting = (signal) => new Promise((_, reject) => {
      signal.addEventListener("abort", () => { aborted = signal.reason.message; reject(signal.reason); });
    });
    return {
      methods: {
        double: (number) => number * 2,
        later: (number) => new Promise((resolve) => setImmediate(() => setImmediate(() => resolve(number * 2)))),
        echo: (value) => { log.push(value); return value; },
        uncloneable: () => () => {},
        wait: (_, { signal }) => aborting(signal),
        aborted: () => aborted,
        fail: ({ message, code }) => { throw Object.assign(new Error(message), code === undefined ? {} : { code }); },
        refuse: async (details) => {
          const { SextantError } = await import(ERRORS);
          throw new SextantError("budget_exceeded", "That is too much.", details);
        },
        crash: () => { setImmediate(() => { throw new Error("out of order"); }); return new Promise(() => {}); },
        exit: () => process.exit(3),
        bytes: () => new Transferred(bytes, [bytes.buffer]),
        left: () => bytes.byteLength,
        log: () => log,
      },
    };
  })()`;

const workers: Worker[] = [];
afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.terminate()));
});

function started(service = SERVICE): WorkerThread<TestApi> {
  const worker = threadServing(service);
  workers.push(worker);
  return new WorkerThread(worker, { name: "the thread of the test" });
}

const CLOSED = new Error("it is closed");

describe("A call of a worker thread", () => {
  let thread: WorkerThread<TestApi>;
  let worker: Worker;
  beforeAll(() => {
    worker = threadServing(SERVICE);
    thread = new WorkerThread(worker, { name: "the thread of the test" });
  });
  afterAll(() => worker.terminate());
  afterEach(() => expect(thread.ended).toBeUndefined());

  it("rejects with the message and the code of the error that the method throws", async () => {
    const fault = { message: "no room", code: "ENOSPC" };
    await expect(thread.call("fail", fault)).rejects.toMatchObject({ name: "RpcError", ...fault });
    await expect(thread.call("fail", { message: "a bug" })).rejects.toMatchObject({ code: undefined });
  });

  it("rejects with a SextantError as it was thrown: its code, parameter, extra fields and headers", async () => {
    const details = { param: "model", extra: { retry_after: 3 }, headers: { "x-should-retry": "false" } };
    const received = await thread.call("refuse", details).catch((fault: unknown) => fault);
    expect(received).toBeInstanceOf(SextantError);
    expect(received).toMatchObject({ code: "budget_exceeded", message: "That is too much.", ...details });
  });

  it("resolves with its own result, whatever the order in which calls finish", async () => {
    const later = thread.call("later", 1);
    expect([await thread.call("double", 2), await later]).toEqual([4, 2]);
  });

  it("that is aborted rejects with the reason, and the method's signal aborts", async () => {
    const abort = new AbortController();
    const call = thread.call("wait", undefined, abort.signal);
    const late = thread.call("double", 1, AbortSignal.abort(new Error("too late")));
    await expect(late).rejects.toThrow("too late");
    await thread.call("double", 1);
    abort.abort(new Error("no time"));
    await expect(call).rejects.toThrow("no time");
    expect(await thread.call("aborted", undefined)).toBe("The caller aborted the call.");
    const limited = thread.call("wait", undefined, AbortSignal.timeout(1));
    await expect(limited).rejects.toMatchObject({ name: "TimeoutError" });
  });

  it("gets buffers that are moved, not copied", async () => {
    expect(await thread.call("bytes", undefined)).toEqual(new Uint8Array(1024).fill(7));
    expect(await thread.call("left", undefined)).toBe(0);
  });

  it("with parameters or a result that cannot be copied rejects", async () => {
    await expect(thread.call("echo", () => {})).rejects.toThrow("could not be cloned");
    await expect(thread.call("uncloneable", undefined)).rejects.toThrow("could not be cloned");
  });

  it("without an answer runs before the calls that follow, and its error is ignored", async () => {
    thread.notify("echo", "a word");
    thread.notify("fail", { message: "nobody hears this" });
    expect(await thread.call("log", undefined)).toContain("a word");
  });
});

describe("A worker thread that ends", () => {
  it("by a crash rejects pending and later calls with its error", async () => {
    const thread = started();
    const calls = [thread.call("wait", undefined), thread.call("crash", undefined)];
    const reason = expect.objectContaining({ message: "the thread of the test crashed: out of order" });
    expect(await Promise.allSettled(calls)).toEqual(calls.map(() => ({ status: "rejected", reason })));
    expect(thread.ended).toEqual(reason);
    await expect(thread.call("double", 1)).rejects.toThrow("crashed: out of order");
    thread.notify("double", 1);
  });

  it("by itself rejects pending calls with its exit code", async () => {
    const message = "the thread of the test ended with exit code 3";
    await expect(started().call("exit", undefined)).rejects.toThrow(message);
  });

  it("because it cannot be opened rejects calls with the error and its code", async () => {
    const thread = started(`(() => { throw Object.assign(new Error("no file"), { code: "ENOENT" }); })()`);
    const calls = [thread.call("double", 1), thread.call("double", 2)];
    const reason = expect.objectContaining({ message: "no file", code: "ENOENT" });
    expect(await Promise.allSettled(calls)).toEqual(calls.map(() => ({ status: "rejected", reason })));
    expect(thread.ended).toEqual(reason);
  });
});

describe("Closing a worker thread", () => {
  it("aborts what runs, lets the rest finish, and waits for the end", async () => {
    const finishing = `
      (() => {
        let finish = () => {};
        const finished = new Promise((resolve) => { finish = resolve; });
        return {
          methods: {
            double: (number) => finished.then(() => number * 2),
            wait: (_, { signal }) => new Promise((_, reject) => {
              signal.addEventListener("abort", () => reject(signal.reason));
            }),
          },
          async close() { finish(); await new Promise((resolve) => setImmediate(resolve)); },
        };
      })()`;
    const thread = started(finishing);
    const finished = thread.call("double", 4);
    const aborted = thread.call("wait", undefined).catch((error: Error) => error.message);
    await thread.close(CLOSED);
    expect(await finished).toBe(8);
    expect(await aborted).toBe("it is closed");
    expect(thread.ended).toBe(CLOSED);
  });

  it("rejects with the reason what has no reply by then, and later calls", async () => {
    const thread = started(`{ methods: { wait: () => new Promise(() => {}) } }`);
    const call = thread.call("wait", undefined).catch((error: unknown) => error);
    await thread.close(CLOSED);
    expect(await call).toBe(CLOSED);
    await expect(thread.call("wait", undefined)).rejects.toBe(CLOSED);
    await thread.close(CLOSED);
  });

  it("at once ends it, whatever it does", async () => {
    const thread = started("(() => { for (;;); })()");
    const call = thread.call("double", 1).catch((error: unknown) => error);
    await thread.terminate(CLOSED);
    expect(await call).toBe(CLOSED);
    expect(workers[0]?.threadId).toBe(-1);
  });
});

it("A process is kept alive by a pending call, and not by a thread without one", async () => {
  const script = `
      const { threadServing } = await import("./test/fakes/thread.ts");
      const { WorkerThread } = await import("./src/foundation/workers/worker-thread.ts");
      const thread = new WorkerThread(threadServing("{ methods: { double: (n) => n * 2 } }"), { name: "it" });
      thread.call("double", 4).then(console.log);`;
  const child = spawn(process.execPath, ["--import", "tsx", "--input-type=module", "-e", script], {
    cwd: fileURLToPath(new URL("../../..", import.meta.url)),
    stdio: ["ignore", "pipe", "inherit"],
  });
  const closed = once(child, "close");
  expect(await text(child.stdout)).toBe("8\n");
  expect(await closed).toEqual([0, null]);
});

it("A thread that restarts is started by its first use, kept, and started again by the next use after its end", async () => {
  const threads = new RestartingThread(() => started());
  await threads.close(CLOSED);
  expect(workers.length).toBe(0);
  const first = threads.running();
  expect(threads.running()).toBe(first);
  await expect(first.call("crash", undefined)).rejects.toThrow("crashed");
  for (const end of ["close", "terminate"] as const) {
    expect(await threads.running().call("double", 4)).toBe(8);
    await threads[end](CLOSED);
  }
  expect(workers.length).toBe(3);
});
