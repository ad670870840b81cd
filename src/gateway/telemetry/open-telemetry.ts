import { installCommand, isNotInstalled, TELEMETRY_PACKAGES } from "../../foundation/optional-package.js";
import type { Telemetry, TelemetrySources } from "./telemetry.js";

/**
 * Exports spans to the collector that OpenTelemetry's variables name; null when they name none or switch it off, and when the
 * packages are missing, which is logged: platforms set these variables for every program.
 */
export async function openTelemetry(sources: TelemetrySources): Promise<Telemetry | null> {
  const { environment, log } = sources;
  if (!isWanted(environment)) return null;
  try {
    const { exportSpans } = await import("./export-spans.js");
    return exportSpans(sources);
  } catch (error) {
    const missing = TELEMETRY_PACKAGES.find((name) => isNotInstalled(error, name));
    if (missing === undefined) throw error;
    log.warn(
      { package: missing },
      `no spans are exported, although OpenTelemetry's variables name an endpoint: run \`${installCommand(...TELEMETRY_PACKAGES)}\` where Sextant is installed, or set OTEL_SDK_DISABLED=true`,
    );
    return null;
  }
}

function isWanted(environment: TelemetrySources["environment"]): boolean {
  const endpoint = environment.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT || environment.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (!endpoint || environment.OTEL_TRACES_EXPORTER === "none") return false;
  return environment.OTEL_SDK_DISABLED?.toLowerCase() !== "true";
}
