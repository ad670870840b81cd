/**
 * The packed package in an empty project, as a user installs it: production dependencies only, no install script, nothing but
 * the npm registry (or npm's cache).
 */
import { execFile } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";
import {
  installCommand,
  OPTIONAL_PACKAGES,
  TELEMETRY_PACKAGES,
} from "../../src/foundation/optional-package.js";
import { writeTinyTransformer } from "../engine/embedding/tiny-model.js";
import { folderForTest, folderForTests } from "../support/folders.js";
import { startServe } from "./server-process.js";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const folder = folderForTests();
const project = join(folder, "project");
const execute = promisify(execFile);

/** What npm tells the script that it runs would turn another npm to this repository; its settings stay. */
const FROM_NPM =
  /^(npm_(package|lifecycle)_.*|npm_command|npm_config_(local_prefix|onnxruntime.*)|INIT_CWD)$/;
const environment = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !FROM_NPM.test(name) && !name.startsWith("SEXTANT_")),
);

async function run(program: string, argv: readonly string[], cwd = project): Promise<string> {
  const { stdout } = await execute(program, argv, { cwd, env: environment, maxBuffer: 2 ** 26 });
  return stdout;
}

const runScript = (code: string) => run(process.execPath, ["--input-type=module", "-e", code]);

/** What is not packed, or is made by packing; and the results of benchmarks, which may be large. */
const NOT_COPIED = ["node_modules", "types", "test", ".git", "data", "datasets", "bench/results"].map(
  (path) => join(ROOT, path),
);

/** The repository as it is built, with what `npm ci` installed. */
function copyOfRepository(): string {
  const copy = join(folder, "repository");
  cpSync(ROOT, copy, { recursive: true, filter: (path) => !NOT_COPIED.includes(path) });
  symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"));
  return copy;
}

beforeAll(async () => {
  mkdirSync(project);
  writeFileSync(join(project, "package.json"), '{ "name": "mine", "version": "1.0.0", "private": true }\n');
  const repository = copyOfRepository();
  // What packing runs, but for the build, which has been made.
  const { prepack, postpack } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")).scripts;
  expect(prepack).toMatch(/^npm run build && /);
  const script = (command: string) =>
    run("sh", ["-c", `PATH="node_modules/.bin:$PATH"; ${command}`], repository);
  await script(prepack.replace("npm run build && ", ""));
  const pack = ["pack", "--json", "--ignore-scripts", "--pack-destination", folder];
  const packed = await run("npm", pack, repository);
  await script(postpack);
  const [before, after] = [ROOT, repository].map((path) => readFileSync(join(path, "package.json"), "utf8"));
  expect(after).toBe(before);
  const [{ filename }] = JSON.parse(packed);
  const options = ["--omit=dev", "--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund"];
  await run("npm", ["install", join(folder, filename), ...options]);
}, 1_800_000);

describe("The package, packed and installed in an empty project,", () => {
  it("installs neither packages of optional embedders nor any with an install script", () => {
    // prom-client depends on the API of OpenTelemetry, which is small and does nothing by itself.
    const optional = Object.keys(OPTIONAL_PACKAGES).filter((name) => name !== "@opentelemetry/api");
    for (const name of optional) expect(existsSync(join(project, "node_modules", name)), name).toBe(false);
    const { packages } = JSON.parse(readFileSync(join(project, "node_modules/.package-lock.json"), "utf8"));
    const installed = Object.entries(packages as Record<string, { hasInstallScript?: boolean }>);
    expect(installed.length).toBeGreaterThan(50);
    expect(installed.filter(([, { hasInstallScript }]) => hasInstallScript === true)).toEqual([]);
  });

  it("declares nothing of the repository: no scripts, no packages for development", () => {
    const path = join(project, "node_modules/sextant/package.json");
    const manifest = JSON.parse(readFileSync(path, "utf8"));
    expect(Object.keys(manifest)).toEqual(expect.arrayContaining(["name", "bin", "exports", "dependencies"]));
    for (const field of ["scripts", "allowScripts", "devDependencies", "overrides"])
      expect(manifest).not.toHaveProperty(field);
  });

  it("contains every page that its README and its help name", async () => {
    const home = join(project, "node_modules/sextant");
    const readme = readFileSync(join(home, "README.md"), "utf8");
    const links = [...readme.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, path = ""]) => path);
    expect(links.length).toBeGreaterThan(20);
    const main = join(home, "dist/cli/main.js");
    const help = async (...command: readonly string[]): Promise<string> => {
      const text = await run(process.execPath, [main, ...command, "--help"]);
      const [, commands = ""] = text.split("\nCommands:\n");
      const names = [...commands.matchAll(/^ {2}([a-z][a-z-]*) /gm)].map(([, name = ""]) => name);
      const inner = names.filter((name) => name !== "help").map((name) => help(...command, name));
      return [text, ...(await Promise.all(inner))].join("\n");
    };
    const named = (await help()).match(/docs\/[\w-]+\.md/g) ?? [];
    expect(new Set(named).size).toBeGreaterThan(2);
    expect([...new Set([...links, ...named])].filter((path) => !existsSync(join(home, path)))).toEqual([]);
  });

  it("routes a prompt embedded", async () => {
    const printed = await runScript(`
      import { openRouter } from "sextant";
      const router = await openRouter();
      const decision = await router.route("What is 2 + 2?", { costWeight: 0.3 });
      console.log(JSON.stringify(decision));
      await router.close();`);
    const decision = JSON.parse(printed);
    expect(decision.candidates.length).toBeGreaterThan(1);
    expect(decision.candidates.map(({ model }: { model: string }) => model)).toContain(
      decision.selectedModel,
    );
  });

  it("declares the types of its exports", async () => {
    const source = join(project, "types.mts");
    writeFileSync(
      source,
      `import { type Decision, openRouter } from "sextant";
      import { Sextant } from "sextant/client";
      import { type CollectReport, collect, customGrader, exactGrader } from "sextant/workbench";
      const decision: Decision = await (await openRouter()).route("Hello", { costWeight: 0.3 });
      export const selected: string = decision.selectedModel;
      // @ts-expect-error: the weight is a number
      export const refused = (await openRouter()).route("Hello", { costWeight: "low" });
      export const client: Sextant = new Sextant();
      const wish = { prompts: [{ id: "a", prompt: "b", reference: "c" }], models: ["d"], folder: "e" };
      export const report: Promise<CollectReport> = collect({ ...wish, grader: exactGrader() });
      export const grader = customGrader("mine", async ({ answer }) => answer.length / 10);
      // @ts-expect-error: a collection has a grader
      export const ungraded = collect(wish);`,
    );
    const options = ["--noEmit", "--strict", "--ignoreConfig", "--module", "nodenext", "--target", "es2023"];
    await run(process.execPath, [join(ROOT, "node_modules/@typescript/native/bin/tsc"), ...options, source]);
  });

  it("has a client library and a command line", async () => {
    expect(await runScript('import * as it from "sextant/client"; console.log(typeof it.Sextant)')).toBe(
      "function\n",
    );
    const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
    expect(await run("npx", ["sextant", "--version"])).toBe(`${version}\n`);
    expect(JSON.parse(await run("npx", ["sextant", "route", "Hello", "--json"]))).toHaveProperty("routing");
  });

  it("serves without the packages for spans although an endpoint is set, and logs how to install them", async () => {
    const server = await startServe(
      project,
      { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4318" },
      { main: join(project, "node_modules/sextant/dist/cli/main.js") },
    );
    expect((await fetch(`${server.address}/readyz`)).status).toBe(200);
    expect(await server.stop()).toBe(0);
    expect(server.stderr()).toContain(`${installCommand(...TELEMETRY_PACKAGES)}`);
  });

  it("says which package a transformer needs and how to install it", async () => {
    const name = "@huggingface/transformers";
    const embedder = await writeTinyTransformer(folderForTest());
    const opened = execute("npx", ["sextant", "route", "Hello"], {
      cwd: project,
      env: { ...environment, SEXTANT_EMBEDDER: embedder },
    });
    const { stderr, code } = await opened.then(
      () => ({ stderr: "it was opened", code: 0 }),
      (error) => error,
    );
    expect(code).toBe(1);
    expect(stderr).toContain(`needs the package ${name}, which is not installed`);
    expect(stderr).toContain(`npm install ${name}@${OPTIONAL_PACKAGES[name]}`);
    expect(stderr).not.toContain("    at ");
  });
});
