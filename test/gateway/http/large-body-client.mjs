/**
 * A client in a process of its own, because one that shares the server's thread never sends while the server answers.
 * Prints the code of the error that each way of sending gets for each size: `fetch` whole, `fetch` in pieces, OpenAI's SDK.
 */
import OpenAI from "openai";

const [, , url, key, ...sizes] = process.argv;
const client = new OpenAI({ apiKey: key, baseURL: `${url}/v1`, maxRetries: 0 });

function pieces(text) {
  const bytes = new TextEncoder().encode(text);
  let sent = 0;
  return new ReadableStream({
    pull(controller) {
      controller.enqueue(bytes.subarray(sent, sent + 65_536));
      sent += 65_536;
      if (sent >= bytes.length) controller.close();
    },
  });
}

async function post(body) {
  const headers = { "content-type": "application/json", "x-api-key": key };
  const reply = await fetch(`${url}/v1/chat/completions`, { method: "POST", headers, body, duplex: "half" });
  return (await reply.json()).error.code;
}

const WAYS = [
  (body) => post(JSON.stringify(body)),
  (body) => post(pieces(JSON.stringify(body))),
  (body) => client.chat.completions.create(body).catch((error) => error.code ?? error.cause?.cause?.code),
];

const codes = [];
for (const size of sizes) {
  for (const way of WAYS) {
    const body = { model: "gpt-4o-mini", messages: [{ role: "user", content: "x".repeat(Number(size)) }] };
    codes.push(await way(body).catch((error) => error.cause?.code ?? error.message));
  }
}
process.stdout.write(JSON.stringify(codes));
