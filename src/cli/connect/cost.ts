import { conversationCostSchema, loadSettings, readEnvironment } from "../../gateway/index.js";
import { command, JSON_OPTION, option, writeResult } from "../command.js";
import { serverAt } from "../server.js";
import { costLine } from "./cost-line.js";

/** `sextant cost`: what a conversation cost, on the line that agents show. */
export const costCommand = command("cost", {
  about: "print what a conversation cost, what routing saved, and why its last model was chosen",
  operands: [{ name: "<conversation>", about: "name of the conversation, or the id of an agent's session" }],
  options: {
    url: option(
      "<url>",
      "address of the server; default: SEXTANT_BASE_URL, or the server on this machine. SEXTANT_API_KEY must be a key of it",
    ),
    ...JSON_OPTION,
  },
  examples: ["sextant cost 7c1f6c1e-3a52-4a43-9c0f-1f6b3a1f2f10", "sextant cost nightly-report --json"],
  async run({ url, json }, context, conversation) {
    const { SEXTANT_BASE_URL, SEXTANT_API_KEY } = readEnvironment(context.environment, context);
    const { port } = loadSettings(context.environment, context);
    const address = url ?? SEXTANT_BASE_URL ?? `http://127.0.0.1:${port}`;
    const { ask } = serverAt(address, { apiKey: SEXTANT_API_KEY, context });
    const path = `/v1/conversations/${encodeURIComponent(conversation ?? "")}/cost`;
    const cost = conversationCostSchema.parse(await ask(path));
    await writeResult(cost, () => costLine(cost), { json, context });
  },
});
