/**
 * Does something with every item, letting other work of the thread happen after each slice: so that a large batch does not
 * hold up requests.
 */
export async function inSlices<Item>(
  items: readonly Item[],
  perSlice: number,
  task: (item: Item, index: number) => void,
): Promise<void> {
  for (const [index, item] of items.entries()) {
    if (index > 0 && index % perSlice === 0) await new Promise((resolve) => setImmediate(resolve));
    task(item, index);
  }
}
