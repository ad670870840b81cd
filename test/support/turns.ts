/** Counts the turns of the event loop, of which there are none while something holds the thread. */
export function countTurns(): { count(): number; stop(): void } {
  let turns = 0;
  let isCounting = true;
  const turn = () => {
    turns += 1;
    if (isCounting) setImmediate(turn);
  };
  setImmediate(turn);
  return {
    count: () => turns,
    stop: () => {
      isCounting = false;
    },
  };
}
