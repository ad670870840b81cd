/** The text of a reply; null when it is longer, inflated, than so many bytes: its connection is then closed. Rejects as its body does. */
export async function replyText(reply: Response, mostBytes: number): Promise<string | null> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of reply.body ?? []) {
    bytes += piece.length;
    if (bytes > mostBytes) return null;
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString("utf8");
}
