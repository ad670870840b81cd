import { describe, expect, it } from "vitest";
import { isAgentWork } from "../../../src/engine/estimation/agent-work.js";

describe("A task of an agent", () => {
  it.each([
    "You are an autonomous coding agent. Make the failing build pass.",
    "You have access to the following tools: bash, edit. Solve the task.",
    "Add a component to List.tsx that lists users. Follow the existing patterns in this codebase.",
    "Look at how sessions are stored in this codebase, then add passkeys.",
    "Rename `load` in src/server/index.ts of this repository and update its callers.",
    "Sorting is unstable\n\n### Steps to reproduce\nSort a frame with equal keys.",
    'lib/a.py of our repo fails:\nTraceback (most recent call last):\n  File "a.py", line 3, in <module>',
    `${"A long issue. ".repeat(500)}\nSee github.com/oak/ash/pull and /src/ash.py for the discussion.`,
  ])("is told by its marks: %j", (text) => {
    expect(isAgentWork(text)).toBe(true);
  });

  it.each([
    "Hello!",
    "Write a Python function that reverses a string and explain it.",
    "What is the difference between and/or gates?",
    "Write a project plan for a bakery with expected costs / benefits.",
    "How do I clone a git repository?",
    "Which algorithms are supported in /etc/shadow?",
    "Write a bash one-liner that deletes all .log files older than 7 days under /var/log",
    'What does this mean?\nTraceback (most recent call last):\n  File "a.py", line 3, in <module>',
    "Why does my loop never end? for (let i = 0; i < 3; i--) {}",
  ])("is not seen in %j", (text) => {
    expect(isAgentWork(text)).toBe(false);
  });
});
