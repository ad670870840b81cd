/**
 * The packed packages, each in an empty project, as a user installs them: production dependencies only, no install script,
 * nothing but the npm registry (or npm's cache).
 */
import { execFile } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";
import {
  installCommand,
  OPTIONAL_PACKAGES,
  TELEMETRY_PACKAGES,
} from "../../src/foundation/optional-package.js";
import { examplesIn } from "../docs/examples.js";
import { writeTinyTransformer } from "../engine/embedding/tiny-model.js";
import { folderForTest, folderForTests } from "../support/folders.js";
import { startServe } from "./server-process.js";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const folder = folderForTests();
const project = join(folder, "project");
const hostOfEngine = join(folder, "host-of-engine");
const execute = promisify(execFile);

/** What npm tells the script that it runs would turn another npm to this repository; its settings stay. */
const FROM_NPM =
  /^(npm_(package|lifecycle)_.*|npm_command|npm_config_(local_prefix|onnxruntime.*)|INIT_CWD)$/;
const environment = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !FROM_NPM.test(name) && !name.startsWith("SEXTANT_")),
);

const printedBy = (program: string, argv: readonly string[], cwd: string) =>
  execute(program, argv, { cwd, env: environment, maxBuffer: 2 ** 26 });

async function run(program: string, argv: readonly string[], cwd = project): Promise<string> {
  const { stdout } = await printedBy(program, argv, cwd);
  return stdout;
}

const runScript = (code: string, cwd = project) =>
  run(process.execPath, ["--input-type=module", "-e", code], cwd);

/** Checks a program with the types that the packages in the project declare. */
async function checkTypes(project: string, code: string): Promise<void> {
  const source = join(project, "types.mts");
  writeFileSync(source, code);
  const options = ["--noEmit", "--strict", "--ignoreConfig", "--module", "nodenext", "--target", "es2023"];
  await run(
    process.execPath,
    [join(ROOT, "node_modules/@typescript/native/bin/tsc"), ...options, source],
    project,
  );
}

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

/** Packs what stands in a folder of the repository, with what its manifest has packing run, but for the build, which has been made. */
async function pack(repository: string, path: string): Promise<string> {
  const [before, packing] = [ROOT, repository].map((root) => join(root, path, "package.json"));
  const complete = readFileSync(before ?? "", "utf8");
  const { prepack, postpack } = JSON.parse(complete).scripts;
  expect(prepack).toContain("npm run build && ");
  const home = join(repository, path);
  const script = (command: string) =>
    run("sh", ["-c", `PATH="${join(ROOT, "node_modules/.bin")}:$PATH"; ${command}`], home);
  await script(prepack.replace("npm run build && ", ""));
  const options = ["--json", "--ignore-scripts", "--pack-destination", folder];
  const [{ filename }] = JSON.parse(await run("npm", ["pack", ...options], home));
  await script(postpack);
  expect(readFileSync(packing ?? "", "utf8")).toBe(complete);
  return join(folder, filename);
}

/** Installs it in a new project, and returns what npm says. */
async function install(tarball: string, project: string): Promise<string> {
  mkdirSync(project);
  writeFileSync(join(project, "package.json"), '{ "name": "mine", "version": "1.0.0", "private": true }\n');
  const options = ["--omit=dev", "--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund"];
  const { stderr } = await printedBy("npm", ["install", tarball, ...options], project);
  return stderr;
}

let saidOfEngine = "";

beforeAll(async () => {
  const repository = copyOfRepository();
  await install(await pack(repository, "."), project);
  saidOfEngine = await install(await pack(repository, "src/engine"), hostOfEngine);
}, 1_800_000);

const megabytesOf = (folder: string): number =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((bytes, { parentPath, name }) => bytes + statSync(join(parentPath, name)).size, 0) / 1e6;

describe("The engine's package, packed and installed in an empty project,", () => {
  it("brings itself and one other package, less than 40 MB together, and no warning of npm", () => {
    const { packages } = JSON.parse(
      readFileSync(join(hostOfEngine, "node_modules/.package-lock.json"), "utf8"),
    );
    expect(Object.keys(packages)).toEqual(["node_modules/sextant-engine", "node_modules/zod"]);
    expect(megabytesOf(join(hostOfEngine, "node_modules"))).toBeLessThan(40);
    expect(saidOfEngine).not.toContain("npm warn");
  });

  it("has version, dependency and optional packages of `sextant`", () => {
    const home = join(hostOfEngine, "node_modules/sextant-engine");
    const { version, dependencies, peerDependencies } = JSON.parse(
      readFileSync(join(home, "package.json"), "utf8"),
    );
    const whole = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
    expect(version).toBe(whole.version);
    expect(whole).toMatchObject({ dependencies, peerDependencies });
  });

  it.each(
    examplesIn("js")
      .filter(({ code }) => code.includes('"sextant-engine"'))
      .map(({ name, code }) => [name, code]),
  )("runs %s", async (_, code) => {
    expect(await runScript(code, hostOfEngine)).not.toBe("");
  });

  it("declares its types", async () => {
    await checkTypes(
      hostOfEngine,
      `import { type Decision, openRouter } from "sextant-engine";
      const decision: Decision = await (await openRouter()).route("Hello", { costWeight: 0.3 });
      export const selected: string = decision.selectedModel;
      // @ts-expect-error: the weight is a number
      export const refused = (await openRouter()).route("Hello", { costWeight: "low" });`,
    );
  });
});

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

  it("declares the types of its exports", async () => {
    await checkTypes(
      project,
      `import { Sextant } from "sextant/client";
      import { type CollectReport, collect, customGrader, exactGrader } from "sextant/workbench";
      export const client: Sextant = new Sextant();
      const wish = { prompts: [{ id: "a", prompt: "b", reference: "c" }], models: ["d"], folder: "e" };
      export const report: Promise<CollectReport> = collect({ ...wish, grader: exactGrader() });
      export const grader = customGrader("mine", async ({ answer }) => answer.length / 10);
      // @ts-expect-error: a collection has a grader
      export const ungraded = collect(wish);`,
    );
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
