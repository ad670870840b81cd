import { expect, it } from "vitest";
import { runCli } from "../../src/cli/program.js";
import { SextantError } from "../../src/foundation/errors.js";
import { cliRun } from "../fakes/cli-context.js";
import { folderForTest } from "../support/folders.js";

it("Errors on the command line name commands, and no endpoints or fields of HTTP", async () => {
  const messages = [
    "`models` names x. The list of models (GET /v1/models, `sextant models`) has those that can be used.",
    "Choose profiled models (`available_profiles` over HTTP, `sextant models` on the command line), or build.",
  ];
  for (const message of messages) {
    const cli = cliRun({ workingDirectory: folderForTest() });
    const openRouter = () => Promise.reject(new SextantError("invalid_request", message));
    expect(await runCli(["route", "hello"], { ...cli.context, openRouter })).toBe(1);
    expect(cli.stderr()).toContain("(`sextant models`)");
    expect(cli.stderr()).not.toMatch(/HTTP|GET|available_profiles/);
  }
});
