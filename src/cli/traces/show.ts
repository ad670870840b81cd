import type { TraceBody } from "../../gateway/features/traces/schema/trace.js";
import { promptText } from "../../gateway/index.js";
import { command, JSON_OPTION, writeResult } from "../command.js";
import { SERVER_OPTION } from "../options.js";
import { plainTable } from "../table.js";
import { withTraces } from "./open.js";
import { cell, count, dollars, milliseconds, time } from "./text.js";

/** `sextant traces show`: one trace whole. */
export const showCommand = command("show", {
  about: "print one finished request, with its texts if they were stored",
  operands: [{ name: "<request_id>", about: "id of the request: its x-request-id" }],
  options: { ...JSON_OPTION, ...SERVER_OPTION },
  run: (options, context, requestId) =>
    withTraces(options, context, async (traces) => {
      const trace = await traces.find(requestId);
      await writeResult(trace, () => traceText(trace), { json: options.json, context });
    }),
});

function traceText(trace: TraceBody): string {
  return [
    factsText(trace),
    section("attempts", attemptsText(trace)),
    section("prompt", trace.messages && promptText(trace.messages)),
    section("reasoning", trace.reasoning_text),
    section("answer", trace.output_text),
  ].join("");
}

function factsText(trace: TraceBody): string {
  const { routing, error, usage, metadata, feedback } = trace;
  const tags = Object.entries(metadata).map(([key, value]) => cell(`${key}=${value}`));
  const estimated = usage?.estimated === true ? " (estimated)" : "";
  const facts: readonly (readonly [string, string])[] = [
    ["request", cell(trace.request_id)],
    ["time (UTC)", time(trace.created_at)],
    ["kind", trace.kind],
    ["source", cell(trace.source)],
    ["API key", trace.api_key === null ? "–" : cell(trace.api_key.name ?? trace.api_key.id)],
    ["model", cell(trace.model)],
    ["provider", cell(trace.provider)],
    ["status", trace.finish_reason === null ? trace.status : `${trace.status}, ${cell(trace.finish_reason)}`],
    ["tokens", `${count(trace.tokens_in)} in, ${count(trace.tokens_out)} out${estimated}`],
    ["cost (USD)", dollars(trace.cost_usd)],
    [
      "latency",
      `${milliseconds(trace.latency_ms)} ms, first content after ${milliseconds(trace.ttft_ms)} ms`,
    ],
    ["metadata", tags.join(", ") || "–"],
    ...(routing === null
      ? []
      : [["routed", `${cell(routing.selected_model)}: ${cell(routing.reason)}`] as const]),
    ...(error === null ? [] : [["error", `${cell(error.code)}: ${cell(error.message)}`] as const]),
    ...(feedback === null ? [] : [["feedback", feedbackText(feedback)] as const]),
  ];
  return facts.map(([name, value]) => `${name.padEnd(12)}${value}`).join("\n");
}

const feedbackText = ({ score, comment, created_at: at }: NonNullable<TraceBody["feedback"]>): string =>
  `${score}${comment === null ? "" : `: ${cell(comment)}`} (${time(at)})`;

function attemptsText({ attempts }: TraceBody): string | undefined {
  if (attempts.length === 0) return undefined;
  const rows = attempts.map(({ provider, model, status, code, latency_ms: ms, usage }) => [
    cell(provider),
    cell(model),
    count(status),
    cell(code),
    milliseconds(ms),
    `${dollars(usage?.total_cost_usd ?? null)}${usage?.estimated ? " (estimated)" : usage?.cost_reported ? " (reported)" : ""}`,
  ]);
  return plainTable(["provider", "model", "status", "code", "ms", "cost (USD)"], rows);
}

const section = (title: string, text: string | undefined): string =>
  text === undefined ? "" : `\n\n${title}\n${text}`;
