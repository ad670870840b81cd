import { type BilledCall, FAULTS } from "../ledger/faults.js";

const NONE = -1;
const KINDS: readonly BilledCall["fault"][] = ["none", ...FAULTS];
const IS_REPORTED = 0x80;

/**
 * What the upstream billed, call by call: 13 bytes for each in typed arrays, because objects of a million requests would take
 * hundreds of megabytes.
 */
export class CallLog {
  /** Of each request, its latest call. */
  readonly #latest: Int32Array;
  /** Of each call, the call before it of the same request. */
  #previous = new Int32Array(1024);
  #billed = new Float64Array(1024);
  #kind = new Uint8Array(1024);
  #count = 0;

  /** @param requests whose numbers are less than that */
  constructor(requests: number) {
    this.#latest = new Int32Array(requests).fill(NONE);
  }

  get count(): number {
    return this.#count;
  }

  record({ request, fault, billed, reported }: BilledCall): void {
    if (this.#count === this.#kind.length) this.#grow();
    const at = this.#count++;
    this.#previous[at] = this.#latest[request] ?? NONE;
    this.#billed[at] = billed;
    this.#kind[at] = KINDS.indexOf(fault) | (reported > 0 ? IS_REPORTED : 0);
    this.#latest[request] = at;
  }

  /** In their order. A reply that reports its usage reports all that is billed. */
  callsOf(request: number): readonly BilledCall[] {
    const calls: BilledCall[] = [];
    let at = this.#latest[request] ?? NONE;
    while (at !== NONE) {
      const billed = this.#billed[at] ?? 0;
      const kind = this.#kind[at] ?? 0;
      const fault = KINDS[kind & ~IS_REPORTED] ?? "none";
      calls.push({ request, fault, billed, reported: (kind & IS_REPORTED) === 0 ? 0 : billed });
      at = this.#previous[at] ?? NONE;
    }
    return calls.reverse();
  }

  #grow(): void {
    const size = 2 * this.#kind.length;
    const [previous, billed, kind] = [new Int32Array(size), new Float64Array(size), new Uint8Array(size)];
    previous.set(this.#previous);
    billed.set(this.#billed);
    kind.set(this.#kind);
    [this.#previous, this.#billed, this.#kind] = [previous, billed, kind];
  }
}
