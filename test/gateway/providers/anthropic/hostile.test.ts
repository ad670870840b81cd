import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toChatCompletion } from "../../../../src/gateway/providers/anthropic/ordered-message.js";
import { outputSchema } from "../../../../src/gateway/providers/anthropic/output-schema.js";
import { MessagesStream } from "../../../../src/gateway/providers/anthropic/stream.js";
import { type ChatBody, isJsonObject, type JsonObject } from "../../../../src/gateway/providers/chat.js";
import { ProviderFault, type StreamEvent } from "../../../../src/gateway/providers/provider.js";
import { MODELS, translated } from "./translate.js";

/** Objects whose members have the names that are looked for, down to any depth, beside any JSON at all. */
function objectsOf(words: string): fc.Arbitrary<unknown> {
  const names = words.split(/\s+/);
  return fc.letrec((tie) => ({
    any: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      fc.jsonValue({ maxDepth: 1 }),
      fc.constantFrom(...names),
      fc.array(tie("any"), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom(...names, "__proto__", "constructor"), tie("any"), { maxKeys: 5 }),
    ),
  })).any;
}

/** What a function throws other than a `ProviderFault` fails the test. */
function allowingFaults<Result>(work: () => Result): Result | ProviderFault {
  try {
    return work();
  } catch (fault) {
    if (fault instanceof ProviderFault) return fault;
    throw fault;
  }
}

const loose = objectsOf(
  `type text function name arguments parameters json_schema schema object properties $ref #/a enabled budget_tokens
  required auto url custom user_id format effort`,
);
/** As it should be, now and then anything else. */
const mostly = <Value>(proper: fc.Arbitrary<Value>): fc.Arbitrary<unknown> =>
  fc.oneof({ arbitrary: proper as fc.Arbitrary<unknown>, weight: 40 }, { arbitrary: loose, weight: 1 });
const few = <Value>(one: fc.Arbitrary<Value>) => fc.array(one, { maxLength: 2 });
const sometimes = <Value>(
  members: Readonly<Record<string, fc.Arbitrary<Value>>>,
  ...required: readonly string[]
) => fc.record(members, { requiredKeys: [...required] });

const called = fc.record({
  name: fc.constantFrom("weather", "constructor"),
  arguments: mostly(fc.constantFrom("{}", "", '{"a":1}')),
});
const part = fc.record({ type: fc.constant("text"), text: mostly(fc.string()), cache_control: loose });
const message = sometimes<unknown>(
  {
    role: mostly(fc.constantFrom("system", "developer", "user", "assistant")),
    content: mostly(fc.oneof(fc.string(), fc.constant(null), few(fc.oneof(part, part, loose)))),
    tool_calls: mostly(few(fc.record({ id: mostly(fc.constant("a.b")), function: called }))),
    thinking_blocks: mostly(fc.constant([{ type: "thinking", thinking: "", signature: "c2ln" }])),
    refusal: loose,
    cache_control: loose,
  },
  "role",
);
const functionTool = fc.record({
  name: fc.constantFrom("weather", "__proto__"),
  parameters: mostly(loose.filter(isJsonObject)),
});
const anyBody = sometimes<unknown>(
  {
    messages: fc.array(message, { maxLength: 5 }),
    tools: mostly(few(fc.record({ type: fc.constant("function"), function: functionTool }))),
    tool_choice: mostly(fc.constantFrom("auto", "none", "required")),
    response_format: mostly(
      fc.record({
        type: fc.constantFrom("text", "json_object", "json_schema"),
        json_schema: fc.record({ schema: loose.filter(isJsonObject) }),
      }),
    ),
    reasoning_effort: mostly(fc.constantFrom("none", "low", "high", "max", null)),
    thinking: loose,
    output_config: loose,
    max_tokens: mostly(fc.nat()),
    temperature: loose,
    top_p: mostly(fc.double()),
    stop: mostly(fc.constantFrom("END", ["END"], [])),
    metadata: loose,
    service_tier: loose,
    anthropic_beta: mostly(fc.constantFrom([], ["a-b"])),
    unknown: loose,
    n: mostly(fc.constantFrom(1, null)),
  },
  "messages",
) as fc.Arbitrary<unknown> as fc.Arbitrary<ChatBody>;

describe("Arbitrary client input for the Anthropic provider", () => {
  it("is translated, or refused with the field's name", () => {
    fc.assert(
      fc.property(anyBody, fc.constantFrom(...Object.values(MODELS)), (body, model) => {
        const result = allowingFaults(() => translated(body, model));
        if (result instanceof ProviderFault) {
          expect([result.code, result.upstreamParam]).toEqual(["request_refused", expect.any(String)]);
          return;
        }
        expect(result.body).toMatchObject({ model, max_tokens: expect.any(Number) });
        expect((result.body.messages as readonly JsonObject[])[0]?.role).toBe("user");
        expect(Object.getPrototypeOf(result.body)).toBe(Object.prototype);
        JSON.stringify(result.body);
      }),
      { numRuns: 500 },
    );
  });

  it("as a schema is converted to the subset that the API accepts, or reported as impossible", () => {
    const anySchema = objectsOf(
      `type object string array properties items required enum const anyOf oneOf allOf $ref #/properties/type #
      additionalProperties minimum format description`,
    );
    const taken =
      /^(type|properties|items|required|enum|const|anyOf|allOf|format|minItems|description|title|default|additionalProperties)$/;
    fc.assert(
      fc.property(anySchema.filter(isJsonObject), (schema) => {
        const narrowed = outputSchema(schema);
        if (narrowed === null) return;
        for (const name of Object.keys(narrowed)) expect(name).toMatch(taken);
        if ("properties" in narrowed) expect(narrowed.additionalProperties).toBe(false);
      }),
      { numRuns: 500 },
    );
  });
});

describe("Arbitrary replies to the Anthropic provider", () => {
  const inReplies = objectsOf(
    `type content text thinking tool_use id name input stop_reason usage message input_tokens output_tokens error
    stop_details explanation index delta content_block message_start content_block_start content_block_delta
    content_block_stop message_delta text_delta input_json_delta partial_json thinking_delta signature_delta signature
    answer`,
  );

  it("give an answer or an error, whole and streamed", () => {
    const anyTool = fc.constantFrom("answer", null);
    fc.assert(
      fc.property(fc.array(inReplies, { maxLength: 10 }), anyTool, (sent, answerTool) => {
        const stream = new MessagesStream({ answerTool, created: 0 });
        const events: StreamEvent[] = [];
        for (const body of sent) {
          allowingFaults(() => toChatCompletion(JSON.stringify(body), { answerTool, created: 0 }));
          allowingFaults(() => stream.read({ event: null, body: { ...(body as JsonObject) } }, events));
        }
        for (const { chunk } of events) expect(chunk?.choices).toHaveLength(1);
      }),
      { numRuns: 500 },
    );
  });
});
