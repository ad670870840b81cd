import { decidedModel } from "../../engine/index.js";
import type { ShadowBody } from "../../engine/router/routing-body.js";
import type { ExpectedChange, ShadowReport } from "./replay-report.js";

/** What is read of a decision. */
interface DecidedTwice {
  readonly selected_model: string;
  readonly exploration?: { readonly preferred_model: string } | undefined;
  readonly candidates: readonly (Expectation & { readonly model: string })[];
  readonly shadow?: ShadowBody | undefined;
}

interface Expectation {
  readonly expected_quality: number;
  readonly expected_cost_usd: number | null;
}

class ChangeSum {
  #requests = 0;
  #quality = 0;
  #costUsd = 0;
  #costChangeUsd = 0;

  add(live: Expectation | undefined, shadow: Expectation | undefined): void {
    if (live === undefined || shadow === undefined) return;
    this.#requests += 1;
    this.#quality += shadow.expected_quality - live.expected_quality;
    if (live.expected_cost_usd === null || shadow.expected_cost_usd === null) return;
    this.#costUsd += live.expected_cost_usd;
    this.#costChangeUsd += shadow.expected_cost_usd - live.expected_cost_usd;
  }

  change(): ExpectedChange {
    return {
      requests: this.#requests,
      quality: this.#requests === 0 ? 0 : this.#quality / this.#requests,
      costUsd: this.#costUsd,
      costChangeUsd: this.#costChangeUsd,
    };
  }
}

interface Sums {
  requests: number;
  undecided: number;
  changed: number;
  readonly byLive: ChangeSum;
  readonly byShadow: ChangeSum;
}

/** Compares the decisions of traces with those of the shadow sets beside them, set by set. */
export class ShadowComparison {
  readonly #sums = new Map<string, Sums>();

  add(routing: DecidedTwice): void {
    const { shadow } = routing;
    if (shadow === undefined) return;
    const sums = this.#sumsOf(shadow.profile_version);
    if ("error" in shadow) {
      sums.undecided += 1;
      return;
    }
    const model = decidedModel(routing);
    const candidate = (name: string) => routing.candidates.find((each) => each.model === name);
    sums.requests += 1;
    if (shadow.selected_model !== model) sums.changed += 1;
    sums.byLive.add(candidate(model), candidate(shadow.selected_model));
    sums.byShadow.add(shadow.live_model ?? undefined, shadow);
  }

  /** One report for each version of the shadow sets, in the order of their first request. */
  reports(): readonly ShadowReport[] {
    return [...this.#sums].map(([profileVersion, { byLive, byShadow, ...counts }]) => ({
      ...{ profileVersion, ...counts },
      byLive: byLive.change(),
      byShadow: byShadow.change(),
    }));
  }

  #sumsOf(profileVersion: string): Sums {
    const sums = this.#sums.get(profileVersion) ?? {
      ...{ requests: 0, undecided: 0, changed: 0 },
      byLive: new ChangeSum(),
      byShadow: new ChangeSum(),
    };
    this.#sums.set(profileVersion, sums);
    return sums;
  }
}
