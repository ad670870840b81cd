/** What the API answered instead of what was asked for, in its own words; status 0 when it could not be reached. */
export class ApiError extends Error {
  override readonly name = "ApiError";

  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

export const unreachable = (): ApiError =>
  new ApiError(0, "unreachable", "The gateway cannot be reached. Retrying automatically…");

/** The error in a body of the API's one dialect; a word of our own when the body is something else. */
export function errorIn(body: unknown, status: number): ApiError {
  const error = isObject(body) && isObject(body.error) ? body.error : {};
  const code = typeof error.code === "string" ? error.code : "unknown";
  const message = typeof error.message === "string" ? error.message : `The gateway answered with ${status}.`;
  return new ApiError(status, code, message);
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;
