/** Which model answered before in a conversation, and what responses are referred to: in Redis, by the supervisor, or in this process. */

import { systemTimers } from "../foundation/timers.js";
import type { SupervisorConnection } from "../gateway/cluster/supervisor-connection.js";
import type { ConversationMemory } from "../gateway/conversations/conversation-memory.js";
import {
  type ConversationSettings,
  type OpenResponsesSettings,
  openConversations,
  openResponses,
} from "../gateway/conversations/open-memories.js";
import type { ResponseMemory } from "../gateway/conversations/response-memory.js";

export async function servedConversations(
  settings: ConversationSettings,
  supervisor: SupervisorConnection | undefined,
): Promise<ConversationMemory> {
  if (supervisor !== undefined && settings.redisUrl === undefined) return supervisor.conversations;
  return openConversations(settings, { now: Date.now, timers: systemTimers });
}

export async function servedResponses(
  settings: OpenResponsesSettings,
  supervisor: SupervisorConnection | undefined,
): Promise<ResponseMemory> {
  if (supervisor !== undefined && settings.redisUrl === undefined) return supervisor.responses;
  return openResponses(settings, { now: Date.now, timers: systemTimers });
}
