/** What authenticates, and until when. */
export interface Credential<Value> {
  readonly value: Value;
  /** Milliseconds since the epoch; null for one without an end. */
  readonly expiresAtMs: number | null;
}

/** From this time before its end on a credential is renewed, while requests still use it: as the clouds' own packages do. */
const RENEWED_AHEAD_MS = 300_000;
/** A credential that ends while a request is under way would be refused. */
const UNUSABLE_AHEAD_MS = 10_000;
/** Between two attempts to renew a credential that still counts (a guess). */
const RETRY_MS = 30_000;

/** A credential that many requests use: loaded once for all that wait for it, and renewed before it ends. */
export class CredentialCache<Value> {
  #held: Credential<Value> | null = null;
  #loading: Promise<Credential<Value>> | null = null;
  #nextRenewalMs = 0;

  /**
   * @param load asks for a credential; may reject
   * @param now milliseconds since the epoch
   */
  constructor(
    private readonly load: () => Promise<Credential<Value>>,
    private readonly now: () => number,
  ) {}

  /** @throws what `load` rejects with, while there is none to use */
  async get(): Promise<Value> {
    const nowMs = this.now();
    const held = this.#held;
    const leftMs = (held?.expiresAtMs ?? Number.POSITIVE_INFINITY) - nowMs;
    if (held === null || leftMs <= UNUSABLE_AHEAD_MS) return (await this.#loaded()).value;
    if (leftMs <= RENEWED_AHEAD_MS && nowMs >= this.#nextRenewalMs) {
      this.#nextRenewalMs = nowMs + RETRY_MS;
      this.#loaded().catch(() => {});
    }
    return held.value;
  }

  forget(): void {
    this.#held = null;
  }

  #loaded(): Promise<Credential<Value>> {
    this.#loading ??= this.load()
      .then((loaded) => {
        this.#held = loaded;
        return loaded;
      })
      .finally(() => {
        this.#loading = null;
      });
    return this.#loading;
  }
}
