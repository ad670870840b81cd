/** The shared counters cannot be asked. The code says why, without addresses or credentials: `ECONNREFUSED`, `NOAUTH`. */
export class SharedCountersError extends Error {
  override readonly name = "SharedCountersError";

  constructor(readonly code: string) {
    super(`The shared counters cannot be reached: ${code}.`);
  }
}
