import { SextantError } from "../errors.js";

/** A remote handler failed with an error other than a SextantError, or the other end is gone. */
export class RpcError extends Error {
  override readonly name = "RpcError";
  /** The error's own, such as ERR_MODULE_NOT_FOUND. */
  readonly code: string | undefined;

  constructor(message: string, code?: string) {
    super(message);
    this.code = code;
  }
}

/** An error as plain data. */
export type SentError =
  | ({ readonly kind: "sextant"; readonly message: string } & Pick<
      SextantError,
      "code" | "param" | "extra" | "headers"
    >)
  | { readonly kind: "other"; readonly message: string; readonly code: string | undefined };

export function sentError(error: unknown): SentError {
  if (error instanceof SextantError) {
    const { code, message, param, extra, headers } = error;
    return { kind: "sextant", code, message, param, extra, headers };
  }
  if (!(error instanceof Error)) return { kind: "other", message: String(error), code: undefined };
  const code = "code" in error && typeof error.code === "string" ? error.code : undefined;
  return { kind: "other", message: error.message, code };
}

export function receivedError(error: SentError): SextantError | RpcError {
  if (error.kind === "other") return new RpcError(error.message, error.code);
  const { code, message, param, extra, headers } = error;
  return new SextantError(code, message, { extra, headers, ...(param !== null && { param }) });
}
