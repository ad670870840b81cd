import { EVERYDAY_PROMPTS, type EverydayPrompt } from "../../bench/everyday/prompts.js";
import type { JsonObject } from "../../src/gateway/providers/chat.js";

/** One request of a conversation. The answers in it are the same whichever model gave them. */
export interface ScriptedRequest {
  readonly conversation: number;
  /** Milliseconds since the beginning of the traffic. */
  readonly atMs: number;
  readonly messages: readonly JsonObject[];
  /** Whether the conversation has tools. */
  readonly hasTools: boolean;
  /** Whether its last message is the result of a tool. */
  readonly inToolLoop: boolean;
  /** Whether its client marks what Anthropic is to cache. */
  readonly marksCache: boolean;
  /** Length of the answer relative to the expected one. */
  readonly lengthFactor: number;
}

export interface TrafficOptions {
  readonly conversations: number;
  /** In [0, 1). */
  readonly random: () => number;
  /**
   * Share of the tool loops in which the user writes while the agent works: they begin with a trivial question, and what is asked in the
   * middle of them is what the rest of the loop is about. Default 0.
   */
  readonly steered?: number;
}

const MINUTE_MS = 60_000;
/** Of conversations with tools, and of those whose client marks prompts for caches. */
const TOOL_SHARE = 0.4;
const MARKING_SHARE = 0.5;
/** Chance of another topic at a user's turn, and of a short question about the last answer. */
const TOPIC_CHANGE = 0.15;
const FOLLOW_UP = 0.3;
/** A new conversation begins every 20 seconds on average. */
const BETWEEN_CONVERSATIONS_MS = 20_000;
/** A call of a tool is shorter than an answer (guess). */
const TOOL_CALL_LENGTH = 0.3;

/** Characters of the system prompts of three applications: a chat window, a support desk, a coding agent. */
const SYSTEM_CHARACTERS = [400, 6_000, 24_000] as const;
const FOLLOW_UPS = ["And shorter, please.", "Why?", "Can you give an example of that?", "Continue."];
const MOST_TURNS = 20;
/** What a steered loop begins with. */
const TRIVIAL = "Hello, list the files here, please.";

/** Requests of many conversations with 1 to 20 turns of their users, by time. */
export function makeTraffic({
  conversations,
  random,
  steered = 0,
}: TrafficOptions): readonly ScriptedRequest[] {
  let startMs = 0;
  const requests: ScriptedRequest[] = [];
  for (let conversation = 0; conversation < conversations; conversation++) {
    requests.push(...makeConversation(conversation, { startMs, random, steered }));
    startMs += -Math.log(1 - random()) * BETWEEN_CONVERSATIONS_MS;
  }
  return requests.sort((left, right) => left.atMs - right.atMs);
}

interface ConversationOptions extends Required<Omit<TrafficOptions, "conversations">> {
  readonly startMs: number;
}

function makeConversation(
  conversation: number,
  { startMs, random, steered }: ConversationOptions,
): ScriptedRequest[] {
  const hasTools = random() < TOOL_SHARE;
  const marksCache = random() < MARKING_SHARE;
  const application = hasTools ? 2 : random() < 0.5 ? 0 : 1;
  const messages: JsonObject[] = [
    { role: "system", content: filler(SYSTEM_CHARACTERS[application], application) },
  ];
  const requests: ScriptedRequest[] = [];
  let atMs = startMs;
  const ask = (inToolLoop: boolean, lengthFactor: number) =>
    requests.push({
      ...{ conversation, atMs, hasTools, inToolLoop, marksCache },
      messages: [...messages],
      lengthFactor: lengthFactor * Math.exp(0.4 * gaussian(random)),
    });
  let topic = pickTopic(random);
  // Few long ones: 1 to 20, evenly by the logarithm.
  const turns = Math.floor(Math.exp(random() * Math.log(MOST_TURNS + 1)));
  for (let turn = 0; turn < turns; turn++) {
    if (turn > 0 && random() < TOPIC_CHANGE) topic = pickTopic(random);
    const asked = question(topic, turn, random);
    const steps = hasTools ? Math.floor(random() * 6) : 0;
    const isSteered = steered > 0 && steps > 1 && random() < steered;
    messages.push({ role: "user", content: isSteered ? TRIVIAL : asked });
    for (let step = 0; step < steps; step++) {
      ask(step > 0, TOOL_CALL_LENGTH);
      const id = `call_${conversation}_${turn}_${step}`;
      const call = { id, type: "function", function: { name: "search", arguments: `{"step":${step}}` } };
      messages.push({ role: "assistant", content: null, tool_calls: [call] });
      messages.push({ role: "tool", tool_call_id: id, content: filler(800 + random() * 8_000, atMs) });
      if (isSteered && step === 0) messages.push({ role: "user", content: asked });
      atMs += 2_000 + random() * 15_000;
    }
    ask(steps > 0, 1);
    messages.push({ role: "assistant", content: filler(600 + random() * 2_400, atMs) });
    // 10 seconds to 15 minutes, evenly by the logarithm.
    atMs += 10_000 * Math.exp(random() * Math.log((15 * MINUTE_MS) / 10_000));
  }
  return requests;
}

function pickTopic(random: () => number): readonly EverydayPrompt[] {
  const kinds = [...new Set(EVERYDAY_PROMPTS.map(({ kind }) => kind))];
  const kind = kinds[Math.floor(random() * kinds.length)];
  return EVERYDAY_PROMPTS.filter((prompt) => prompt.kind === kind);
}

function question(topic: readonly EverydayPrompt[], turn: number, random: () => number): string {
  if (turn > 0 && random() < FOLLOW_UP) return FOLLOW_UPS[Math.floor(random() * FOLLOW_UPS.length)] ?? "Why?";
  return topic[Math.floor(random() * topic.length)]?.text ?? "Why?";
}

/** Text of that length, different for each seed. */
function filler(characters: number, seed: number): string {
  const sentence = `Note ${Math.round(seed)}: the parcels of the second depot are counted on weekdays. `;
  return sentence.repeat(Math.ceil(characters / sentence.length)).slice(0, Math.round(characters));
}

/** Box and Muller. */
const gaussian = (random: () => number): number =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
