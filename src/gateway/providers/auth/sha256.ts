import { createHash, createHmac, type Hash, type Hmac } from "node:crypto";

type Source = string | ArrayBuffer | ArrayBufferView;

/** Node's hash, as the package that signs is given one. */
export class Sha256 {
  readonly #secret: Source | undefined;
  #hash: Hash | Hmac;

  /** @param secret of a keyed hash (HMAC) */
  constructor(secret?: Source) {
    this.#secret = secret;
    this.#hash = this.#fresh();
  }

  update(data: Source): void {
    this.#hash.update(bytesOf(data));
  }

  async digest(): Promise<Uint8Array> {
    return this.#hash.digest();
  }

  reset(): void {
    this.#hash = this.#fresh();
  }

  #fresh(): Hash | Hmac {
    return this.#secret === undefined ? createHash("sha256") : createHmac("sha256", bytesOf(this.#secret));
  }
}

function bytesOf(data: Source): string | Uint8Array {
  if (typeof data === "string") return data;
  return ArrayBuffer.isView(data)
    ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
    : new Uint8Array(data);
}
