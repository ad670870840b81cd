/** What SECURITY.md says of what an install runs and reaches. */
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { KEY } from "../gateway/server.js";
import { folderForTest } from "../support/folders.js";
import { startServe } from "./server-process.js";
import { callerOf } from "./whole-gateway.js";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const [, section = ""] = readFileSync(join(ROOT, "SECURITY.md"), "utf8").split(
  "## What an install runs and reaches\n",
);
const rows = (section.split("\n## ")[0] ?? "")
  .split("\n")
  .filter((line) => line.startsWith("| "))
  .map((line) => line.split(" | ").map((cell) => cell.replace(/^\| | \|$/g, "")));
const rowOf = (when: string) => rows.find(([first]) => first?.startsWith(when)) ?? [];

interface LockedPackage {
  readonly dev?: boolean;
  readonly hasInstallScript?: boolean;
  readonly cpu?: readonly string[];
}
const packages = Object.entries(
  JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8")).packages as Record<string, LockedPackage>,
).map(([path, locked]) => ({ name: path.replace(/^.*node_modules\//, ""), ...locked }));
const namesOf = (wanted: (locked: LockedPackage) => boolean) =>
  [...new Set(packages.filter((one) => one.name !== "" && wanted(one)).map(({ name }) => name))].sort();
const packagesIn = (text: string) =>
  [...text.matchAll(/`((?:@[\w-]+\/)?[a-z][\w-]*)`/g)].map(([, name]) => name);

describe("What is installed", () => {
  it("has the install scripts that the table names", () => {
    expect(namesOf(({ dev, hasInstallScript }) => dev !== true && hasInstallScript === true)).toEqual([]);
    expect(rowOf("`npm install sextant`")[1]).toContain("no install script");
    const inCheckout = namesOf(({ hasInstallScript }) => hasInstallScript === true);
    expect(inCheckout).not.toEqual([]);
    expect(packagesIn(rowOf("`npm ci`")[1] ?? "")).toEqual([...inCheckout, "prepare"]);
  });

  it("has the native code that the table names", () => {
    const native = namesOf(({ dev, cpu }) => dev !== true && cpu !== undefined);
    const named = packagesIn(rowOf("`npm install sextant`")[1] ?? "");
    const isNamed = (native: string) =>
      named.some(
        (name) => native === name || native.startsWith(`${name}-`) || native.startsWith(`@${name}/`),
      );
    expect(native.length).toBeGreaterThan(4);
    expect(native.filter((name) => !isNamed(name))).toEqual([]);
  });
});

/** Writes down each name that is looked up, and each host that is connected to. */
const RECORDER = `
import dns from "node:dns";
import { appendFileSync } from "node:fs";
import net from "node:net";
import dgram from "node:dgram";
const note = (what) => appendFileSync(process.env.REACHED_HOSTS, what + "\\n");
const { connect } = net.Socket.prototype;
net.Socket.prototype.connect = function (...given) {
  const [options] = Array.isArray(given[0]) ? given[0] : given;
  // A path is a socket of this machine.
  if (options?.path === undefined) note(options?.host ?? "localhost");
  return connect.apply(this, given);
};
const { lookup } = dns;
// A server that listens looks its own address up.
dns.lookup = (name, ...others) => { if (net.isIP(name) === 0) note(name); return lookup(name, ...others); };
const { send } = dgram.Socket.prototype;
dgram.Socket.prototype.send = function (...given) { note("udp"); return send.apply(this, given); };
`;

/** A server and the hosts that it reaches from its start on. */
async function startRecorded(environment: Readonly<Record<string, string>>) {
  const folder = folderForTest();
  const [recorder, reached] = [join(folder, "recorder.mjs"), join(folder, "reached.txt")];
  writeFileSync(recorder, RECORDER);
  writeFileSync(reached, "");
  const server = await startServe(folder, {
    NODE_OPTIONS: `--import ${recorder}`,
    REACHED_HOSTS: reached,
    SEXTANT_BOOTSTRAP_API_KEY: KEY,
    ...environment,
  });
  return { server, hosts: () => readFileSync(reached, "utf8").split("\n").filter(Boolean) };
}

describe("A server that starts", () => {
  it("reaches no host without a provider's key, nor does a decision", async () => {
    expect(rowOf("start, as shipped")[2]).toBe("no host");
    const { server, hosts } = await startRecorded({});
    const body = { messages: [{ role: "user", content: "Why?" }], execute: false };
    expect((await callerOf(server.address)("/v1/router", { body })).status).toBe(200);
    expect(hosts()).toEqual([]);
    await server.stop();
  });

  it("is seen to reach a server of one's own for its models", async () => {
    const models = createServer((_, response) => response.end('{"data": []}'));
    await new Promise<void>((resolve) => models.listen(0, "127.0.0.1", resolve));
    const { port } = models.address() as AddressInfo;
    const { server, hosts } = await startRecorded({ OLLAMA_HOST: `127.0.0.1:${port}` });
    expect(hosts()).toContain("127.0.0.1");
    models.close();
    await server.stop();
  });
});
