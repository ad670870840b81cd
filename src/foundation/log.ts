type Report = (details: Readonly<Record<string, unknown>>, message: string) => void;

/** Where this folder says what an operator should know: a logger of pino is one. No credential ever reaches it. */
export interface Log {
  readonly info: Report;
  readonly warn: Report;
}

/** What kind of fault it was, without its message, which could quote a credential or an address. */
export function faultName(fault: unknown): string {
  if (!(fault instanceof Error)) return typeof fault;
  const code = codeOf(fault) ?? codeOf(fault.cause);
  return code ?? fault.name;
}

function codeOf(fault: unknown): string | undefined {
  if (typeof fault !== "object" || fault === null || !("code" in fault)) return undefined;
  return typeof fault.code === "string" ? fault.code : undefined;
}
