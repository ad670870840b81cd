/** Every client reads what vendors of both dialects answer, whole and streamed, alike: the gateway writes what the clients' own decoders read. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { jsonReply, type Script, UpstreamServer } from "../../fakes/upstream-server.js";
import { folderForTests } from "../../support/folders.js";
import { stalledStream } from "../replies.js";
import { startWholeGateway, type WholeGateway } from "../whole-gateway.js";
import { READERS, type Reader, type Reading } from "./readers.js";
import { BIG_CALL, CUT, FORMS, type VendorForm } from "./vendor-forms.js";

const folder = folderForTests();
let upstream: UpstreamServer;
let gateway: WholeGateway;

beforeAll(async () => {
  upstream = await UpstreamServer.start();
  const models = [{ id: "one", price: { input_usd_per_mtok: 1, output_usd_per_mtok: 10 } }];
  const providers = [
    { id: "chat", type: "openai-compatible", base_url: `${upstream.origin}/v1`, models },
    { id: "messages", type: "anthropic", base_url: upstream.origin, models },
  ];
  writeFileSync(join(folder, "sextant.config.json"), JSON.stringify({ providers }));
  gateway = await startWholeGateway({ SEXTANT_CIRCUIT_FAILURES: "1000" }, { folder });
});
afterAll(async () => {
  await gateway.stop();
  await upstream.close();
});

const DIALECTS = ["chat", "messages"] as const;
type Dialect = (typeof DIALECTS)[number];
interface Ask {
  readonly dialect: Dialect;
  readonly streamed: boolean;
  readonly signal?: AbortSignal;
}
const read = (reader: Reader, { dialect, streamed, signal = new AbortController().signal }: Ask) =>
  reader.read({ address: gateway.address, model: `${dialect}/one`, streamed, signal });

/** The script of a form for what the gateway asks. */
const scriptOf =
  ({ streamed, whole }: VendorForm): Script =>
  (exchange) => {
    const isStreamed = JSON.parse(exchange.request.body).stream === true;
    return (isStreamed ? streamed : (whole ?? streamed))(exchange);
  };

/** What is expected of a client, without what it has no place for. */
const readable = ({ lacks = [] }: Reader, expected: Partial<Reading>) =>
  Object.fromEntries(Object.entries(expected).filter(([member]) => !lacks.includes(member as keyof Reading)));

async function expectRead(reader: Reader, form: VendorForm, { dialect }: Pick<Ask, "dialect">) {
  upstream.answer(scriptOf(form));
  for (const streamed of [true, false]) {
    if (!streamed && form.whole === undefined) continue;
    const got = await read(reader, { dialect, streamed });
    expect(got, `streamed: ${streamed}`).toMatchObject(readable(reader, form.read));
  }
}

describe.each(READERS)("$name", (reader) => {
  describe.each(DIALECTS)("at a vendor with the dialect of %s", (dialect) => {
    it.each(FORMS[dialect])("reads $name", (form) => expectRead(reader, form, { dialect }));

    it("gets the vendor's words and status of a refusal", async () => {
      const error = { type: "invalid_request_error", message: "Our safety system rejected it." };
      upstream.answer(jsonReply({ type: "error", error }, { status: 400 }));
      for (const streamed of [true, false]) {
        const thrown = await read(reader, { dialect, streamed }).catch((reason) => reason);
        expect(thrown.message).toContain(error.message);
        expect(thrown.status ?? thrown.statusCode).toBe(400);
      }
    });

    it("leaves, and the call of the vendor ends", async () => {
      for (const streamed of [true, false]) {
        const leaving = new AbortController();
        const left = new Promise<void>((resolve) => {
          upstream.answer(async (exchange) => {
            await stalledStream()(exchange);
            leaving.abort();
            await exchange.closed;
            resolve();
          });
        });
        await Promise.allSettled([left, read(reader, { dialect, streamed, signal: leaving.signal })]);
      }
    });
  });
});

// The Agents SDK throws where an answer was cut off.
it.each(READERS.filter(({ lacks = [] }) => !lacks.includes("end")))(
  "An answer that the vendor cut off for a reason of its own is cut off in $name",
  (reader) => expectRead(reader, CUT, { dialect: "chat" }),
);

describe.each(DIALECTS)(
  "A number that no double holds, in a call of a vendor with the dialect of %s,",
  (dialect) => {
    it.each(READERS.filter(({ keepsDigits }) => keepsDigits !== undefined))(
      "keeps its digits in $name",
      async (reader) => {
        const { whole: _, ...inStreams } = BIG_CALL[dialect];
        const form = reader.keepsDigits === "streamed" ? inStreams : BIG_CALL[dialect];
        await expectRead(reader, form, { dialect });
      },
    );
  },
);
