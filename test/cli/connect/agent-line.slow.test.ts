import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const SCRIPT = fileURLToPath(new URL("../../../dist/cli/connect/agent-line.js", import.meta.url));

it.each([
  ["a server that does not answer", ["http://127.0.0.1:1"], '{"session_id":"s-1"}'],
  ["a settings file that is gone", ["http://127.0.0.1:1", "/nowhere/settings.json"], '{"session_id":"s-1"}'],
  ["input that is no JSON", ["http://127.0.0.1:1"], ""],
])("prints nothing, and ends well, with %s", (_name, parameters, input) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [SCRIPT, ...parameters], {
    input,
    encoding: "utf8",
  });
  expect([status, stdout, stderr]).toEqual([0, "", ""]);
});
