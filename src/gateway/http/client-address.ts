import { BlockList, isIP } from "node:net";
import type { FastifyRequest } from "fastify";

/** Groups of 16 bits of an address of IPv6, and how many of them name a network that one customer has (RFC 6177). */
const GROUPS = 8;
const NETWORK_GROUPS = 4;
/** `::ffff:a.b.c.d`, an address of IPv4 on a socket of IPv6. */
const MAPPED = "0:0:0:0:0:ffff";

/** Whose request it is, as far as addresses tell. */
export type ClientOf = (request: Pick<FastifyRequest, "socket" | "headers">) => string;

/**
 * Names the client of a request by its address: an address of IPv4, or the /64 network of one of IPv6, for a customer has at least as
 * many. Behind trusted proxies it is the last address of `X-Forwarded-For` that is no such proxy's, without the port that some write
 * (Azure's Application Gateway); where the header has something else than an address there, it is the proxy that passed it on.
 *
 * @param trustedProxies addresses and ranges, such as `10.0.0.0/8`
 */
export function clientOf(trustedProxies: readonly string[] = []): ClientOf {
  const trusted = blockList(trustedProxies);
  return ({ socket, headers }) => {
    const named = [headers["x-forwarded-for"] ?? []].flat().join(",").split(",").reverse();
    let client = addressIn(socket.remoteAddress ?? "");
    for (const text of named) {
      const next = addressIn(text);
      if (client === undefined || next === undefined || !isTrusted(trusted, client)) break;
      client = next;
    }
    return client === undefined ? "unknown" : network(client);
  };
}

function blockList(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [text = "", bits] = range.split("/");
    const address = addressIn(text);
    if (address === undefined) continue;
    const mapped = isIP(address) === 4 && isIP(text) === 6 ? 96 : 0;
    list.addSubnet(address, Number(bits ?? (isIP(text) === 4 ? 32 : 128)) - mapped, familyOf(address));
  }
  return list;
}

const isTrusted = (trusted: BlockList, address: string): boolean => trusted.check(address, familyOf(address));

const familyOf = (address: string): "ipv4" | "ipv6" => (isIP(address) === 4 ? "ipv4" : "ipv6");

/** The address in a text such as `192.0.2.1:4711`, `[2001:db8::1]:4711` or `fe80::1%eth0`; undefined without one. IPv6 with all groups. */
function addressIn(text: string): string | undefined {
  const [, bracketed, dotted] =
    /^(?:\[([^\]]*)\](?::\d{1,5})?|(\d+\.\d+\.\d+\.\d+):\d{1,5})$/.exec(text.trim()) ?? [];
  const [address = ""] = (bracketed ?? dotted ?? text.trim()).split("%");
  const version = isIP(address);
  if (version === 4) return address;
  if (version !== 6) return undefined;
  const groups = groupsOf(address);
  if (!groups.join(":").startsWith(`${MAPPED}:`)) return groups.join(":");
  return groups
    .slice(-2)
    .map((group) => Number.parseInt(group, 16))
    .flatMap((group) => [group >> 8, group & 0xff])
    .join(".");
}

/** All groups, in hexadecimal digits without leading zeros. */
function groupsOf(address: string): readonly string[] {
  const [head = "", tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split("::");
  const [before, after] = [head, tail ?? ""].map((part) => (part === "" ? [] : part.split(":"))) as [
    string[],
    string[],
  ];
  const zeros = new Array<string>(GROUPS - before.length - after.length).fill("0");
  return [...before, ...zeros, ...after];
}

/** @param address with all groups when it is one of IPv6 */
const network = (address: string): string =>
  isIP(address) === 4 ? address : `${address.split(":").slice(0, NETWORK_GROUPS).join(":")}::/64`;
