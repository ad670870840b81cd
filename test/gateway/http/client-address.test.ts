import { describe, expect, it } from "vitest";
import { clientOf } from "../../../src/gateway/http/client-address.js";

const client = (remoteAddress: string | undefined, forwarded?: string, trusted: readonly string[] = []) =>
  clientOf(trusted)({
    socket: { remoteAddress } as never,
    headers: forwarded === undefined ? {} : { "x-forwarded-for": forwarded },
  });

describe("The client of a request is", () => {
  it.each([
    ["192.0.2.1", "192.0.2.1"],
    ["::ffff:192.0.2.1", "192.0.2.1"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:DB8::1", "2001:db8:0:0::/64"],
    ["::1", "0:0:0:0::/64"],
    ["fe80::1%eth0", "fe80:0:0:0::/64"],
    ["64:ff9b::192.0.2.1", "64:ff9b:0:0::/64"],
  ])("the sender %s as %s", (remoteAddress, expected) => {
    expect(client(remoteAddress)).toBe(expected);
    expect(client(remoteAddress, "203.0.113.1")).toBe(expected);
  });

  it.each([
    ["10.0.0.1", ["10.0.0.0/8"], "203.0.113.1, 198.51.100.7", "198.51.100.7"],
    ["10.0.0.1", ["10.0.0.1"], "203.0.113.1, 10.0.0.2", "10.0.0.2"],
    ["::ffff:10.0.0.1", ["10.0.0.0/8"], "203.0.113.1,10.0.0.2", "203.0.113.1"],
    ["10.0.0.1", ["::ffff:10.0.0.0/104"], "203.0.113.1", "203.0.113.1"],
    ["10.0.0.1", ["::ffff:10.0.0.0/8"], "203.0.113.1", "10.0.0.1"],
    ["fd00::1", ["fd00::/8"], "[2001:db8::1]:443", "2001:db8:0:0::/64"],
    ["fd00::1", ["fd00::1"], " 203.0.113.1:80 ", "203.0.113.1"],
    ["10.0.0.1", ["10.0.0.0/8"], "203.0.113.1, 10.0.0.2:999999", "10.0.0.1"],
    ["10.0.0.1", ["10.0.0.0/8"], "", "10.0.0.1"],
    ["10.0.0.1", ["10.0.0.0/8"], "10.0.0.3, 10.0.0.2", "10.0.0.3"],
    ["10.0.0.1", ["10.0.0.0/8"], "203.0.113.1, <script>", "10.0.0.1"],
  ])("with the sender %s, trusting %j, that %j names: %s", (sender, trusted, forwarded, expected) => {
    expect(client(sender, forwarded, trusted)).toBe(expected);
  });

  it("unknown where the connection is gone", () => expect(client(undefined)).toBe("unknown"));
});
