import { describe, expect, it } from "vitest";
import { openTelemetry } from "../../../src/gateway/telemetry/open-telemetry.js";

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1" };
const open = (environment: Readonly<Record<string, string | undefined>>, warnings: object[] = []) =>
  openTelemetry({
    environment,
    clock: () => 0,
    conversationKey: "conversation_id",
    isRedacted: true,
    log: { warn: (details, message) => warnings.push({ ...details, message }) },
  });

describe("Telemetry", () => {
  it.each([
    ["no endpoint is set", {}],
    ["the endpoint is empty", { OTEL_EXPORTER_OTLP_ENDPOINT: "" }],
    ["OTEL_SDK_DISABLED is true", { ...ENDPOINT, OTEL_SDK_DISABLED: "true" }],
    ["OTEL_TRACES_EXPORTER is none", { ...ENDPOINT, OTEL_TRACES_EXPORTER: "none" }],
  ])("is off while %s", async (_, environment) => {
    expect(await open(environment)).toBeNull();
  });

  it("is on with an endpoint for traces alone", async () => {
    const telemetry = await open({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://127.0.0.1:1/v1/traces" });
    expect(telemetry).not.toBeNull();
    await telemetry?.close();
  });

  it("leaves the variables of the process as they were", async () => {
    const before = { ...process.env };
    const telemetry = await open({ ...ENDPOINT, OTEL_BSP_SCHEDULE_DELAY: "10" });
    expect({ ...process.env }).toEqual(before);
    await telemetry?.close();
  });

  it("says that redacted texts stay out of spans, where they are asked for", async () => {
    const warnings: { message?: string }[] = [];
    const telemetry = await open(
      { ...ENDPOINT, OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: "true" },
      warnings,
    );
    await telemetry?.close();
    expect(warnings[0]?.message).toContain("no prompts and answers");
  });

  it("loses the spans of a collector that cannot be reached, and says so once", async () => {
    const warnings: { message?: string }[] = [];
    const telemetry = await open(
      { ...ENDPOINT, OTEL_EXPORTER_OTLP_TIMEOUT: "200", OTEL_BSP_SCHEDULE_DELAY: "10" },
      warnings,
    );
    const request = { requestId: "req_1", method: "GET", route: "/healthz", headers: {} };
    const answer = () => {
      const span = telemetry?.startRequest({ ...request, arrivedMs: 0, createdAtMs: 1 });
      span?.replied({ status: 200, code: "" });
    };
    answer();
    await expect.poll(() => warnings.length).toBe(1);
    answer();
    await telemetry?.close();
    expect(warnings.map(({ message }) => message)).toEqual(["spans are not exported"]);
  });
});
