import type { Decision } from "../router/decision.js";
import { routingBody } from "../router/routing-body.js";
import { ulidOf } from "./request-id.js";
import type { DecisionBody } from "./schemas/decision.js";

export interface DecisionEnvelope {
  readonly requestId: string;
  /** Milliseconds since the epoch. */
  readonly createdMs: number;
}

/** A decision in the form of API §2. */
export function decisionBody(decision: Decision, { requestId, createdMs }: DecisionEnvelope): DecisionBody {
  return {
    id: `route-${ulidOf(requestId)}`,
    object: "router.decision",
    created: Math.floor(createdMs / 1000),
    model: decision.selectedModel,
    choices: [],
    usage: null,
    request_id: requestId,
    routing: routingBody(decision),
  };
}
