import { describe, expect, it } from "vitest";
import { completionsPlan } from "../../../../src/gateway/inference/planning/native-plan.js";
import { deploymentOf } from "../../../fakes/deployments.js";

const NEED = { param: "echo", what: "the prompt before the answer" };
const chat = deploymentOf("openai", "both");
const text = deploymentOf("lab", "both", { api: "completions" });

describe("The plan for features that only models with `api: completions` have", () => {
  it("has the deployments with that API", () => {
    const plan = [
      { name: "chats", deployments: [deploymentOf("openai", "chats")] },
      { name: "both", deployments: [chat, text] },
    ];
    expect(completionsPlan(plan, NEED)).toEqual([{ name: "both", deployments: [text] }]);
  });

  it("is refused when there are none, with the field and the remedy", () => {
    const plan = [{ name: "chats", deployments: [chat] }];
    expect(() => completionsPlan(plan, NEED)).toThrow(
      expect.objectContaining({ code: "invalid_request", param: "echo" }),
    );
    expect(() => completionsPlan(plan, NEED)).toThrow(
      /"chats" can only chat\. Leave it out, name such a model/,
    );
  });

  it("keeps all deployments when no such feature is needed", () => {
    const plan = [{ name: "chats", deployments: [chat] }];
    expect(completionsPlan(plan, undefined)).toBe(plan);
  });
});
