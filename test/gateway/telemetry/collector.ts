import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

interface WireSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly { readonly key: string; readonly value: object }[];
  readonly status: { readonly code: number };
}

/** A span as the collector got it. */
export interface CollectedSpan
  extends Pick<WireSpan, "traceId" | "spanId" | "parentSpanId" | "name" | "kind"> {
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly isError: boolean;
  /** Milliseconds since the epoch. */
  readonly startMs: number;
  readonly endMs: number;
}

export type Collector = Awaited<ReturnType<typeof startCollector>>;

/** An OpenTelemetry collector that takes spans over HTTP, as JSON. */
export async function startCollector() {
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8");
    request.on("data", (piece: string) => {
      body += piece;
    });
    request.on("end", () => {
      collector.exports.push({ path: request.url ?? "", headers: request.headers, body });
      for (const { resource, scopeSpans } of JSON.parse(body).resourceSpans) {
        collector.resource = valuesOf(resource.attributes);
        for (const { spans } of scopeSpans) collector.spans.push(...spans.map(collected));
      }
      response.setHeader("content-type", "application/json").end("{}");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const collector = {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: [] as CollectedSpan[],
    /** Attributes of the resource that sent spans last. */
    resource: {} as Readonly<Record<string, unknown>>,
    exports: [] as { path: string; headers: Readonly<Record<string, unknown>>; body: string }[],
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return collector;
}

const ERROR_STATUS = 2;
const NANOSECONDS = 1_000_000;

const collected = ({
  attributes,
  status,
  startTimeUnixNano,
  endTimeUnixNano,
  ...span
}: WireSpan): CollectedSpan => ({
  ...span,
  attributes: valuesOf(attributes),
  isError: status.code === ERROR_STATUS,
  startMs: Number(startTimeUnixNano) / NANOSECONDS,
  endMs: Number(endTimeUnixNano) / NANOSECONDS,
});

const valuesOf = (attributes: WireSpan["attributes"]): Readonly<Record<string, unknown>> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
