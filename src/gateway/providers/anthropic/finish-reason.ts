const FINISH_REASONS: ReadonlyMap<unknown, string> = new Map([
  ["end_turn", "stop"],
  ["stop_sequence", "stop"],
  ["max_tokens", "length"],
  ["model_context_window_exceeded", "length"],
  // Anthropic's own tools took too long: the answer is not whole. Sent back as it is, it would be continued.
  ["pause_turn", "length"],
  ["tool_use", "tool_calls"],
  ["refusal", "content_filter"],
]);

/** Maps a `stop_reason` to OpenAI's finish reason; `stop` for unknown ones. */
export function toFinishReason(stopReason: unknown): string {
  return FINISH_REASONS.get(stopReason) ?? "stop";
}
