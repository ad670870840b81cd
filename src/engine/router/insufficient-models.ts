import { SextantError } from "../../foundation/errors.js";
import type { Exclusion, ExclusionReason } from "./candidate.js";
import type { RouteRequest } from "./decision.js";
import { exclusionBody } from "./routing-body.js";

/** A decision needs at least this many candidates. */
export const LEAST_CANDIDATES = 2;

interface TooFew {
  /** The candidates that are left, fewer than two. */
  readonly left: readonly string[];
  readonly excluded: readonly Exclusion[];
  readonly request: Pick<RouteRequest, "howToRun">;
}

/** The error of a choice with fewer than two candidates: the reasons, and for each of them what to change. */
export function insufficientModels({ left, excluded, request }: TooFew): SextantError {
  const rest = left[0] === undefined ? "no candidate is left" : `only ${left[0]} is left`;
  const reasons = [...new Set(excluded.map(({ reason }) => reason))];
  const remedies = reasons.map((reason) => {
    const models = excluded.filter((exclusion) => exclusion.reason === reason).map(({ model }) => model);
    return reason === "no_provider" && request.howToRun ? request.howToRun(models) : REMEDIES[reason];
  });
  return new SextantError(
    "insufficient_models",
    `Routing needs at least ${LEAST_CANDIDATES} candidates, but ${rest}` +
      (excluded.length === 0 ? "." : ` after leaving out ${excluded.length} (${reasons.join(", ")}).`) +
      ` ${remedies.length === 0 ? NOTHING_EXCLUDED : [...new Set(remedies)].join(" ")}`,
    { param: "models", extra: { excluded: excluded.map(exclusionBody) } },
  );
}

const NOTHING_EXCLUDED = "Load profiles of more models that are still served.";

const STILL_SERVED = "Name models that are still served: `sextant models --live` lists them.";

/** What to change in the request, or in the configuration, when a reason left too few candidates. */
const REMEDIES: Readonly<Record<ExclusionReason, string>> = {
  context_window: "Shorten the prompt, lower `max_tokens`, or name models with a larger context window.",
  images_unsupported: "Leave the images out, or name models that read images.",
  tools_unsupported: "Leave `tools` out, or name models that can call tools.",
  unsupported_parameter:
    "Leave out the fields that `excluded` names as `param`, or name models that support them.",
  unknown_price: "Set `cost_weight` to 0, or give the prices of these models in the settings (`prices`).",
  no_provider: "Name models that a configured provider serves.",
  retired: STILL_SERVED,
  not_served: STILL_SERVED,
};
