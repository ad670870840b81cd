/** Content of the last `\boxed{…}`, braces within it balanced; undefined without one. */
export function boxed(text: string): string | undefined {
  const start = text.lastIndexOf(BOXED);
  if (start < 0) return undefined;
  let depth = 1;
  for (let end = start + BOXED.length; end < text.length; end++) {
    if (text[end] === "{") depth += 1;
    if (text[end] === "}") depth -= 1;
    if (depth === 0) return text.slice(start + BOXED.length, end);
  }
  return undefined;
}

const BOXED = "\\boxed{";

/** What follows the last "the answer is", "answer:" or `####`, to the end of the line; undefined without one. */
export function announced(text: string): string | undefined {
  const found = [...text.matchAll(/(?:answer\b[*_\s]*(?:is|:|=)|####)[*_:\s]*([^\n]+)/gi)].at(-1);
  return found?.[1];
}
