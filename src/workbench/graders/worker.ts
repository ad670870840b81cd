/** The worker thread that matches answers with patterns and schemas of users, each within a time limit. */
import { serveThread } from "../../foundation/workers/thread-entry.js";
import { runWithin, TimeLimitError } from "../../foundation/workers/time-limit.js";
import { matchRegex } from "./match-regex.js";
import { schemaMatcher } from "./match-schema.js";
import type { MatchApi, MatchTask } from "./timed-match.js";

await serveThread<MatchApi>(() => {
  const matchSchema = schemaMatcher();
  const scoreOf = (task: MatchTask): number => (task.kind === "regex" ? matchRegex(task) : matchSchema(task));
  return {
    methods: {
      match: ({ task, limitMs }) => {
        let score = 0;
        try {
          runWithin(limitMs, () => {
            score = scoreOf(task);
          });
          return score;
        } catch (error) {
          if (error instanceof TimeLimitError)
            return `no verdict: matching the answer took longer than the time limit of ${limitMs / 1000} s`;
          return `no verdict: ${error instanceof Error ? error.message : error}`;
        }
      },
    },
  };
});
