import type { Deployment } from "../../../engine/catalog/deployments/deployment.js";
import type { EmbeddingBody } from "../../providers/embeddings.js";
import { type EmbeddingReply, type Provider, ProviderFault } from "../../providers/provider.js";
import { embeddingUsageBound } from "../usage-bound.js";
import { type AttemptOutcome, failedAttempt, type StageLimits, succeeded } from "./attempt.js";
import { type CallLimits, UpstreamCall } from "./upstream-call.js";

export interface EmbeddingAttemptOptions extends CallLimits {
  readonly body: EmbeddingBody;
  readonly stages: Pick<StageLimits, "upstreamHeadersTimeoutMs">;
}

/** One upstream call for embeddings with its time limits. Never rejects: every outcome is an attempt. */
export async function attemptEmbeddings(
  deployment: Deployment,
  provider: Provider,
  options: EmbeddingAttemptOptions,
): Promise<AttemptOutcome<EmbeddingReply>> {
  const { body, stages, clock, headers } = options;
  const { upstreamModel } = deployment;
  const call = new UpstreamCall(deployment.provider, options);
  try {
    if (provider.embed === undefined) throw noEmbeddings();
    call.allow(stages.upstreamHeadersTimeoutMs, "reply");
    const answered = await provider.embed({ upstreamModel, body }, { signal: call.signal, headers });
    call.end();
    return { kind: "answered", answered, attempt: succeeded(deployment, call, clock) };
  } catch (error) {
    const reason = call.cancelled ?? error;
    call.drop();
    return failedAttempt(reason, { deployment, call, clock, bound: embeddingUsageBound(deployment, body) });
  }
}

const noEmbeddings = (): ProviderFault =>
  new ProviderFault("request_refused", "its API makes no embeddings", { upstreamParam: "model" });
