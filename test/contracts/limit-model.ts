import type { UsageEstimate } from "../../src/gateway/access/limits/limits.js";
import type { PrincipalLimits } from "../../src/gateway/access/principal.js";

interface Grant {
  readonly minuteStartMs: number;
  readonly month: string;
  used: UsageEstimate;
}

/** What the limits of one principal allow, worked out anew from all grants for every question. */
export class LimitModel {
  readonly #limits: PrincipalLimits;
  readonly #now: () => number;
  readonly #grants: Grant[] = [];

  constructor(limits: PrincipalLimits, now: () => number) {
    this.#limits = limits;
    this.#now = now;
  }

  reserve(estimate: UsageEstimate) {
    const nowMs = this.#now();
    const month = new Date(nowMs).toISOString().slice(0, 7);
    const lastStartMs = Math.max(...this.#grants.map(({ minuteStartMs }) => minuteStartMs), -Infinity);
    const minuteStartMs = nowMs < lastStartMs + 60_000 ? lastStartMs : nowMs;
    const { requestsPerMinute, tokensPerMinute, usdPerMonth } = this.#limits;
    const inMinute = () => this.#grants.filter((grant) => grant.minuteStartMs === minuteStartMs);
    const tokensUsed = () => sum(inMinute().map(({ used }) => used.tokens));
    const mills = (costUsd: number | null) => Math.round((costUsd ?? 0) * 1000);
    const millsUsed = sum(
      this.#grants.filter((grant) => grant.month === month).map(({ used }) => mills(used.costUsd)),
    );
    const granted =
      inMinute().length < (requestsPerMinute ?? Infinity) &&
      tokensUsed() + estimate.tokens <= (tokensPerMinute ?? Infinity) &&
      millsUsed + mills(estimate.costUsd) <= (usdPerMonth === null ? Infinity : mills(usdPerMonth));
    const grant = { minuteStartMs, month, used: estimate };
    if (granted) this.#grants.push(grant);
    return {
      granted,
      remainingRequests: (requestsPerMinute ?? 0) - inMinute().length,
      remainingTokens: Math.max(0, (tokensPerMinute ?? 0) - tokensUsed()),
      settle: (used: UsageEstimate) => {
        grant.used = used;
      },
    };
  }
}

const sum = (figures: readonly number[]): number => figures.reduce((total, figure) => total + figure, 0);
