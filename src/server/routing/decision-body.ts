import { type RoutingBody, routingJson } from "../../router/routing-body.js";
import { ulidOf } from "../http/request-id.js";
import type { DecisionBody } from "../schemas/decision.js";

export interface DecisionEnvelope {
  readonly requestId: string;
  /** Milliseconds since the epoch. */
  readonly createdAtMs: number;
}

/** A decision that was not executed, in the form of API §2. */
export function decisionBody(
  routing: RoutingBody,
  { requestId, createdAtMs }: DecisionEnvelope,
): Omit<DecisionBody, "routing"> & { readonly routing: RoutingBody } {
  return {
    id: `route-${ulidOf(requestId)}`,
    object: "router.decision",
    created: Math.floor(createdAtMs / 1000),
    model: routing.selected_model,
    choices: [],
    usage: null,
    request_id: requestId,
    routing,
  };
}

/** The body as JSON. */
export function decisionJson(body: ReturnType<typeof decisionBody>): string {
  const { routing, ...rest } = body;
  return `${JSON.stringify(rest).slice(0, -1)},"routing":${routingJson(routing)}}`;
}
