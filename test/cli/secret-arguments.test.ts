import type { Command } from "commander";
import { describe, expect, it } from "vitest";
import { createProgram, runCli } from "../../src/cli/program.js";
import { secretWarning } from "../../src/cli/secret-arguments.js";
import { cliRun } from "../fakes/cli-context.js";

const KEY = `pk_live_${"a1".repeat(20)}`;

const allOf = (command: Command): readonly Command[] => [
  command,
  ...command.commands.flatMap((one) => allOf(one as Command)),
];

describe("Secrets", () => {
  it("are no argument or option of any command", async () => {
    const program = await createProgram(cliRun({ workingDirectory: "." }).context);
    const taken = allOf(program).flatMap((command) => [
      ...command.options.map(({ flags, description }) => `${flags} ${description}`),
      ...command.registeredArguments.map((argument) => `${argument.name()} ${argument.description}`),
    ]);
    expect(taken.length).toBeGreaterThan(80);
    // Ids of keys, counts of tokens and names of variables are none.
    const isSecret = (text: string) =>
      /secret|password|credential|api[- ]key|bearer/i.test(text) &&
      !/\bid\b|api_key_env|made for/i.test(text);
    expect(taken.filter(isSecret)).toEqual([]);
  });

  it.each([
    ["a key of the gateway", ["keys", "revoke", KEY]],
    ["a key of a provider, with its name", ["serve", `OPENAI_API_KEY=sk-proj-${"b".repeat(40)}`]],
    ["a header", ["run", "--", "curl", "-H", `authorization:Bearer sk-${"c".repeat(30)}`]],
    ["an address with a password", ["traces", "search", "--url", "https://ada:secret@gateway.example"]],
  ])("given all the same are warned of, without being repeated: %s", (_, argv) => {
    const warning = secretWarning(argv);
    expect(warning).toMatch(/^argument \d looks like a key/);
    for (const argument of argv.slice(1)) expect(warning).not.toContain(argument);
  });

  it.each([
    "pk_live_a1b2",
    "key_01KAFC0S3VZ7TJD8M0HRB1PGCE",
    "Why is sk-learn slow: https://example.com/a:b@c?",
    "http://127.0.0.1:8080",
  ])("are not seen in %j", (argument) => {
    expect(secretWarning(["route", argument])).toBeUndefined();
  });

  it("lead to a line on standard error", async () => {
    const run = cliRun({ workingDirectory: "." });
    await runCli(["--version", KEY], run.context);
    expect(run.stderr()).toContain("argument 2 looks like a key");
    expect(run.stderr()).not.toContain(KEY);
  });
});
