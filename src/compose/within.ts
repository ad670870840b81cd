/** Resolves when the promise does, or after that time. */
export async function within(milliseconds: number, promise: Promise<void> | undefined): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeUp = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  await Promise.race([promise, timeUp]);
  clearTimeout(timer);
}
