/**
 * The known name a mistyped one was most likely meant to be, for messages that say "did you mean".
 *
 * Undefined when nothing is near: more than a third of the typed name would have to change. Ties go to the earlier name.
 */
export function nearestName(typed: string, known: readonly string[]): string | undefined {
  const limit = Math.max(1, Math.floor(typed.length / 3));
  const wanted = typed.toLowerCase();
  let nearest: string | undefined;
  let nearestDistance = limit + 1;
  for (const name of known) {
    // Texts of different lengths are at least that far apart.
    if (Math.abs(name.length - typed.length) >= nearestDistance) continue;
    const distance = editDistance(wanted, name.toLowerCase());
    if (distance < nearestDistance) {
      nearest = name;
      nearestDistance = distance;
    }
  }
  return nearest;
}

/** Insertions, deletions, substitutions and swaps of neighbours that turn one text into the other, each counted as 1. */
export function editDistance(from: string, to: string): number {
  const columns = to.length + 1;
  let beforePrevious = new Uint32Array(columns);
  let previous = Uint32Array.from({ length: columns }, (_, column) => column);
  let current = new Uint32Array(columns);
  for (let row = 1; row <= from.length; row++) {
    current[0] = row;
    for (let column = 1; column <= to.length; column++) {
      const substitution = from[row - 1] === to[column - 1] ? 0 : 1;
      let cost = Math.min(
        (previous[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (previous[column - 1] ?? 0) + substitution,
      );
      const swapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      if (row > 1 && column > 1 && swapped) cost = Math.min(cost, (beforePrevious[column - 2] ?? 0) + 1);
      current[column] = cost;
    }
    [beforePrevious, previous, current] = [previous, current, beforePrevious];
  }
  return previous[to.length] ?? 0;
}
