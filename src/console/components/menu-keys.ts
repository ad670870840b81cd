/** The place of the item that a key leads to; undefined when it leads to none. */
export function nextItem(
  items: readonly { readonly label: string }[],
  at: number,
  key: string,
): number | undefined {
  switch (key) {
    case "ArrowDown":
      return at + 1;
    case "ArrowUp":
      return at - 1;
    case "Home":
      return 0;
    case "End":
      return items.length - 1;
    default: {
      const places = items.map((_, place) => (at + 1 + place) % items.length);
      return key.length === 1
        ? places.find((place) => items[place]?.label.toLowerCase().startsWith(key.toLowerCase()))
        : undefined;
    }
  }
}
