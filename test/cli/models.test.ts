import { beforeEach, describe, expect, it } from "vitest";
import { runCli } from "../../src/cli/program.js";
import { cliRun } from "../fakes/cli-context.js";
import { FakeRouter } from "../fakes/router.js";
import { folderForTest } from "../support/folders.js";

let folder = "";
beforeEach(() => {
  folder = folderForTest();
});

const NOVEMBER = Date.UTC(2026, 10, 22);
const CONFIGURED = { OPENAI_API_KEY: "k" };

class DominatedRouter extends FakeRouter {
  override dominatedEfforts() {
    return new Map([["gpt-5.4:xhigh", "gpt-5.4:high"]]);
  }
}

async function run(
  line: string,
  environment: Record<string, string> = {},
  { Fake = FakeRouter }: { readonly Fake?: typeof FakeRouter } = {},
) {
  const models = ["gpt-5.4", "gpt-5.4:xhigh", "o1-preview", "athene-70b", "somebody-elses"];
  const router = new Fake(models.map((model) => ({ model, provider: null, quality: 0.5, costUsd: null })));
  const cli = cliRun({ workingDirectory: folder, router, environment, nowMs: NOVEMBER });
  const code = await runCli(`models ${line}`.trim().split(" "), cli.context);
  return { code, stdout: cli.stdout(), stderr: cli.stderr() };
}

type Row = { readonly id: string; readonly [field: string]: unknown };

async function rows(...given: Parameters<typeof run>): Promise<ReadonlyMap<string, Row>> {
  const [line, ...others] = given;
  const { stdout } = await run(`${line} --json`.trim(), ...others);
  const parsed: Row[] = stdout
    .trim()
    .split("\n")
    .map((row) => JSON.parse(row));
  return new Map(parsed.map((row) => [row.id, row]));
}

describe("sextant models", () => {
  it("shows for every model its providers, its cost, and whether routing can choose it or why not", async () => {
    const all = await rows("", CONFIGURED);
    const providers = [
      { id: "openai", configured: true },
      { id: "openrouter", configured: false },
    ];
    const price = { input_usd_per_mtok: 2.5, output_usd_per_mtok: 15 };
    const facts = { maker: "openai", released: "2026-03-05", context_tokens: 1_050_000, providers, price };
    const efforts = ["low", "medium", "high", "xhigh"];
    const chosen = { live: true, routable: true, why_not: null };
    expect(all.get("gpt-5.4")).toMatchObject({ ...facts, efforts, ...chosen });
    expect(all.get("gpt-5.4:xhigh")).toMatchObject({ routable: true, efforts: [] });
    const retired = { live: false, retirement: "2025-07-28", why_not: "retired" };
    expect(all.get("o1-preview")).toMatchObject(retired);
    expect(all.get("athene-70b")?.why_not).toBe("no provider is known to serve it");
    expect(all.get("gpt-4.1")).toMatchObject({ retirement: "2027-01-14", why_not: "no profile" });
    expect(all.get("somebody-elses")?.why_not).toBe("no configured provider serves it");
  });

  it("names the efforts that are never chosen, and what is chosen instead", async () => {
    const all = await rows("", {}, { Fake: DominatedRouter });
    expect(all.get("gpt-5.4")?.dominated_efforts).toEqual({ xhigh: "gpt-5.4:high" });
    expect(all.get("gpt-5.4:xhigh")).toMatchObject({
      routable: false,
      why_not: "gpt-5.4:high is no worse and costs no more",
    });
    const table = await run("--provider openai", {}, { Fake: DominatedRouter });
    expect(table.stdout).toMatch(/^gpt-5\.4 .* low medium high \(xhigh\) /m);
  });

  it("without a provider reports that every served model with a profile can be chosen", async () => {
    const choosable = [...(await rows("")).values()].filter(({ routable }) => routable);
    expect(choosable.map(({ id }) => id)).toEqual(["gpt-5.4", "gpt-5.4:xhigh", "somebody-elses"]);
  });

  it("lists only the callable models, or those of one provider, by any of its names", async () => {
    expect([...(await rows("--live")).values()].every(({ live }) => live === true)).toBe(true);
    const ofGoogle = await rows("--provider gemini");
    expect([ofGoogle.has("gemini-3-flash"), ofGoogle.has("gpt-5.4")]).toEqual([true, false]);
  });

  it("prints a table with configured providers marked", async () => {
    const { stdout } = await run("--provider openai", CONFIGURED);
    expect(stdout).toMatch(
      /^gpt-5\.4 +openai +2026-03-05 +– +openai\* openrouter +1050000 +2\.5 +15 .* yes$/m,
    );
    expect(stdout).toMatch(/\n\d+ models, 2 of which can be chosen\.\n/);
    expect(stdout).toMatch(
      /\nThe profiles know 5 models and efforts: \d are served today, 2 of them by the configured /,
    );
  });

  it("names the providers when there is none of the given name", async () => {
    const { code, stderr } = await run("--provider nobody");
    expect(code).toBe(2);
    expect(stderr).toContain('--provider is "nobody": there are openai, anthropic');
  });
});
