import { describe, expect, it } from "vitest";
import { type Answers, Link } from "../../src/cluster/link.js";
import { SextantError } from "../../src/foundation/errors.js";
import { channelPair } from "../fakes/channel.js";

type Asked = {
  readonly double: { readonly body: number; readonly answer: number };
  readonly echo: { readonly body: unknown; readonly answer: unknown };
};
type Nothing = Readonly<Record<string, never>>;

function linked(answers: Partial<Answers<Asked>> = {}) {
  const [here, there] = channelPair();
  const asking = new Link<Asked, Nothing>(here, {});
  const answering = new Link<Nothing, Asked>(there, {
    double: (number) => number * 2,
    echo: (body) => body,
    ...answers,
  });
  return { asking, answering };
}

describe("a link", () => {
  it("answers each question with its own answer, whatever their order", async () => {
    const gates: (() => void)[] = [];
    const { asking } = linked({
      double: (number) => new Promise((resolve) => gates.push(() => resolve(number * 2))),
    });
    const answers = [asking.ask("double", 1), asking.ask("double", 2), asking.ask("double", 3)];
    await new Promise((resolve) => setImmediate(resolve));
    for (const open of gates.reverse()) open();
    expect(await Promise.all(answers)).toEqual([2, 4, 6]);
  });

  it("keeps what JSON would lose", async () => {
    const { asking } = linked();
    const body = {
      none: undefined,
      date: new Date(5),
      not: Number.NaN,
      big: 10n,
      bytes: new Uint8Array([1]),
    };
    expect(await asking.ask("echo", body)).toEqual(body);
  });

  it("hands on our own errors as they are, with all they carry", async () => {
    const error = new SextantError("budget_exceeded", "That is too much.", {
      param: "model",
      extra: { retry_after: 3 },
      headers: { "x-should-retry": "false" },
    });
    const { asking } = linked({ echo: () => Promise.reject(error) });
    const received = await asking.ask("echo", null).catch((fault: unknown) => fault);
    expect(received).toBeInstanceOf(SextantError);
    expect(received).toMatchObject({
      code: "budget_exceeded",
      message: "That is too much.",
      param: "model",
      extra: { retry_after: 3 },
      headers: { "x-should-retry": "false" },
    });
  });

  it("says what went wrong otherwise, and that nobody answers an unknown question", async () => {
    const { asking } = linked({
      echo: () => {
        throw new TypeError("a bug");
      },
    });
    await expect(asking.ask("echo", null)).rejects.toMatchObject({ name: "LinkError", message: "a bug" });
    await expect(asking.ask("toString" as "echo", null)).rejects.toThrow("nobody answers toString here");
  });

  it("ends a question that is not wanted any more, at both ends", async () => {
    let ended: unknown;
    const { asking } = linked({
      echo: (_, signal) =>
        new Promise((_resolve, reject) =>
          signal.addEventListener("abort", () => {
            ended = signal.reason;
            reject(signal.reason);
          }),
        ),
    });
    const abort = new AbortController();
    const answer = asking.ask("echo", null, abort.signal);
    const gone = new Error("the client left");
    abort.abort(gone);
    await expect(answer).rejects.toBe(gone);
    await new Promise((resolve) => setImmediate(resolve));
    expect(ended).toBeInstanceOf(Error);
    await expect(asking.ask("echo", null, abort.signal)).rejects.toBe(gone);
  });

  it("rejects what waits, and everything from then on, when the other end is gone", async () => {
    const { asking } = linked({ echo: () => new Promise(() => {}) });
    const waiting = asking.ask("echo", null);
    asking.end("it was killed");
    await expect(waiting).rejects.toThrow("it was killed");
    await expect(asking.ask("double", 1)).rejects.toThrow("it was killed");
    asking.tell("double", 1);
  });

  it("tells without caring what becomes of it", async () => {
    const told: unknown[] = [];
    const { asking } = linked({
      echo: (body) => {
        told.push(body);
        throw new Error("nobody hears this");
      },
    });
    asking.tell("echo", "word");
    expect(await asking.ask("double", 4)).toBe(8);
    expect(told).toEqual(["word"]);
  });
});
