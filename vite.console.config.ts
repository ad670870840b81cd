import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { defineConfig, type Plugin } from "vite";

/** Entry that runs before anything is painted. */
const EARLY = "early-theme";

const root = fileURLToPath(new URL("./src/console", import.meta.url));

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
      input: { index: `${root}/index.html`, [EARLY]: `${root}/layout/early-theme.ts` },
      checks: { bundlerTimings: false },
    },
  },
  plugins: [earlyScript(), compressed()],
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
            .filter(({ name, text }) => /\.(js|css)$/.test(name) && text.length > 1000)
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
