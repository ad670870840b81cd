import { describe, expect, it } from "vitest";
import { RunStream } from "../../../../src/gateway/providers/openai-responses/reply.js";
import { ProviderFault, type StreamEvent } from "../../../../src/gateway/providers/provider.js";

const run = (status: string, more: object = {}) => ({
  type: `response.${status}`,
  sequence_number: 1,
  response: { id: "resp_1", object: "response", status, model: "gpt-5.5", output: [], ...more },
});

/** What the stream makes of an event. */
function read(body: object) {
  const stream = new RunStream({ provider: "openai" });
  const events: StreamEvent[] = [];
  const reading = () => stream.read({ event: undefined, body: { ...body } } as never, events);
  return { stream, events, reading };
}

describe("The events of a run in the background", () => {
  it.each(["queued", "in_progress"])("go on while it is %s", (status) => {
    const { stream, events, reading } = read(run(status));
    expect(reading()).toBe("more");
    expect(stream.complete).toBe(false);
    expect(events).toMatchObject([
      { usage: null, isRunning: true, chunk: { native: { sequence_number: 1 } } },
    ]);
  });

  it.each(["completed", "incomplete", "cancelled"])("end with its usage when it is %s", (status) => {
    const usage = { input_tokens: 10, output_tokens: 4, total_tokens: 14 };
    const { stream, events, reading } = read(run(status, { usage }));
    expect(reading()).toBe("finished");
    expect(stream.complete).toBe(true);
    expect(events).toMatchObject([{ usage: { promptTokens: 10, completionTokens: 4 } }]);
  });

  it("pass on that it failed, which is then a fault", () => {
    const error = { code: "server_error", message: "The model is overloaded." };
    const { stream, events, reading } = read(run("failed", { error }));
    expect(reading).toThrow(ProviderFault);
    expect(stream.complete).toBe(false);
    expect(events).toMatchObject([{ chunk: { native: { type: "response.failed" } } }]);
  });
});
