import { describe, expect, it } from "vitest";
import type { FinishedAnswer } from "../../../src/gateway/run/dependencies.js";
import { answers, FakeProvider, streams, textSteps } from "../../fakes/provider.js";
import { contextOf, readAll, requestFor, startInference } from "./harness.js";

function observed(provider: FakeProvider) {
  const seen: FinishedAnswer[] = [];
  const traced: number[] = [];
  const started = startInference([provider], {
    observer: {
      answered(answer) {
        traced.push(started.sink.traces.length);
        seen.push(answer);
      },
    },
  });
  return { ...started, seen, traced };
}

describe("Who observes answers", () => {
  it("sees the request, the trace that was recorded before, and the text", async () => {
    const { inference, seen, traced, trace } = observed(new FakeProvider("lab", answers("hi")));
    const request = requestFor();
    await inference.run(request, contextOf());
    expect(seen.map((one) => one.text())).toEqual(["hi"]);
    expect([seen[0]?.request, seen[0]?.trace, traced]).toEqual([request, trace(), [1]]);
  });

  it("sees a streamed answer when it is whole", async () => {
    const { open, seen } = observed(new FakeProvider("lab", streams(...textSteps(["h", "i"]))));
    const answer = await open();
    expect(seen).toEqual([]);
    await readAll(answer);
    expect(seen.map((one) => one.text())).toEqual(["hi"]);
  });
});
