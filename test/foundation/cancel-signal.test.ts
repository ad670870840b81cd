import { describe, expect, it } from "vitest";
import { CancelController, type CancelSignal } from "../../src/foundation/cancel-signal.js";

/** What listeners see of a signal, alike for both kinds. */
function seenOf(signal: CancelSignal, abort: (reason?: unknown) => void) {
  const seen: string[] = [];
  const note = (name: string) => () => {
    seen.push(`${name} ${signal.aborted} ${String(signal.reason)}`);
  };
  const removed = note("removed");
  const twice = note("twice");
  signal.addEventListener("abort", removed);
  signal.addEventListener("abort", () => signal.removeEventListener("abort", last), { once: true });
  signal.addEventListener("abort", twice);
  signal.addEventListener("abort", twice);
  const last = note("removed by another");
  signal.addEventListener("abort", last);
  signal.removeEventListener("abort", removed);
  note("before")();
  signal.throwIfAborted();
  abort(new Error("gone"));
  abort(new Error("again"));
  signal.addEventListener("abort", note("late"));
  expect(() => signal.throwIfAborted()).toThrow("gone");
  return seen;
}

describe("A CancelController", () => {
  it("is aborted as an AbortSignal is", () => {
    const [own, real] = [new CancelController(), new AbortController()];
    const seen = seenOf(own, (reason) => own.abort(reason));
    expect(seen).toEqual(seenOf(real.signal, (reason) => real.abort(reason)));
    expect(seen).toEqual(["before false undefined", "twice true Error: gone"]);
  });

  it("has the reason of an AbortSignal where none is given", () => {
    const [own, real] = [new CancelController(), new AbortController()];
    own.abort();
    real.abort();
    expect(own.reason).toMatchObject({ name: "AbortError", message: real.signal.reason.message });
  });
});
