/** What `catalog/prices.json` holds: the part that the router reads of the package @pydantic/genai-prices. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { findProvider } from "@pydantic/genai-prices";

/** The file's text: one line a model, so that a difference shows which prices changed. */
export function priceListText(): string {
  const providers = providersOfPackage().map(
    ({ id, fallback_model_providers, models }) =>
      `    {"id":${JSON.stringify(id)},${
        fallback_model_providers === undefined
          ? ""
          : `"fallback_model_providers":${JSON.stringify(fallback_model_providers)},`
      }"models":[\n${models.map((model) => `      ${entryText(model)}`).join(",\n")}\n    ]}`,
  );
  return `{\n  "notice": ${JSON.stringify(noticeOfPackage())},\n  "providers": [\n${providers.join(",\n")}\n  ]\n}\n`;
}

type PackageProvider = NonNullable<ReturnType<typeof findProvider>>;

const entryText = ({ id, match, context_window, deprecated, prices }: PackageProvider["models"][number]) =>
  JSON.stringify({ id, match, context_window, deprecated, prices });

const fileOfPackage = (name: string): string =>
  readFileSync(fileURLToPath(new URL(name, import.meta.resolve("@pydantic/genai-prices"))), "utf8");

/** Its licence asks that copies come with it. */
function noticeOfPackage(): string {
  const { name, version } = JSON.parse(fileOfPackage("../package.json")) as { name: string; version: string };
  return `${name} ${version}\n\n${fileOfPackage("../LICENSE").trim()}`;
}

/** The package names no list of its providers: their ids are read from its source. */
function providersOfPackage(): readonly PackageProvider[] {
  const ids = [...fileOfPackage("index.js").matchAll(/^ {4}id: "([^"]+)"/gm)].map(([, id]) => id as string);
  return ids.map((providerId) => {
    const provider = findProvider({ providerId });
    if (provider?.id !== providerId) throw new Error(`The price list has no provider ${providerId}.`);
    return provider;
  });
}
