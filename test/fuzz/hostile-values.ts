/** Values that parsers of JSON, text and bytes are known to stumble over. */
import fc from "fast-check";

const nested = (depth: number, open: string, close: string): unknown =>
  JSON.parse(`${open.repeat(depth)}1${close.repeat(depth)}`);

export const hostileText = fc.oneof(
  fc.constantFrom(
    ...["", " ", "\0", "\ud800", "\ufeff", "\u202e", "é".repeat(300), "__proto__", "constructor", "auto"],
    ...["../../etc/passwd", "%00", "' OR 1=1 --", "$(id)", "<script>", "a\r\nx-injected: 1", "NaN", "1e999"],
    ...["🦄".repeat(5000), "x".repeat(100_000), "[".repeat(10_000)],
  ),
  fc.string({ unit: "binary", maxLength: 200 }),
);

const hostileNumber = fc.constantFrom(
  ...[0, -0, -1, 0.1, 1e-320, 2 ** 31, 2 ** 53, -(2 ** 63), 1e21, 1e308, Number.MAX_VALUE, 4e12],
);

export const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(null, true, false, [], {}, [[]], [null], { a: null }),
  fc.constantFrom(nested(100, "[", "]"), nested(2000, "[", "]"), nested(2000, '{"a":', "}")),
  fc.constant(JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}')),
  hostileNumber,
  hostileText,
  fc.jsonValue(),
);

/** A text with pieces cut out, repeated or replaced: near enough to what is right to get past the first check. */
export function mutatedText(original: string): fc.Arbitrary<string> {
  const at = fc.nat({ max: original.length });
  const piece = fc.oneof(
    hostileText,
    hostileNumber.map(String),
    hostileValue.map((value) => JSON.stringify(value)),
  );
  const mutation = fc.record({ from: at, to: at, piece, how: fc.constantFrom("cut", "replace", "repeat") });
  return fc.array(mutation, { minLength: 1, maxLength: 3 }).map((mutations) =>
    mutations.reduce((text, { from, to, piece, how }) => {
      const [start, end] = [Math.min(from, to), Math.min(Math.max(from, to), Math.min(from, to) + 40)];
      const middle = how === "cut" ? "" : how === "replace" ? piece : text.slice(start, end).repeat(3);
      return text.slice(0, start) + middle + text.slice(end);
    }, original),
  );
}

/** Bytes with some changed, removed or added. */
export function mutatedBytes(original: Uint8Array): fc.Arbitrary<Uint8Array> {
  const at = fc.nat({ max: Math.max(0, original.length - 1) });
  const mutation = fc.oneof(
    fc.record({ at, byte: fc.nat({ max: 255 }) }),
    fc.record({ at, length: fc.nat({ max: 64 }) }),
    fc.record({ at, bytes: fc.uint8Array({ maxLength: 64 }) }),
  );
  return fc.array(mutation, { minLength: 1, maxLength: 4 }).map((mutations) =>
    mutations.reduce<Uint8Array>((bytes, mutation) => {
      if ("byte" in mutation) return bytes.map((byte, at) => (at === mutation.at ? mutation.byte : byte));
      const rest =
        "length" in mutation ? bytes.slice(mutation.at + mutation.length) : bytes.slice(mutation.at);
      const added = "bytes" in mutation ? mutation.bytes : new Uint8Array();
      return Buffer.concat([bytes.slice(0, mutation.at), added, rest]);
    }, original),
  );
}

type Path = readonly (string | number)[];

/** Where each value within a value is, but for the whole. */
function pathsIn(value: unknown, path: Path = []): Path[] {
  if (typeof value !== "object" || value === null) return [];
  const entries = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return entries.flatMap(([key, inner]) => [[...path, key], ...pathsIn(inner, [...path, key])]);
}

type Change = "replace" | "remove" | "repeat";

/** A JSON value of which some parts are replaced, removed or repeated: still JSON, so that it gets past the parser. */
export function mutatedJson(original: object): fc.Arbitrary<object> {
  const mutation = fc.record({
    path: fc.constantFrom(...pathsIn(original)),
    change: fc.constantFrom<Change>("replace", "replace", "remove", "repeat"),
    value: hostileValue,
  });
  return fc.array(mutation, { minLength: 1, maxLength: 3 }).map((mutations) => {
    const copy = structuredClone(original);
    // The deepest first: none changes what another one put there.
    for (const { path, ...how } of mutations.toSorted(
      (left, right) => right.path.length - left.path.length,
    )) {
      mutate(copy, path, how);
    }
    return copy;
  });
}

/** Does nothing when an earlier mutation took the place away. */
function mutate(
  root: object,
  path: Path,
  { change, value }: { readonly change: Change; readonly value: unknown },
): void {
  const last = path.at(-1) ?? "";
  let parent: unknown = root;
  for (const step of path.slice(0, -1)) parent = Object(parent)[step];
  if (Array.isArray(parent) && typeof last === "number") {
    const inner: unknown = parent[last];
    parent.splice(last, 1, ...(change === "remove" ? [] : change === "repeat" ? [inner, inner] : [value]));
  } else if (typeof parent === "object" && parent !== null) {
    const fields = parent as Record<string, unknown>;
    if (change === "remove") delete fields[last];
    else fields[last] = change === "repeat" ? [fields[last], fields[last]] : value;
  }
}
