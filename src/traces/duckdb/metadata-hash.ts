const bytes = new DataView(new ArrayBuffer(8));

export interface HashWords {
  readonly high: number;
  readonly low: number;
}

/**
 * 64 bits that stand for a metadata key with a value as text. They are kept in files, so that they never change.
 *
 * Among ten million traces with three values each, some other value has those of a given one with a probability of 2e-12.
 * That is chance: whoever wants to can find two texts with the same bits, and gains nothing that writing the text itself
 * would not have given.
 */
export function metadataHash(key: string, value: string): bigint {
  const { high, low } = metadataHashWords(key, value);
  bytes.setUint32(0, high);
  bytes.setUint32(4, low);
  return bytes.getBigInt64(0);
}

/** The same as two words of 32 bits, for whoever has many to make. */
export function metadataHashWords(key: string, value: string): HashWords {
  // The length keeps `a` + `bc` and `ab` + `c` apart.
  let high = Math.imul(key.length + 1, 0x2c1b3c6d);
  let low = Math.imul(value.length + 1, 0x297a2d39);
  for (const text of [key, value]) {
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      high = Math.imul(rotated(high ^ unit, 13), 0x9e3779b1);
      low = Math.imul(rotated(low + unit, 17), 0x85ebca77);
    }
  }
  return { high: mixed(high ^ rotated(low, 7)), low: mixed(low ^ rotated(high, 19)) };
}

const rotated = (word: number, by: number): number => (word << by) | (word >>> (32 - by));

/** Every bit of the word reaches every bit of the result, and no two words have the same. */
function mixed(word: number): number {
  const once = Math.imul(word ^ (word >>> 16), 0x7feb352d);
  const twice = Math.imul(once ^ (once >>> 15), 0x846ca68b);
  return (twice ^ (twice >>> 16)) >>> 0;
}
