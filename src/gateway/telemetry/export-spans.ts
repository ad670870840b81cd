/** OpenTelemetry's SDK, configured by its own environment variables. Loaded only when spans are exported. */
import { DiagLogLevel, diag } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from "@opentelemetry/resources";
import { BasicTracerProvider, BatchSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { packageVersion } from "../../foundation/package.js";
import { RepeatedWarning } from "../../foundation/repeated-warning.js";
import { SpanOfRequest } from "./span-of-request.js";
import type { Telemetry, TelemetryLog, TelemetrySources } from "./telemetry.js";

export function exportSpans(sources: TelemetrySources): Telemetry {
  const { environment, clock, log, conversationKey } = sources;
  reportFaults({ clock, log });
  const provider = withVariables(environment, createProvider);
  const withContent = wantsContent(sources);
  const tracer = provider.getTracer("sextant", packageVersion());
  return {
    startRequest: (request) => new SpanOfRequest(request, { tracer, clock, conversationKey, withContent }),
    close: () => provider.shutdown().catch(() => {}),
  };
}

/** By the variable of OpenTelemetry's own instrumentations. */
function wantsContent({ environment, isRedacted, log }: TelemetrySources): boolean {
  const value = environment.OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT?.toLowerCase();
  const isAsked = value === "true" || value === "span_only";
  if (isAsked && isRedacted)
    log.warn({}, "spans have no prompts and answers: they end before `trace_redact` is applied");
  return isAsked && !isRedacted;
}

function createProvider(): BasicTracerProvider {
  return new BasicTracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ "service.name": "sextant", "service.version": packageVersion() }))
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  });
}

/** The SDK reads the variables of the process alone, when it is configured: those of `.env` are added for so long. */
function withVariables<T>(environment: TelemetrySources["environment"], configure: () => T): T {
  const added = Object.keys(environment).filter(
    (name) => name.startsWith("OTEL_") && process.env[name] === undefined,
  );
  for (const name of added) process.env[name] = environment[name] ?? "";
  try {
    return configure();
  } finally {
    for (const name of added) delete process.env[name];
  }
}

/** A collector that is down is logged once a minute; requests do not notice it. */
function reportFaults({ clock, log }: { readonly clock: () => number; readonly log: TelemetryLog }): void {
  const warning = new RepeatedWarning("spans are not exported", {
    warn: (details, message) => log.warn(details, message),
    clock,
  });
  const ignore = () => {};
  const report = (message: string) => warning.failed(message);
  const logger = { error: report, warn: report, info: ignore, debug: ignore, verbose: ignore };
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
}
