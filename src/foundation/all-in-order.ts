/**
 * `Promise.all` whose rejection does not depend on timing: waits until all promises have settled, then rejects with the
 * error of the first one, in the order given, that failed. For errors that a person reads: which of two missing files is
 * reported must not depend on which read failed sooner.
 */
export async function allInOrder<T extends readonly unknown[] | []>(
  promises: T,
): Promise<{ -readonly [Index in keyof T]: Awaited<T[Index]> }> {
  await Promise.allSettled(promises);
  // All have settled, so that their outcomes are taken in the order given.
  return Promise.all(promises);
}
