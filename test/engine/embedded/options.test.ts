import { describe, expect, it } from "vitest";
import { type OpenRouterOptions, routerSettings } from "../../../src/engine/embedded/options.js";
import { SHIPPED_PROFILES } from "../../../src/engine/shipped.js";
import { SettingsError } from "../../../src/foundation/errors.js";
import { errorThrownBy } from "../../support/errors.js";

const refusal = (options: unknown): string =>
  errorThrownBy(() => routerSettings(options as OpenRouterOptions), SettingsError).message;

describe("The options of openRouter", () => {
  it("are those that are given, and the shipped set otherwise", () => {
    expect(routerSettings({})).toMatchObject({
      profiles: [SHIPPED_PROFILES],
      providers: [],
      dataDir: "data",
    });
    expect(routerSettings({ profiles: ["mine"], embedder: "theirs" })).toMatchObject({
      profiles: ["mine"],
      embedder: "theirs",
    });
  });

  it.each<[options: unknown, message: string]>([
    [{ profile: "a" }, "`profile` is not known here. Did you mean `profiles`?"],
    [{ dataDir: 5 }, "`dataDir` is 5: it must be a folder."],
    [{ profiles: "mine" }, '`profiles` is "mine": it must be a list of folders.'],
    [{ providers: [{ id: "a" }] }, "`providers[0].type` is missing: "],
    [{ deployments: [{ name: "a" }] }, "`deployments[0].provider` is missing: "],
    [null, "must be an object, such as `{ profiles: [folder] }`."],
    ["mine", "must be an object, such as `{ profiles: [folder] }`."],
  ])("are refused with the remedy when they are %j", (options, message) => {
    expect(refusal(options)).toContain(message);
  });

  it("are refused without what may be a secret of a provider", () => {
    const provider = { id: "a", type: "openai-compatible", keys: [{ headers: { "x-key": 5 } }], like: "" };
    expect(refusal({ providers: [provider] })).not.toContain("5");
  });
});
