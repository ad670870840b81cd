/** What runs requests, as the command line and the entry points use it. */
export { SCOPES } from "./access/principal.js";
export { capFields } from "./access/request-caps.js";
export { isSourceName, SOURCE_RULE } from "./access/source.js";
export { errorSchema } from "./api/error.js";
export { messagesSchema } from "./api/messages.js";
export { conversationCostSchema } from "./features/conversation-cost/schema.js";
export { COMMAND_LINE } from "./features/events/event.js";
export { MOST_GRACE_SECONDS, NAME_CHARACTERS } from "./features/keys/schema.js";
export { checkedPause } from "./features/pauses/checked-pause.js";
export { Replay } from "./features/replay/replay.js";
export { replayTraces } from "./features/replay/replay-traces.js";
export { replayBody } from "./features/replay/schema.js";
export { EXPORT_FORMATS } from "./features/traces/export/formats.js";
export { statsBody, statsQuery, statsQuestion, traceStatsSchema } from "./features/traces/schema/stats.js";
export { traceBody, traceListBody, traceListSchema, traceSchema } from "./features/traces/schema/trace.js";
export {
  DEFAULT_PAGE,
  EXPORT_FORMAT_NAMES,
  MAX_PAGE,
  parseTraceQuery,
} from "./features/traces/schema/trace-query.js";
export { createLogger } from "./http/logger.js";
export { PAUSE_KINDS, pauseStart } from "./run/pause.js";
export { runnableOnly } from "./run/runnable.js";
export { loadSettings, readEnvironment, settingsOf } from "./settings/load-settings.js";
export { SettingsSource } from "./settings/settings-source.js";
export { lockFolder } from "./storage/folder-lock.js";
export { openStores } from "./storage/open-stores.js";
export { LOSS_MESSAGE, openTraceStore, traceFile } from "./traces/open-traces.js";
export { TRACE_DIMENSIONS } from "./traces/series.js";
export { StoreDownError } from "./traces/store-down.js";
export { TOOL_LOOP_STATES, TRACE_KINDS, TRACE_STATUSES } from "./traces/trace.js";
export { promptText } from "./traces/trace-messages.js";
