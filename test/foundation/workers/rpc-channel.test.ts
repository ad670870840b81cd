import { describe, expect, it } from "vitest";
import { SextantError } from "../../../src/foundation/errors.js";
import { type NoMethods, RpcChannel, type RpcHandlers } from "../../../src/foundation/workers/rpc-channel.js";
import { transportPair } from "../../fakes/transport.js";

type TestApi = {
  double(number: number): number;
  echo(value: unknown): unknown;
};

function connected(answers: Partial<RpcHandlers<TestApi>> = {}) {
  const [here, there] = transportPair();
  const caller = new RpcChannel<TestApi, NoMethods>(here, {});
  const callee = new RpcChannel<NoMethods, TestApi>(there, {
    double: (number) => number * 2,
    echo: (body) => body,
    ...answers,
  });
  return { caller, callee };
}

describe("an RPC channel", () => {
  it("resolves each call with its own result, whatever the order in which they finish", async () => {
    const gates: (() => void)[] = [];
    const { caller } = connected({
      double: (number) => new Promise((resolve) => gates.push(() => resolve(number * 2))),
    });
    const answers = [caller.call("double", 1), caller.call("double", 2), caller.call("double", 3)];
    await new Promise((resolve) => setImmediate(resolve));
    for (const open of gates.reverse()) open();
    expect(await Promise.all(answers)).toEqual([2, 4, 6]);
  });

  it("passes a SextantError with its code, parameter, extra fields and headers", async () => {
    const details = { param: "model", extra: { retry_after: 3 }, headers: { "x-should-retry": "false" } };
    const error = new SextantError("budget_exceeded", "That is too much.", details);
    const { caller } = connected({ echo: () => Promise.reject(error) });
    const received = await caller.call("echo", null).catch((fault: unknown) => fault);
    expect(received).toBeInstanceOf(SextantError);
    expect(received).toMatchObject({ code: "budget_exceeded", message: "That is too much.", ...details });
  });

  it("rejects with an RpcError for any other error and for an unknown method", async () => {
    const { caller } = connected({
      echo: () => {
        throw new TypeError("a bug");
      },
    });
    await expect(caller.call("echo", null)).rejects.toMatchObject({ name: "RpcError", message: "a bug" });
    await expect(caller.call("toString" as "echo", null)).rejects.toThrow("no handler for toString");
  });

  it("rejects pending and later calls once the channel has ended", async () => {
    const { caller } = connected({ echo: () => new Promise(() => {}) });
    const waiting = caller.call("echo", null);
    const reason = new Error("it was killed");
    caller.end(reason);
    await expect(waiting).rejects.toBe(reason);
    await expect(caller.call("double", 1)).rejects.toBe(reason);
    caller.notify("double", 1);
  });

  it("still sends the errors of handlers that this end aborts", async () => {
    const { caller, callee } = connected({
      echo: (_, { signal }) =>
        new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
    });
    const answer = caller.call("echo", null);
    await new Promise((resolve) => setImmediate(resolve));
    callee.abortRunning(new Error("it is closing"));
    await expect(answer).rejects.toThrow("it is closing");
  });
});
