/**
 * Sextant embedded: `openRouter()` → `route()`. Loads the shipped embedder and profiles; no server, no key, no network.
 */

import { openRouterFromSettings } from "../open-router.js";
import type { Decision } from "../router/decision.js";
import type { Router } from "../router/router.js";
import { type OpenRouterOptions, routerSettings } from "./options.js";
import { type Prompt, type RouteOptions, routeCall, routeManyCall } from "./route-call.js";

export { ERROR_CODES, type ErrorCode, SettingsError, SextantError } from "../../foundation/errors.js";
export type { ProfileSummary } from "../estimation/profile-summary.js";
export type { Exclusion, ExclusionReason } from "../router/candidate.js";
export type { CostWeightMeaning } from "../router/cost-weight.js";
export type {
  Candidate,
  CandidateParts,
  DecidingAnchor,
  Decision,
  PreviousAnswer,
  PromptReading,
} from "../router/decision.js";
export type { ConversationMessage, MessagePart } from "../router/routing-text.js";
export type { OpenRouterOptions } from "./options.js";
export type { Prompt, RouteOptions } from "./route-call.js";

/** A router in the process of its caller. Close it when it is no longer needed: its embedder may hold a thread. */
export interface EmbeddedRouter extends Pick<Router, "profiles" | "profileVersion" | "meaningOf" | "close"> {
  /**
   * Decides which model should answer a prompt or a conversation (at least one message).
   *
   * @throws SextantError `invalid_request`, `missing_profiles`, `insufficient_models`, `no_profiles_available`
   */
  route(prompt: Prompt, options?: RouteOptions): Promise<Decision>;
  /** Decides many prompts at once, in order: several thousand a second. */
  routeMany(prompts: readonly Prompt[], options?: RouteOptions): Promise<Decision[]>;
}

/**
 * Opens the engine: about .25 s, some 75 MB. Open it once and keep it.
 *
 * @throws SettingsError on an option that is not known or cannot be used, and an error that names the file and the remedy when the
 * embedder or a profile set cannot be loaded
 */
export async function openRouter(options: OpenRouterOptions = {}): Promise<EmbeddedRouter> {
  const { router } = await openRouterFromSettings(routerSettings(options));
  return {
    async route(prompt, options) {
      const { request, cancellation } = routeCall(prompt, options);
      return router.route(request, cancellation);
    },
    async routeMany(prompts, options) {
      const { requests, cancellation } = routeManyCall(prompts, options);
      return router.routeMany(requests, cancellation);
    },
    profiles: () => router.profiles(),
    get profileVersion() {
      return router.profileVersion;
    },
    meaningOf: (costWeight) => router.meaningOf(costWeight),
    close: () => router.close(),
  };
}
