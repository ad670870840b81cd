/**
 * OpenAI as these tests meet it: its rules about Responses and chat completions, each with where it was reported, and a
 * weather model that calls a tool first and answers from its output then.
 */
import type { JsonObject } from "../../../src/providers/chat.js";
import { eventReply, jsonReply, type ReplyParts, type Script } from "../../fakes/upstream-server.js";

const refused = (
  message: string,
  { status = 400, param = null as string | null, code = null as string | null } = {},
) => jsonReply({ error: { message, type: "invalid_request_error", param, code } }, { status });

const list = (value: unknown): readonly JsonObject[] => (Array.isArray(value) ? value : []);

const REASONS = /^(?:gpt-5|o\d)/;
const RESPONSES_ONLY = /-pro|codex/;

interface Stored {
  readonly response: Record<string, unknown>;
  readonly input: unknown;
}

export class OpenAiUpstream {
  /** Bodies sent to `/v1/responses`, in order. */
  readonly asked: JsonObject[] = [];
  readonly stored = new Map<string, Stored>();
  /** Ids are never given twice. */
  static #count = 0;

  readonly script: Script = (exchange) => {
    const { method, path, body } = exchange.request;
    const url = new URL(path, "http://openai");
    const [, , endpoint, id, action] = url.pathname.split("/");
    const reply =
      endpoint === "chat"
        ? this.#chat(JSON.parse(body))
        : endpoint !== "responses"
          ? refused("Unknown request URL", { status: 404, code: "unknown_url" })
          : id === undefined
            ? this.#respond(JSON.parse(body))
            : this.#kept(method, id, action);
    return reply(exchange);
  };

  #chat({ model, tools, reasoning_effort: effort }: JsonObject): Script {
    const name = String(model);
    if (RESPONSES_ONLY.test(name)) {
      // github.com/HeyPuter/puter/issues/1303 (2025-06-12)
      return refused("This model is only supported in v1/responses and not in v1/chat/completions.", {
        status: 404,
        param: "model",
      });
    }
    // github.com/BerriAI/litellm/pull/34569 (2026-07-24), github.com/openai/openai-openapi/issues/541 (2026-05-18)
    const reasons = name.startsWith("gpt-5.6") ? effort !== "none" : effort !== undefined;
    if (list(tools).length > 0 && reasons) {
      return refused(
        `Function tools with reasoning_effort are not supported for ${name} in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.`,
        { param: "reasoning_effort" },
      );
    }
    const message = { role: "assistant", content: "By chat." };
    return jsonReply({ choices: [{ index: 0, message, finish_reason: "stop" }] });
  }

  #respond(body: JsonObject): Script {
    this.asked.push(body);
    const { model, input, include, store = true, background, previous_response_id: previous } = body;
    const items = list(input);
    // github.com/pydantic/pydantic-ai/issues/2865 (2025-09-11)
    if (!REASONS.test(String(model)) && list(include).includes("reasoning.encrypted_content" as never)) {
      return refused("Encrypted content is not supported with this model.", { param: "include" });
    }
    if (typeof previous === "string" && !this.stored.has(previous)) {
      return refused(`Previous response with id '${previous}' not found.`, { param: "previous_response_id" });
    }
    for (const [at, item] of items.entries()) {
      const fault = this.#faultOf(item, items[at + 1]);
      if (fault !== null) return fault;
    }
    const before = typeof previous === "string" ? list(this.stored.get(previous)?.response.output) : [];
    const fault = unansweredIn([...before, ...items]);
    if (fault !== null) return fault;
    const response = this.#answer(body, items);
    if (store === true) this.stored.set(String(response.id), { response, input });
    if (background === true) return jsonReply({ ...response, status: "queued", output: [], usage: null });
    return body.stream === true ? streamed(response) : jsonReply(response);
  }

  #faultOf(item: JsonObject, next: JsonObject | undefined): Script | null {
    const { type, id, encrypted_content: content } = item;
    // github.com/openai/openai-agents-python/issues/2020 and others: what was not stored cannot be named.
    if (type === "item_reference" || (type === "reasoning" && typeof content !== "string")) {
      return refused(
        `Item with id '${id}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`,
        { status: 404, param: "input" },
      );
    }
    if (type !== "reasoning") return null;
    if (!String(content).startsWith("gAAA-")) {
      // github.com/openai/codex/issues/8145 (2025-12-16)
      return refused(`The encrypted content ${content} could not be verified.`, {
        code: "invalid_encrypted_content",
      });
    }
    return next === undefined
      ? refused(`Item '${id}' of type 'reasoning' was provided without its required following item.`, {
          param: "input",
        })
      : null;
  }

  #answer({ model, tools, store, metadata }: JsonObject, items: readonly JsonObject[]) {
    OpenAiUpstream.#count += 1;
    const at = OpenAiUpstream.#count;
    const last = items.at(-1);
    const calls = list(tools).length > 0 && last?.type !== "function_call_output";
    const encrypted = list(this.asked.at(-1)?.include).includes("reasoning.encrypted_content" as never);
    const reasoning = {
      id: `rs_${at}`,
      type: "reasoning",
      summary: [],
      ...(encrypted ? { encrypted_content: `gAAA-${at}` } : {}),
    };
    const said = calls
      ? {
          ...{ id: `fc_${at}`, type: "function_call", status: "completed", call_id: `call_${at}` },
          ...{ name: "weather", arguments: '{"city":"Oslo"}' },
        }
      : {
          ...{ id: `msg_${at}`, type: "message", status: "completed", role: "assistant" },
          content: [{ type: "output_text", text: "It is 3 °C.", annotations: [], logprobs: [] }],
        };
    return {
      ...{ id: `resp_${at}`, object: "response", created_at: 1, status: "completed", error: null },
      ...{
        incomplete_details: null,
        model,
        output: REASONS.test(String(model)) ? [reasoning, said] : [said],
      },
      ...{ parallel_tool_calls: true, tool_choice: "auto", tools: [], temperature: 1, top_p: 1 },
      ...{ store: store ?? true, metadata: metadata ?? {}, instructions: null, background: false },
      usage: {
        ...{ input_tokens: 1000, input_tokens_details: { cached_tokens: 0 } },
        ...{ output_tokens: 200, output_tokens_details: { reasoning_tokens: 50 }, total_tokens: 1200 },
      },
    };
  }

  #kept(method: string, id: string, action: string | undefined): Script {
    const found = this.stored.get(id);
    if (found === undefined) return refused(`Response with id '${id}' not found.`, { status: 404 });
    if (method === "DELETE") {
      this.stored.delete(id);
      return jsonReply({ id, object: "response.deleted", deleted: true });
    }
    if (action === "input_items") return jsonReply({ object: "list", data: [{ content: found.input }] });
    if (action === "cancel") found.response.status = "cancelled";
    return jsonReply(found.response);
  }
}

/** Every call has its output, and every output its call. */
function unansweredIn(items: readonly JsonObject[]): Script | null {
  const called = items.filter(({ type }) => type === "function_call").map(({ call_id: id }) => id);
  const answered = items.filter(({ type }) => type === "function_call_output").map(({ call_id: id }) => id);
  const open = called.find((id) => !answered.includes(id));
  if (open !== undefined)
    return refused(`No tool output found for function call ${open}.`, { param: "input" });
  const stray = answered.find((id) => !called.includes(id));
  return stray === undefined
    ? null
    : refused(`No tool call found for function call output with call_id ${stray}.`, { param: "input" });
}

function streamed(response: JsonObject): Script {
  const events: JsonObject[] = [
    { type: "response.created", response: { ...response, output: [], usage: null } },
  ];
  for (const [output_index, item] of list(response.output).entries()) {
    const place = { output_index, item_id: item.id };
    const { encrypted_content: _later, ...begun } = item;
    if (item.type === "function_call") {
      events.push({ type: "response.output_item.added", output_index, item: { ...item, arguments: "" } });
      events.push({
        ...{ type: "response.function_call_arguments.delta", ...place, delta: item.arguments },
      });
      events.push({ type: "response.function_call_arguments.done", ...place, arguments: item.arguments });
    } else if (item.type === "message") {
      const [part] = list(item.content);
      events.push({ type: "response.output_item.added", output_index, item: { ...item, content: [] } });
      const at = { ...place, content_index: 0 };
      events.push({ type: "response.content_part.added", ...at, part: { ...part, text: "" } });
      events.push({ type: "response.output_text.delta", ...at, delta: part?.text, logprobs: [] });
      events.push({ type: "response.output_text.done", ...at, text: part?.text, logprobs: [] });
      events.push({ type: "response.content_part.done", ...at, part });
    } else events.push({ type: "response.output_item.added", output_index, item: begun });
    events.push({ type: "response.output_item.done", output_index, item });
  }
  events.push({ type: "response.completed", response });
  const parts: ReplyParts["body"] = events.map(
    (event, sequence_number) =>
      `event: ${event.type}\ndata: ${JSON.stringify({ ...event, sequence_number })}\n\n`,
  );
  return eventReply(parts);
}
