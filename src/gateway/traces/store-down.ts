import { SextantError } from "../../foundation/errors.js";

/** `store_down` as clients of a server read it; `fault` is what else happened, without what goes on. */
export class StoreDownError extends SextantError {
  readonly fault: string;

  constructor(fault: string, cause?: unknown) {
    super("store_down", `${fault} Inference continues.`, { cause });
    this.fault = fault;
  }
}
