/**
 * What the Dockerfile lays out, run as it says: the copied files alone, in folders that the process cannot write, as a user
 * without rights where the test has them, with nothing to write to but the data folder.
 */
import { execFile, execFileSync, spawn } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  commandOf,
  copiesOf,
  dockerfileStages,
  environmentOf,
  lastOf,
  ROOT,
  wordsOf,
} from "../deploy/dockerfile.js";
import { callerOf } from "./whole-gateway.js";

const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;
const identity = isRoot ? { uid: NOBODY, gid: NOBODY } : {};

const image = dockerfileStages().at(-1);
if (image === undefined) throw new Error("the Dockerfile has no stage");

const folder = mkdtempSync(join(tmpdir(), "sextant-container-"));
const root = join(folder, "root");
const data = join(folder, "data");
const app = join(root, lastOf(image, "WORKDIR") ?? "");

/** Production packages of the lock file, as `npm ci --omit=dev` installs them. */
function productionPackages(): readonly string[] {
  const { packages } = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8"));
  return Object.entries<{ dev?: boolean; devOptional?: boolean; link?: boolean }>(packages)
    .filter(([path, { dev, devOptional, link }]) => path !== "" && !dev && !devOptional && !link)
    .map(([path]) => path)
    .filter((path) => path.lastIndexOf("node_modules/") === 0 && existsSync(join(ROOT, path)));
}

/** As links to the same files where the file system lets it, in folders of their own. */
function place(source: string, target: string): void {
  mkdirSync(dirname(target), { recursive: true });
  try {
    execFileSync("cp", ["-al", source, target], { stdio: "ignore" });
  } catch {
    rmSync(target, { recursive: true, force: true });
    execFileSync("cp", ["-a", source, target]);
  }
}

/** Links keep the modes of the repository's files, which are not changed; their folders are new. */
function closeFolders(path: string): void {
  if (!lstatSync(path).isDirectory()) return;
  for (const name of readdirSync(path)) closeFolders(join(path, name));
  chmodSync(path, 0o555);
}

function openFolders(path: string): void {
  if (!lstatSync(path).isDirectory()) return;
  chmodSync(path, 0o755);
  for (const name of readdirSync(path)) openFolders(join(path, name));
}

beforeAll(() => {
  chmodSync(folder, 0o755);
  for (const { from, sources, target } of copiesOf(image)) {
    for (const source of sources) {
      if (from === "packages")
        for (const path of productionPackages()) place(join(ROOT, path), join(app, path));
      else if (from === "build" && existsSync(join(app, target))) continue;
      else {
        const path = from === undefined ? source : source.replace(/^\/build\//, "");
        place(join(ROOT, path), target === "./" ? join(app, path) : join(app, target));
      }
    }
  }
  closeFolders(root);
  mkdirSync(data, { mode: 0o700 });
  if (isRoot) chownSync(data, NOBODY, NOBODY);
});

afterAll(() => {
  openFolders(root);
  rmSync(folder, { recursive: true, force: true });
});

const inTree = (word: string) => word.replace(/^\/app\//, `${app}/`);

it("starts, decides, keeps a trace and stops, with only the data folder to write to", async () => {
  const [program = "", ...words] = commandOf(image).map(inTree);
  const environment = {
    ...environmentOf(image),
    PATH: process.env.PATH,
    SEXTANT_DATA_DIR: data,
    SEXTANT_HOST: "127.0.0.1",
    SEXTANT_PORT: "0",
    // No folder for temporary files either.
    TMPDIR: app,
    HOME: app,
  };
  const options = { cwd: app, env: environment, ...identity };
  const writing = ["-e", "require('fs').writeFileSync('new', '')"];
  await expect(promisify(execFile)(program, writing, options)).rejects.toThrow(/EACCES|EROFS/);

  const child = spawn(program, words, { ...options, stdio: ["ignore", "pipe", "pipe"] });
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (piece) => {
      printed += String(piece);
    });
  }
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
  const address = () => /sextant listening on (\S+)\n/.exec(printed)?.[1];
  await expect.poll(() => address() ?? child.exitCode).not.toBeNull();
  expect(address(), printed).toBeDefined();
  const key = /pk_live_\w+/.exec(printed)?.[0] ?? "";
  const call = callerOf(address() ?? "");

  const messages = [{ role: "user", content: "What is 2 + 2?" }];
  const body = { messages, models: ["gpt-5.4-mini", "gpt-5.6-sol"], execute: false };
  const decided = await call("/v1/router", { key, body });
  expect(decided.json()).toHaveProperty("routing.selected_model");
  await expect.poll(async () => (await call(`/v1/traces/${decided.requestId}`, { key })).status).toBe(200);
  expect((await call("/console")).status).toBe(200);

  const [, ...check] = wordsOf(lastOf(image, "HEALTHCHECK"));
  const port = new URL(address() ?? "").port;
  await promisify(execFile)(program, check, { ...options, env: { ...environment, SEXTANT_PORT: port } });

  child.kill("SIGTERM");
  expect(await ended).toBe(0);
  expect(readdirSync(data)).toEqual(expect.arrayContaining(["state.db", "traces.duckdb"]));
});
