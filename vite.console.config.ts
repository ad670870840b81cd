import { readdirSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { Marked, type Token } from "marked";
import { gfmHeadingId } from "marked-gfm-heading-id";
import { defineConfig, type Plugin } from "vite";

/** Entry that runs before anything is painted. */
const EARLY = "early-theme";

/** The style sheet of the pages of documentation. */
const DOCS = "docs";

const root = fileURLToPath(new URL("./src/console", import.meta.url));
const docs = fileURLToPath(new URL("./docs/", import.meta.url));

/** The operator console: a page of its own, served by `src/gateway/features/console/page-route.ts` from what is built here. */
export default defineConfig({
  root,
  base: "/console/",
  logLevel: "warn",
  // Whatever `NODE_ENV` says: the development form has the paths of the sources in it.
  oxc: { jsx: { runtime: "automatic", importSource: "preact", development: false } },
  build: {
    outDir: "../../dist/console",
    emptyOutDir: true,
    target: "es2022",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      input: {
        index: `${root}/index.html`,
        [EARLY]: `${root}/layout/early-theme.ts`,
        [DOCS]: `${docs}docs.css`,
      },
      checks: { bundlerTimings: false },
    },
  },
  plugins: [earlyScript(), documentation(), compressed()],
});

/** Makes the page wait for a script of its own before anything is painted; as an asset, it is asked for only once. */
function earlyScript(): Plugin {
  return {
    name: "early-script",
    apply: "build",
    transformIndexHtml: {
      order: "post",
      handler(_html, { bundle = {} }) {
        const script = Object.values(bundle).find((file) => file.type === "chunk" && file.name === EARLY);
        if (script === undefined) throw new Error("the early script was not built");
        return [{ tag: "script", attrs: { src: `/console/${script.fileName}` }, injectTo: "head" }];
      },
    },
  };
}

/**
 * Every page of `docs` as `docs/NAME.html`, and their titles in `docs/pages.json`. Links to files that are not below `docs` become
 * text, and photographs are left out.
 */
function documentation(): Plugin {
  return {
    name: "documentation",
    apply: "build",
    generateBundle: {
      order: "post",
      handler(_, bundle) {
        const files = Object.values(bundle);
        const fileNamed = (name: string): string => {
          const file = files.find((one) =>
            one.type === "chunk" ? one.name === name : one.names.includes(name),
          );
          if (file === undefined) throw new Error(`${name} was not built`);
          return `/console/${file.fileName}`;
        };
        const head =
          `<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">` +
          `<meta name="color-scheme" content="light dark"><link rel="icon" href="${fileNamed("mark.svg")}">` +
          `<script src="${fileNamed(EARLY)}"></script><link rel="stylesheet" href="${fileNamed(`${DOCS}.css`)}">`;
        const names = readdirSync(docs, { recursive: true, encoding: "utf8" });
        const pages = names.filter((name) => name.endsWith(".md")).map((name) => pageOf(name, names));
        for (const { path, title, html } of pages) {
          const source =
            `<!doctype html><html lang="en"><head>${head}<title>${title} – Sextant</title></head><body>` +
            `<nav><a href="/console/${DOCS}/index.html">Sextant documentation</a><a href="/console">Console</a></nav>` +
            `<main>${html}</main></body></html>`;
          this.emitFile({ type: "asset", fileName: `${DOCS}/${path}.html`, source });
        }
        const titles = JSON.stringify({ data: pages.map(({ path, title }) => ({ path, title })) });
        this.emitFile({ type: "asset", fileName: `${DOCS}/pages.json`, source: titles });
        const examples = JSON.stringify(Object.fromEntries(EXAMPLES.map(exampleOf)));
        this.emitFile({ type: "asset", fileName: `${DOCS}/examples.json`, source: examples });
        for (const name of names.filter((name) => name.endsWith(".svg")))
          this.emitFile({ type: "asset", fileName: `${DOCS}/${name}`, source: readFileSync(docs + name) });
      },
    },
  };
}

/** Examples that the console shows, and that tests of the documentation run: the first that matches on a page. */
const EXAMPLES: readonly (readonly [name: string, page: string, code: RegExp])[] = [
  ["Python", "../README.md", /^```python\n(.*?)\n```$/ms],
  ["TypeScript", "../README.md", /^```js\n(.*?)\n```$/ms],
  ["Anthropic", "messages.md", /^```python\n(.*?)\n```$/ms],
  ["curl", "api.md", /^(curl -s \S+chat\/completions .*?)\n```$/ms],
  ["Coding agents", "tools.md", /^```sh\n(.*?)\n```$/ms],
  ["profiles", "workbench.md", /(sextant profile collect .*?\nsextant profile build [^\n]*)/s],
];

function exampleOf([name, page, pattern]: (typeof EXAMPLES)[number]): [name: string, code: string] {
  const code = pattern.exec(readFileSync(docs + page, "utf8"))?.[1];
  if (code === undefined) throw new Error(`docs/${page} has no example that matches ${pattern}`);
  return [name, code];
}

/** @param files all below `docs`, by their paths there */
function pageOf(name: string, files: readonly string[]) {
  const text = readFileSync(docs + name, "utf8");
  const walkTokens = (token: Token): void => {
    if ((token.type !== "link" && token.type !== "image") || /^(\w+:|#)/.test(token.href)) return;
    const [path, anchor] = token.href.split("#");
    const target = posix.join(posix.dirname(name), path);
    const isKept = files.includes(target) && /\.(md|svg)$/.test(target);
    if (isKept) token.href = `/console/${DOCS}/${pathOf(target)}${anchor === undefined ? "" : `#${anchor}`}`;
    else Object.assign(token, token.type === "link" ? { type: "text" } : { type: "text", text: "" });
  };
  const html = new Marked(gfmHeadingId(), { walkTokens, async: false }).parse(text) as string;
  return {
    path: pathOf(name).replace(".html", ""),
    title: /^# (.*)$/m.exec(text)?.[1]?.replaceAll("`", "") ?? name,
    html: html
      .replaceAll("<table>", '<div class="table" tabindex="0"><table>')
      .replaceAll("</table>", "</table></div>"),
  };
}

const pathOf = (file: string): string => file.replace(/README\.md$/, "index.md").replace(/\.md$/, ".html");

/** Beside every text a smaller form of it, so that the server compresses nothing. */
function compressed(): Plugin {
  const brotli = promisify(brotliCompress);
  const gzipped = promisify(gzip);
  return {
    name: "compressed",
    apply: "build",
    enforce: "post",
    generateBundle: {
      // After Vite has put its own code for dynamic imports into the chunks.
      order: "post",
      async handler(_options, bundle) {
        const texts = Object.values(bundle).map((file) => ({
          name: file.fileName,
          text: Buffer.from(file.type === "chunk" ? file.code : file.source),
        }));
        await Promise.all(
          texts
            .filter(({ name, text }) => /\.(js|css|html)$/.test(name) && text.length > 1000)
            .map(async ({ name, text }) => {
              const size = { [constants.BROTLI_PARAM_SIZE_HINT]: text.length };
              this.emitFile({
                type: "asset",
                fileName: `${name}.br`,
                source: await brotli(text, { params: size }),
              });
              this.emitFile({
                type: "asset",
                fileName: `${name}.gz`,
                source: await gzipped(text, { level: 9 }),
              });
            }),
        );
      },
    },
  };
}
