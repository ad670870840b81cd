import type { CatalogFile, ReviewedFile } from "../../src/engine/catalog/catalog-file.js";

/** Order of fields, so that the same facts always make the same bytes. */
const FIELDS: readonly string[] = [
  ...["id", "maker", "family", "released", "aliases", "context", "max_output", "tools"],
  ...[
    "structured_output",
    "open_weights",
    "api",
    "listed",
    "names",
    "sent",
    "deprecated",
    "snapshot",
    "predecessor",
    "priced_as",
    "variant",
  ],
  ...[
    "prices",
    "from",
    "until",
    "hours",
    "weekdays",
    "tokens",
    "input",
    "cached_input",
    "cache_write",
    "cache_write_hour",
    "output",
    "above",
    "calls",
  ],
  ...["source", "as_of"],
];

/** The file's text: one line a model, so that a difference shows which models it is about. */
export function catalogText(file: CatalogFile | ReviewedFile): string {
  const { retirements, reasoning, apis, tiers, models, hosts } = file;
  return block("", {
    ...("as_of" in file ? { as_of: line(file.as_of), notices: list("  ", file.notices.map(line)) } : {}),
    retirements: block(
      "  ",
      mapped(retirements, ({ names, ...rest }) =>
        block("    ", { ...mapped(rest, line), names: block("      ", mapped(names, line)) }),
      ),
    ),
    reasoning: list("  ", reasoning.map(line)),
    ...mapped<Readonly<Record<string, readonly object[]>>>({ apis, tiers }, (byProvider) =>
      block(
        "  ",
        mapped(byProvider, (rules) => list("    ", rules.map(line))),
      ),
    ),
    models: block("  ", mapped(models, line)),
    hosts: block(
      "  ",
      mapped(hosts, ({ models: ofHost, ...rest }) =>
        block("    ", { ...mapped(rest, line), models: list("      ", ofHost.map(line)) }),
      ),
    ),
  }).concat("\n");
}

const mapped = <Value>(values: Readonly<Record<string, Value>>, text: (value: Value) => string) =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [key, text(value)]));

function block(indent: string, texts: Readonly<Record<string, string>>): string {
  const lines = Object.entries(texts).map(([key, text]) => `${indent}  ${JSON.stringify(key)}: ${text}`);
  return lines.length === 0 ? "{}" : `{\n${lines.join(",\n")}\n${indent}}`;
}

const list = (indent: string, texts: readonly string[]): string =>
  texts.length === 0 ? "[]" : `[\n${texts.map((text) => `${indent}  ${text}`).join(",\n")}\n${indent}]`;

const line = (value: unknown): string => JSON.stringify(value, (_, part: unknown) => inOrder(part));

/** Records have their fields in order; tables by names stay as they are. */
function inOrder(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const fields = Object.keys(value);
  if (!fields.every((field) => FIELDS.includes(field))) return value;
  return Object.fromEntries(
    FIELDS.flatMap((field) => (field in value ? [[field, (value as Record<string, unknown>)[field]]] : [])),
  );
}
