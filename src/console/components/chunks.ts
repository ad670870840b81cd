/** Characters of one chunk, at most: about a screen. */
const MOST = 4000;

/**
 * A long text in pieces that a browser can lay out one by one: a line of a megabyte takes it minutes. They end at line ends,
 * which are left out as each piece is a block of its own, or, where a line is too long, anywhere but within a character.
 */
export function chunksOf(text: string): readonly string[] {
  const chunks: string[] = [];
  let from = 0;
  while (text.length - from > MOST) {
    const lineEnd = text.lastIndexOf("\n", from + MOST);
    if (lineEnd >= from) {
      chunks.push(text.slice(from, lineEnd));
      from = lineEnd + 1;
    } else {
      const end = from + (isHighSurrogate(text, from + MOST - 1) ? MOST - 1 : MOST);
      chunks.push(text.slice(from, end));
      from = end;
    }
  }
  return [...chunks, text.slice(from)];
}

const isHighSurrogate = (text: string, at: number): boolean => (text.charCodeAt(at) & 0xfc00) === 0xd800;
