import { isIP } from "node:net";
import type { FastifyRequest } from "fastify";
import ipaddr from "ipaddr.js";

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** Groups of 16 bits of an address of IPv6 that name a network that one customer has (RFC 6177). */
const NETWORK_GROUPS = 4;

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
  const trusted = trustedProxies.map(rangeOf);
  const isTrusted = (address: Address) =>
    trusted.some(([range, bits]) => range.kind() === address.kind() && address.match([range, bits] as never));
  return ({ socket, headers }) => {
    const named = [headers["x-forwarded-for"] ?? []].flat().join(",").split(",").reverse();
    let client = addressIn(socket.remoteAddress ?? "");
    for (const text of named) {
      const next = addressIn(text);
      if (client === undefined || next === undefined || !isTrusted(client)) break;
      client = next;
    }
    return client === undefined ? "unknown" : networkOf(client);
  };
}

/** One of IPv4 addresses that are written as addresses of IPv6 is of IPv4. */
function rangeOf(text: string): readonly [Address, number] {
  const [range, bits] = ipaddr.parseCIDR(
    text.includes("/") ? text : `${text}/${isIP(text) === 4 ? 32 : 128}`,
  );
  return range instanceof ipaddr.IPv6 && range.isIPv4MappedAddress() && bits >= 96
    ? [range.toIPv4Address(), bits - 96]
    : [range, bits];
}

/** The address in a text such as `192.0.2.1:4711`, `[2001:db8::1]:4711` or `fe80::1%eth0`; undefined without one. */
function addressIn(text: string): Address | undefined {
  const [, bracketed, dotted] =
    /^(?:\[([^\]]*)\](?::\d{1,5})?|(\d+\.\d+\.\d+\.\d+):\d{1,5})$/.exec(text.trim()) ?? [];
  const [address = ""] = (bracketed ?? dotted ?? text.trim()).split("%");
  return isIP(address) === 0 ? undefined : ipaddr.process(address);
}

const networkOf = (address: Address): string =>
  address.kind() === "ipv4"
    ? address.toString()
    : `${address.toNormalizedString().split(":").slice(0, NETWORK_GROUPS).join(":")}::/64`;
