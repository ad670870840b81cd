import { describe, expect, it } from "vitest";
import { parseChaosOptions } from "../../chaos/options.js";

describe("The options of the chaos suite", () => {
  it("have a gateway with two workers as their default", () => {
    expect(parseChaosOptions([])).toMatchObject({
      topology: { kind: "workers", count: 2 },
      ...{ requests: 1_000_000, killEveryS: 60, faultShare: 0.3, minutes: undefined },
    });
  });

  it("name the servers that several gateways share", () => {
    const args = ["--gateways", "2", "--redis", "redis://r", "--clickhouse", "http://c"];
    expect(parseChaosOptions(args).topology).toEqual({
      ...{ kind: "gateways", count: 2, redisUrl: "redis://r", clickhouseUrl: "http://c" },
    });
  });

  it.each([
    [
      ["--gateways", "2"],
      "--gateways 2: gateways share limits and traces by --redis <url> and --clickhouse <url>",
    ],
    [["--redis", "redis://r"], "--redis and --clickhouse are for several gateways"],
    [
      ["--gateways", "2", "--workers", "2", "--redis", "r", "--clickhouse", "c"],
      "--workers 2 and --gateways 2: give one of the two",
    ],
    [["--faults", "2"], "--faults 2: it must be a number from 0 to 1"],
    [["--workers", "1"], "--workers 1: it must be a whole number from 2 on"],
  ])("are refused with the flag and the remedy: %s", (args, message) => {
    expect(() => parseChaosOptions(args)).toThrow(message);
  });
});
