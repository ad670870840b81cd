/** Settings, routes, commands and files that the documentation and the messages of the code name exist. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { beforeAll, describe, expect, it } from "vitest";
import { BENCHMARKS, PROOFS } from "../../bench/suites.js";
import { createProgram } from "../../src/cli/program.js";
import { SETTING_NAMES, variableOf } from "../../src/gateway/settings.js";
import { cliRun } from "../fakes/cli-context.js";
import { startTestServer } from "../gateway/server.js";
import { PAGES, ROOT, readPage } from "./examples.js";

interface Text {
  readonly path: string;
  readonly text: string;
}

const pages: readonly Text[] = PAGES.map((path) => ({ path, text: readPage(path) }));
const sources: readonly Text[] = readdirSync(join(ROOT, "src"), { recursive: true, encoding: "utf8" })
  .filter((name) => /\.tsx?$/.test(name))
  .map((name) => ({ path: `src/${name}`, text: readFileSync(join(ROOT, "src", name), "utf8") }));

/** Whatever matches, each with its file. */
const found = (texts: readonly Text[], pattern: RegExp) =>
  texts.flatMap(({ path, text }) =>
    [...text.matchAll(pattern)].map(([match, name = match]) => ({ path, name })),
  );

const unknown = (all: readonly { path: string; name: string }[], isKnown: (name: string) => boolean) => [
  ...new Set(all.filter(({ name }) => !isKnown(name)).map(({ path, name }) => `${path}: ${name}`)),
];

describe("Documentation and messages name", () => {
  it("settings that exist", () => {
    const known = new Set([
      ...SETTING_NAMES.map(variableOf),
      "SEXTANT_CONFIG",
      // Of the client library and `sextant traces`.
      "SEXTANT_API_KEY",
      "SEXTANT_BASE_URL",
    ]);
    const named = found([...pages, ...sources], /\bSEXTANT_[A-Z_]*[A-Z]\b/g);
    expect(named.length).toBeGreaterThan(200);
    expect(unknown(named, (name) => known.has(name))).toEqual([]);
  });

  it("routes that exist", async () => {
    const { app } = startTestServer();
    const { paths } = (await app.inject({ url: "/openapi.json" })).json();
    await app.close();
    // Those of pages are not part of the API.
    const all = [...Object.keys(paths), "/docs", "/console", "/console/session"];
    const routes = all.map((path) => new RegExp(`^${path.replace(/\{\w+\}/g, "[^/]*")}$`));
    const isPrefix = (name: string) => all.some((path) => path.startsWith(`${name.replace(/\/$/, "")}/`));
    const named = found(
      [...pages, ...sources],
      /(?:(?:GET|POST|DELETE) |(?<=[\s`"'(])(?=\/(?:v1|admin)\/))(\/(?:[\w/{}-]|\.json)*)/g,
    );
    expect(named.length).toBeGreaterThan(200);
    expect(unknown(named, (name) => routes.some((route) => route.test(name)) || isPrefix(name))).toEqual([]);
  });

  it("npm scripts that exist", () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
    const named = found([...pages, ...sources], /\bnpm run ([\w:]+)/g);
    expect(named.length).toBeGreaterThan(30);
    expect(unknown(named, (name) => Object.hasOwn(scripts, name))).toEqual([]);
  });

  it("benchmark suites that exist", () => {
    const known = [...BENCHMARKS.map(({ name }) => name), "compare", "gate", "report"];
    const named = found([...pages, ...sources], /\bnpm run bench -- ([a-z]\S*?)\b/g);
    expect(named.length).toBeGreaterThan(20);
    expect(unknown(named, (name) => known.includes(name))).toEqual([]);
    const proofs = found([...pages, ...sources], /\bnpm run proof -- ([a-z]\S*?)\b/g);
    expect(proofs.length).toBeGreaterThan(4);
    const isProof = (name: string) => name === "equality" || PROOFS.some((proof) => proof.name === name);
    expect(unknown(proofs, isProof)).toEqual([]);
  });

  it("files that exist", () => {
    // A name in capitals stands for one that a reader chooses.
    const named = found(
      pages,
      /`((?:src|test|bench|proofs|scripts|docs|datasets|training|profiles|catalog)\/[\w./-]+\/?)`/g,
    );
    expect(named.length).toBeGreaterThan(50);
    const isMade = (name: string) =>
      /[A-Z]{4}/.test(name) || /^(bench\/results|datasets\/downloads|training\/\.)/.test(name);
    expect(unknown(named, (name) => isMade(name) || existsSync(join(ROOT, name)))).toEqual([]);
  });
});

describe("Documentation and messages show", () => {
  let program: Command;
  beforeAll(async () => {
    program = await createProgram(cliRun({ workingDirectory: "." }).context);
  });

  const optionsOf = (command: Command): string[] => [
    "--help",
    ...command.options.flatMap(({ long }) => long ?? []),
  ];

  /** Why the command line is none of ours; undefined when it is. */
  function fault(line: string): string | undefined {
    const words = line.split(/\s+/);
    let command = program;
    for (const word of words) {
      const next = command.commands.find((subcommand) => subcommand.name() === word);
      if (next === undefined) break;
      command = next as Command;
    }
    const options = words.filter((word) => /^--[a-z]/.test(word)).map((word) => word.replace(/=.*/, ""));
    const other = options.find((option) => !optionsOf(command).includes(option));
    return other && `${command.name()} has no ${other}`;
  }

  it("commands with options that exist", () => {
    const lines = found(
      [...pages, ...sources],
      /\bsextant ((?:serve|route|models|profile|replay|keys|traces|connect|import|run (?!of))\b[^`"'\n\\;|<>)]*)/g,
    );
    expect(lines.length).toBeGreaterThan(60);
    const faults = lines.flatMap(({ path, name }) => {
      const why = fault(name);
      return why === undefined ? [] : [`${path}: sextant ${name}: ${why}`];
    });
    expect(faults).toEqual([]);
  });

  it("options of the command line that exist", () => {
    // Of Claude Code.
    const all = new Set(["--settings"]);
    const collect = (command: Command): void => {
      for (const option of optionsOf(command)) all.add(option);
      for (const subcommand of command.commands) collect(subcommand as Command);
    };
    collect(program);
    const named = found(
      sources.filter(({ path }) => path.startsWith("src/cli/") || path.startsWith("src/engine/profiles/")),
      /(?<![\w-]|codex )--[a-z][a-z-]+/g,
    );
    expect(named.length).toBeGreaterThan(40);
    expect(unknown(named, (name) => all.has(name))).toEqual([]);
  });
});
