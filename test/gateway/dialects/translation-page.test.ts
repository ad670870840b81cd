/** docs/translation.md names what only a provider with the request's own API can serve. */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { chatBodyFromResponses } from "../../../src/gateway/dialects/responses/request.js";
import { translated } from "./messages/messages-for-test.js";

const rows = readFileSync(new URL("../../../docs/translation.md", import.meta.url), "utf8")
  .split("\n")
  .filter((line) => line.includes("needs the API"));
const ofApi = (api: string): string => rows.filter((row) => row.startsWith(`| ${api} |`)).join("\n");

it.each([
  ["container", "c_1"],
  ["mcp_servers", [{ type: "url", url: "https://mcp.example" }]],
  ["inference_geo", "eu"],
  ["thread", true],
  ["context_management", { edits: [{ type: "compact_20260112" }] }],
  ["max_tokens", 0],
])("The table of untranslatable features lists Messages' %s", (field, value) => {
  expect(translated({ [field]: value }).onlyNative?.param.split(/[.[]/)[0]).toBe(field);
  expect(ofApi("Messages")).toContain(`\`${field}`);
});

it.each([
  ["store", true],
  ["background", true],
  ["previous_response_id", "resp_1"],
  ["conversation", "conv_1"],
  ["prompt", { id: "p_1" }],
])("The table of untranslatable features lists Responses' %s", (field, value) => {
  expect(chatBodyFromResponses({ input: "Hi", [field]: value }).onlyNative?.param).toBe(field);
  expect(ofApi("Responses")).toContain(`\`${field}`);
});

it.each([
  ...["web_search", "file_search", "code_interpreter", "mcp"].map((type) => ["Responses", type, type]),
  ...["web_search", "code_execution", "bash", "computer"].map((name) => ["Messages", name, `${name}_…`]),
])("The table of untranslatable features lists the tool of %s %s", (api, name, listed) => {
  const { onlyNative } =
    api === "Responses"
      ? chatBodyFromResponses({ input: "Hi", tools: [{ type: name }] })
      : translated({ tools: [{ type: `${name}_20250305`, name }] });
  expect(onlyNative?.param).toBe("tools[0].type");
  expect(ofApi(api ?? "")).toContain(`\`${listed}\``);
});
