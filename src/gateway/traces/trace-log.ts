type Report = (details: Readonly<Record<string, unknown>>, message: string) => void;

/** Where this folder says what an operator should know: a logger of pino is one. No content of a trace ever reaches it. */
export interface TraceLog {
  readonly info: Report;
  readonly warn: Report;
  readonly error: Report;
}

/** Message of the error. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
