/** Asks models from the command line and the workbench, by the engine of the gateway and without its server. */
import { randomUUID } from "node:crypto";
import type { Catalog } from "../engine/catalog/catalog.js";
import { useCatalogFile } from "../engine/catalog/catalog-file.js";
import type { Deployment } from "../engine/catalog/deployments/deployment.js";
import { newestCatalogFile } from "../engine/catalog/stored-catalog.js";
import { describeByName, thinkingGuess } from "../engine/index.js";
import { type OpenRouter, openRouterFromSettings } from "../engine/open-router.js";
import type { ConversationMessage } from "../engine/router/routing-text.js";
import { SextantError } from "../foundation/errors.js";
import { systemTimers } from "../foundation/timers.js";
import { UNCOUNTED } from "../gateway/access/limits/limiter.js";
import type { Limiter } from "../gateway/access/limits/limits.js";
import { UNLIMITED } from "../gateway/access/principal.js";
import { AnswerText } from "../gateway/run/answer-text.js";
import { PromptTokens } from "../gateway/run/counted-tokens.js";
import type { Answer, AnswerStream } from "../gateway/run/inference.js";
import { NO_PAUSES } from "../gateway/run/pause.js";
import { planNamed } from "../gateway/run/planned-models.js";
import type { InferenceRequest, RequestContext } from "../gateway/run/request.js";
import { expectedCostUsd } from "../gateway/run/request-size.js";
import type { Settings } from "../gateway/settings.js";
import { WorkerCounter } from "../gateway/token-counting/worker-counter.js";
import { noSink } from "../gateway/traces/no-store.js";
import type { Attempt } from "../gateway/traces/trace.js";
import {
  CallFault,
  type CallFaultKind,
  type ModelAnswer,
  type ModelCaller,
} from "../workbench/asking/model-caller.js";
import type { Question } from "../workbench/asking/question.js";
import { checkModels, openConfiguration } from "./configuration.js";
import { composeInference } from "./inference.js";

export interface OpenedModels extends ModelCaller {
  close(): Promise<void>;
}

export interface ModelSources {
  /** Where the keys of providers come from, `.env` read into it. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Default: `openRouterFromSettings`. It is opened for lengths of answers alone. */
  readonly openRouter?: OpenRouter | undefined;
}

/**
 * Opens models for asking; connects to no provider before the first question. A model is asked at one provider, the first that serves
 * it, since answers of several would be measured as one.
 *
 * @throws SettingsError on providers that cannot be used
 */
export function openModels(settings: Settings, { environment, openRouter }: ModelSources): OpenedModels {
  useCatalogFile(newestCatalogFile(settings.dataDir));
  const configuration = openConfiguration({ settings: { ...settings, ...ONE_CALL }, environment });
  checkModels(settings, configuration.catalog);
  const { catalog } = configuration;
  const counter = new WorkerCounter({ timers: systemTimers });
  const running = composeInference({ ...ALONE, current: () => configuration });
  const deployments = new Map<string, Deployment>();
  const deploymentOf = (model: string): Deployment => {
    const deployment = deployments.get(model) ?? firstDeployment(model, catalog);
    deployments.set(model, deployment);
    return deployment;
  };
  return {
    modelToAsk: (model) => {
      const { provider, price } = deploymentOf(model);
      return { model, provider, isPriced: price !== null };
    },
    async ask(question, { idempotencyKey, signal }) {
      const request = { ...requestOf(question, deploymentOf(question.model)), idempotencyKey };
      const context = { ...CALLER, requestId: randomUUID(), ...arrivalNow(), signal };
      return answerOf(
        await running.inference.run(request, context).catch((error: unknown) => {
          throw callFaultOf(error);
        }),
      );
    },
    countPromptTokens: ({ model, messages }) =>
      new PromptTokens({ messages }, counter).of(deploymentOf(model).upstreamModel),
    costUsd: (model, size) => expectedCostUsd(size, deploymentOf(model).price),
    hiddenTokens: (model) => thinkingGuess(describeByName(catalog.lookup(model).profile ?? model)),
    expectedAnswerTokens: (models, prompts) =>
      expectedLengths(prompts, {
        profiles: new Map(models.map((model) => [model, catalog.lookup(model).profile ?? model])),
        openRouter: () => (openRouter ?? openRouterFromSettings)(settings, { catalog }),
      }),
    async close() {
      await running.close(0);
      await counter.close(0);
    },
  };
}

/**
 * The workbench itself decides when a question is asked again, and at what pace: a question is sent at once, also in a pause that the
 * provider asked for. A wait here would not even keep the process alive.
 */
const ONE_CALL = {
  retries: 0,
  retryMaxWaitMs: 0,
  maxAttempts: 1,
  circuitFailures: Number.MAX_SAFE_INTEGER,
};

const NO_LIMITS: Limiter = { reserve: () => UNCOUNTED };

const unused = () => Promise.reject(new TypeError("questions name their models"));

/** Inference for named models, without limits, traces and routing. */
const ALONE = {
  router: { route: unused, liveModels: () => [] },
  embedder: { id: "none", dimensions: 0, embed: unused },
  limiter: NO_LIMITS,
  pauses: NO_PAUSES,
  traces: noSink,
  lengths: undefined,
  conversations: { find: async () => undefined, remember() {} },
  responses: { find: async () => undefined, forget() {} },
  circuitProbes: Number.MAX_SAFE_INTEGER,
};

const CALLER: Pick<RequestContext, "principal" | "source"> = {
  principal: { id: "workbench", kind: "anonymous", source: null, scopes: [], limits: UNLIMITED },
  source: "workbench",
};

const arrivalNow = () => ({ arrivedMs: performance.now(), createdAtMs: Date.now() });

/** @throws SextantError `model_not_found`, `no_provider_available`, `invalid_request` */
function firstDeployment(model: string, catalog: Catalog): Deployment {
  const [planned] = planNamed({ type: "named", model, provider: undefined }, [], {
    catalog,
    purpose: "answers",
  });
  const [deployment] = planned?.deployments ?? [];
  if (deployment === undefined) throw new TypeError(`the plan for ${model} has no deployment`);
  return deployment;
}

function requestOf(
  { model, messages, parameters }: Question,
  { provider, refuses }: Deployment,
): InferenceRequest {
  const { temperature, ...others } = parameters;
  const sendsTemperature = temperature !== undefined && !refuses.includes("temperature");
  return {
    kind: "chat",
    choice: { type: "named", model, provider },
    body: { messages, ...others, ...(sendsTemperature ? { temperature } : {}) },
    stream: false,
    fallbacks: [],
    metadata: {},
  };
}

function answerOf(answer: Answer | AnswerStream): ModelAnswer {
  if (answer.kind === "stream") throw new TypeError("no stream was asked for");
  const text = new AnswerText(Number.MAX_SAFE_INTEGER);
  text.addCompletion(answer.completion);
  const { usage, provider } = answer;
  return {
    provider,
    text: text.output(),
    finishReason: text.finishReason,
    tokensIn: usage.prompt_tokens,
    tokensOut: usage.completion_tokens,
    costUsd: usage.total_cost_usd,
    latencyMs: usage.latency_ms,
    isEstimated: usage.estimated === true,
  };
}

/** Prompts whose answers are estimated: their mean is that of all to within a tenth (guess). */
const MOST_ESTIMATED = 100;

interface LengthSources {
  /** The profile of each model. */
  readonly profiles: ReadonlyMap<string, string>;
  readonly openRouter: () => ReturnType<OpenRouter>;
}

async function expectedLengths(
  prompts: readonly Question["messages"][],
  { profiles, openRouter }: LengthSources,
): Promise<ReadonlyMap<string, number>> {
  const step = Math.max(1, Math.floor(prompts.length / MOST_ESTIMATED));
  const asked = prompts.filter((_, index) => index % step === 0).slice(0, MOST_ESTIMATED);
  try {
    const { router } = await openRouter();
    const requests = asked.map((messages) => ({ messages: messages as readonly ConversationMessage[] }));
    const decisions = await router.routeMany(requests).finally(() => router.close());
    const lengths = [...profiles].map(([model, profile]) => {
      const found = decisions.flatMap(({ candidates }) => {
        const candidate = candidates.find((one) => one.model === profile || one.model === model);
        return candidate?.answerTokens.expected ?? [];
      });
      return [model, found.reduce((sum, tokens) => sum + tokens, 0) / found.length] as const;
    });
    return new Map(lengths.filter(([, mean]) => !Number.isNaN(mean)));
  } catch {
    // Profiles that are missing or broken are no reason not to collect outcomes for better ones: lengths are then guessed.
    return new Map();
  }
}

/** Codes of attempts at a provider that asks for fewer requests. */
const BUSY = new Set(["rate_limited", "overloaded"]);
/** Codes of attempts that no other question would change. */
const ACCOUNT = new Set(["credentials_refused", "quota_exhausted", "model_not_found"]);
/** Codes of errors that another try may mend. */
const PASSING = new Set(["upstream_error", "upstream_timeout", "upstream_rate_limited", "overloaded"]);

/** What an error of inference says of a call. Anything but a SextantError is a bug, and is thrown. */
function callFaultOf(error: unknown): CallFault {
  if (!(error instanceof SextantError)) throw error;
  const attempt = attemptsOf(error).at(-1);
  const { retry_after: seconds } = error.extra;
  return new CallFault(messageOf(error, attempt), {
    kind: kindOf(error, attempt),
    code: attempt?.code ?? error.code,
    status: attempt === undefined ? statusOf(error) : attempt.status,
    retryAfterMs: typeof seconds === "number" ? seconds * 1000 : null,
    costUsd: attempt?.usage === undefined ? 0 : attempt.usage.total_cost_usd,
  });
}

function kindOf({ code }: SextantError, attempt: Attempt | undefined): CallFaultKind {
  if (attempt !== undefined && BUSY.has(attempt.code)) return "busy";
  if (attempt !== undefined && ACCOUNT.has(attempt.code)) return "provider";
  return PASSING.has(code) ? "passing" : "question";
}

function messageOf(error: SextantError, attempt: Attempt | undefined): string {
  if (attempt === undefined) return error.message;
  const { provider, code, status, message } = attempt;
  const what = `${provider}: ${code}${status === null ? "" : ` (HTTP ${status})`}`;
  return message === null ? what : `${what}: ${message}`;
}

/** Of a question that the provider refused; other errors came before anything was sent. */
const statusOf = ({ code, status }: SextantError): number | null =>
  ["upstream_rejected", "content_filter", "context_length_exceeded"].includes(code) ? status : null;

function attemptsOf({ extra }: SextantError): readonly Attempt[] {
  return Array.isArray(extra.attempts) ? (extra.attempts as readonly Attempt[]) : [];
}
