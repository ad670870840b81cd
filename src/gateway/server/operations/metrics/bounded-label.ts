const OTHER = "other";

/**
 * Names as labels of a metric, where a label costs memory for ever: a name that is not known, or comes when `limit`
 * different ones have come, is `other`.
 */
export function boundedLabel(isKnown: (name: string) => boolean, limit: number): (name: string) => string {
  const labels = new Set<string>();
  return (name) => {
    if (labels.has(name)) return name;
    if (labels.size >= limit || !isKnown(name)) return OTHER;
    labels.add(name);
    return name;
  };
}
