import { beforeAll, describe, expect, it } from "vitest";
import { seededRandom } from "../../../src/foundation/random.js";
import { HOST_POLICIES, type HostOutcome, type HostPolicy, playHosts } from "../../conversations/hosts.js";
import { makeTraffic } from "../../conversations/traffic.js";

describe("Conversations at one model with several hosts", () => {
  const outcomes = new Map<HostPolicy, HostOutcome>();
  const of = (policy: HostPolicy) => outcomes.get(policy) as HostOutcome;

  beforeAll(async () => {
    const traffic = makeTraffic({ conversations: 40, random: seededRandom(2) }).filter(
      ({ hasTools }) => hasTools,
    );
    for (const policy of HOST_POLICIES)
      outcomes.set(policy, await playHosts(traffic, { policy, random: seededRandom(2) }));
  }, 60_000);

  it("cost less with their host and marks, and are solved where another model's reply fails", () => {
    expect(of("affinity_and_marks").cachedShare).toBeGreaterThan(of("nothing").cachedShare + 0.2);
    expect(of("affinity_and_marks").costUsd).toBeLessThan(of("before").costUsd);
    expect(of("nothing").solved).toBeLessThan(of("all").solved);
    expect(of("all").solved).toBe(of("all").conversations);
  });
});
