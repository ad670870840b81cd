/** Between two steps of a statement there is nothing to interrupt, so that it is tried again. */
const AGAIN_MS = 20;

/** Interrupts whatever runs on a connection, again and again until it is over. */
export function interruptUntil(isOver: () => boolean, interrupt: () => void): void {
  interrupt();
  const again = setInterval(() => {
    if (isOver()) clearInterval(again);
    else interrupt();
  }, AGAIN_MS);
}
