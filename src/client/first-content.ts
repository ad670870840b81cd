/** A stream that was read up to its first content. */
export interface OpenedStream<Chunk> {
  /** Nothing of it was given to anybody yet; the last one has the content. */
  readonly read: readonly Chunk[];
  readonly rest: AsyncIterator<Chunk>;
  /** Whether content, or an orderly end without any, was found; otherwise the stream just stopped. */
  readonly whole: boolean;
}

/** Members of a chunk that matter here, in chat and in text completions. */
export interface ContentChunk {
  readonly choices: readonly {
    readonly delta?: object | undefined;
    readonly text?: string | undefined;
    readonly finish_reason?: string | null | undefined;
  }[];
}

/** Reads until there is content; until then a failure loses nothing, and another model can be asked. */
export async function readToFirstContent<Chunk extends ContentChunk>(
  stream: AsyncIterable<Chunk>,
): Promise<OpenedStream<Chunk>> {
  const rest = stream[Symbol.asyncIterator]();
  const read: Chunk[] = [];
  for (;;) {
    const { done, value } = await rest.next();
    if (done === true) return { read, rest, whole: false };
    read.push(value);
    if (value.choices.some(isContent)) return { read, rest, whole: true };
  }
}

/** Goes on with a stream that has started; leaving it early ends the stream below. */
export async function* goOnWith<Chunk>({ read, rest }: OpenedStream<Chunk>): AsyncGenerator<Chunk> {
  try {
    yield* read;
    for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}

/** The role alone is no content, nor is an empty text; an end is, since an answer may be empty. */
function isContent({ delta, text, finish_reason: finishReason }: ContentChunk["choices"][number]): boolean {
  if (typeof finishReason === "string") return true;
  if (text !== undefined && text !== "") return true;
  return Object.entries(delta ?? {}).some(([member, value]) => member !== "role" && !isEmpty(value));
}

function isEmpty(value: unknown): boolean {
  return (
    value === null || value === undefined || value === "" || (Array.isArray(value) && value.length === 0)
  );
}
