import type { CatalogFile } from "../../src/engine/catalog/models/catalog-data.js";

type CatalogModel = CatalogFile["models"][string];

/** Order of a model's fields in the file, so that the same facts always make the same bytes. */
const FIELDS = [
  ...[
    "maker",
    "family",
    "released",
    "aliases",
    "context",
    "max_output",
    "input",
    "tools",
    "structured_output",
  ],
  ...[
    "open_weights",
    "api",
    "listed",
    "names",
    "snapshot",
    "priced_as",
    "variant",
    "prices",
    "source",
    "as_of",
  ],
  "imported",
];

/** The file's text: one line a model, so that a difference shows which models it is about. */
export function catalogText({ as_of, retirements, reasoning, apis, models }: CatalogFile): string {
  const modelLines = Object.entries(models).map(
    ([id, model]) => `    ${JSON.stringify(id)}: ${JSON.stringify(inOrder(model))}`,
  );
  const ruleLines = reasoning.map((rule) => `    ${JSON.stringify(rule)}`);
  const apiLines = Object.entries(apis).map(
    ([provider, rules]) =>
      `    ${JSON.stringify(provider)}: [\n${rules.map((rule) => `      ${JSON.stringify(rule)}`).join(",\n")}\n    ]`,
  );
  const retirementLines = Object.entries(retirements).map(
    ([provider, { names, ...rest }]) =>
      `    ${JSON.stringify(provider)}: {\n` +
      Object.entries(rest)
        .map(([field, value]) => `      ${JSON.stringify(field)}: ${JSON.stringify(value)},\n`)
        .join("") +
      `      "names": {\n${Object.entries(names)
        .map(([date, each]) => `        ${JSON.stringify(date)}: ${JSON.stringify(each)}`)
        .join(",\n")}\n      }\n    }`,
  );
  return (
    `{\n  "as_of": ${JSON.stringify(as_of)},\n` +
    `  "retirements": {\n${retirementLines.join(",\n")}\n  },\n` +
    `  "reasoning": [\n${ruleLines.join(",\n")}\n  ],\n` +
    `  "apis": {\n${apiLines.join(",\n")}\n  },\n` +
    `  "models": {\n${modelLines.join(",\n")}\n  }\n}\n`
  );
}

function inOrder(model: object): object {
  const fields = new Map<string, unknown>(Object.entries(model));
  const order = [
    ...FIELDS.filter((field) => fields.has(field)),
    ...[...fields.keys()].filter((field) => !FIELDS.includes(field)).sort(),
  ];
  return Object.fromEntries(
    order.map((field) => [
      field,
      field === "imported" ? inOrder(fields.get(field) as CatalogModel) : fields.get(field),
    ]),
  );
}
