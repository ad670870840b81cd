import { type DestinationStream, type Logger, pino } from "pino";

/** Fields that could carry a prompt or a credential if a line ever held a request: their values are never written. */
const NEVER_LOGGED = [
  "authorization",
  "api_key",
  "key",
  "messages",
  "prompt",
  "headers",
  "body",
  "*.authorization",
  "*.api_key",
  "*.key",
  "*.messages",
  "*.prompt",
  "*.headers",
  "*.body",
];

/** Structured lines of JSON with ISO times, from `level` up. */
export function createLogger(level: string, destination: DestinationStream): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: NEVER_LOGGED, censor: "[not logged]" },
    },
    destination,
  );
}
