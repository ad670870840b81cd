type ErrorClass<Kind extends Error> = abstract new (...values: never[]) => Kind;

/** The error of a class that `work` throws. Anything else that it throws is thrown on; success is an error. */
export function errorThrownBy<Kind extends Error>(work: () => unknown, kind: ErrorClass<Kind>): Kind {
  let result: unknown;
  try {
    result = work();
  } catch (error) {
    if (error instanceof kind) return error;
    throw error;
  }
  throw new Error(`expected ${kind.name}, but it returned ${String(result)}`);
}

/** The same for what a promise rejects with. */
export async function rejectionOf<Kind extends Error>(
  work: Promise<unknown>,
  kind: ErrorClass<Kind>,
): Promise<Kind> {
  const outcome = await work.then(
    (result) => () => result,
    (error: unknown) => () => {
      throw error;
    },
  );
  return errorThrownBy(outcome, kind);
}
