/**
 * Every Python example of the documentation, run with the real packages, on upstreams that end a stream as OpenAI does: with a
 * chunk without choices. Where the packages cannot be installed, the requests that they sent before are sent again.
 *
 * `npx vitest run test/services/python-examples.test.ts -u` records the requests.
 */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { examplesIn } from "../docs/examples.js";
import {
  chatReply,
  chatStream,
  type Gateway,
  KEY,
  messageReply,
  startGateway,
} from "../e2e/clients/gateway.js";
import { newFolder, removeFolder } from "../e2e/server-process.js";
import { pythonWith } from "./python.js";
import { RecordingProxy, type SentRequest, send } from "./recording-proxy.js";

const execute = promisify(execFile);
/** The page about notebooks is one program: `python-notebook.test.ts` runs it. */
const examples = examplesIn("python").filter(({ page }) => page !== "docs/python.md");

/** What each example prints: the upstreams say "Hello!". */
const PRINTED: Readonly<Record<string, RegExp>> = {
  "docs/client.md, The same with other clients, python 1": /^\S+ \d\.\d+(e-\d+)?\n$/,
  "docs/client.md, The same with other clients, python 2": /^Hello!$/,
  "docs/messages.md, With Anthropic's SDKs, python 1": /^\S+ Hello!\n$/,
};

interface Recording {
  /** Of the example's code. */
  readonly sha256: string;
  readonly requests: readonly SentRequest[];
}

const RECORDINGS = new URL("python-requests.json", import.meta.url).pathname;
const sha256 = (code: string) => createHash("sha256").update(code).digest("hex");
const recorded: Record<string, Recording> = {};

const folder = newFolder();
const python = await pythonWith(["openai", "anthropic"], folder);
const way = python.interpreter === null ? `as recorded (${python.why})` : `with ${python.packages}`;

let gateway: Gateway;
let proxy: RecordingProxy;
beforeAll(async () => {
  gateway = await startGateway();
  proxy = await RecordingProxy.start(gateway.address);
  gateway.openai.answer((exchange) => {
    const { stream } = JSON.parse(exchange.request.body);
    const script = stream
      ? chatStream([{ role: "assistant", content: "" }, { content: "Hel" }, { content: "lo!" }])
      : chatReply({ content: "Hello!" });
    return script(exchange);
  });
  gateway.anthropic.answer(messageReply([{ type: "text", text: "Hello!" }]));
});
afterAll(async () => {
  proxy.close();
  await gateway.stop();
  removeFolder(folder);
});

/** The text of a reply, read as a program would that checks nothing. */
function textOf(reply: string): string {
  if (!reply.startsWith("data:")) {
    const body = JSON.parse(reply);
    return (body.choices?.[0].message ?? { content: body.content[0].text }).content;
  }
  const events = [...reply.matchAll(/^data: (\{.*)$/gm)].map(([, event = ""]) => JSON.parse(event));
  return events.map(({ choices }) => choices[0].delta.content ?? "").join("");
}

/** Runs the example. @returns what it printed */
async function run(interpreter: string, code: string): Promise<string> {
  const { stdout } = await execute(
    interpreter,
    ["-c", code.replaceAll("http://127.0.0.1:8080", proxy.origin)],
    {
      env: { PATH: process.env.PATH, SEXTANT_API_KEY: KEY },
    },
  );
  return stdout;
}

const readRecordings = (): Record<string, Recording> => JSON.parse(readFileSync(RECORDINGS, "utf8"));

describe("Python examples in the documentation", () => {
  it.each(examples.map(({ name, code }) => [name, code]))(`run ${way}: %s`, async (name, code) => {
    if (python.interpreter === null) {
      for (const request of readRecordings()[name]?.requests ?? []) await send(request, proxy.origin);
    } else {
      expect(PRINTED, "every example needs an entry in PRINTED").toHaveProperty([name]);
      expect(await run(python.interpreter, code)).toMatch(PRINTED[name] as RegExp);
    }
    const exchanges = proxy.take();
    expect(exchanges.map(({ status, reply }) => [status, textOf(reply)])).toEqual([[200, "Hello!"]]);
    recorded[name] = { sha256: sha256(code), requests: exchanges.map(({ request }) => request) };
  });

  it("send the recorded requests", async () => {
    if (python.interpreter === null) expect(recorded).toEqual(readRecordings());
    else await expect(`${JSON.stringify(recorded, null, 2)}\n`).toMatchFileSnapshot(RECORDINGS);
  });
});
