import type { Catalog } from "../engine/catalog/catalog.js";
import type { ModelRow } from "../engine/catalog/model-list.js";
import { listModels } from "../engine/index.js";
import type { Router } from "../engine/router/router.js";
import { snakeCased } from "../foundation/snake-case.js";
import { command, flag, type OptionsOf, option } from "./command.js";
import { type CliContext, CommandFailure, writeLine } from "./context.js";
import { ENGINE_OPTIONS, engineCatalog } from "./engine-options.js";
import { tableFor } from "./table.js";

const OPTIONS = {
  live: flag("only models that a provider serves today"),
  provider: option("<id>", "only models that this provider serves"),
  json: flag("print one JSON object per line"),
  ...ENGINE_OPTIONS,
};

/** `sextant models`: which models there are, who serves them, and which of them routing can choose. */
export const modelsCommand = command("models", {
  about: "list models: who serves them, what they cost, and which can be chosen",
  options: OPTIONS,
  help: `
Configured providers are marked *. \`routing\` is yes for a model that can be chosen, or says why not. Efforts in brackets are never
chosen: another effort of the model is no worse by the profiles and costs no more (\`dominated_efforts\` of --json names it).`,
  examples: ["sextant models --live", "sextant models --provider anthropic --json"],
  run: models,
});

async function models(options: OptionsOf<typeof OPTIONS>, context: CliContext): Promise<void> {
  const { settings, catalog } = engineCatalog(options, context);
  const provider = options.provider === undefined ? undefined : catalog.providerId(options.provider);
  if (options.provider !== undefined && provider === undefined) {
    const ids = catalog.providers().map(({ id }) => id);
    throw new CommandFailure(`--provider is "${options.provider}": there are ${ids.join(", ")}`, 2);
  }
  const { router } = await context.openRouter(settings, { catalog });
  try {
    const shown = listModels(catalog, router.profiles(), router.dominatedEfforts())
      .filter(({ live }) => options.live !== true || live)
      .filter((row) => provider === undefined || row.providers.some(({ id }) => id === provider));
    if (options.json === true) {
      for (const row of shown) await writeLine(context.stdout, JSON.stringify(bodyOf(row)));
      return;
    }
    await writeLine(context.stdout, tableFor(context.stdout, { head: HEAD, rows: shown.map(cellsOf) }));
    const choosable = shown.filter(({ whyNot }) => whyNot === null).length;
    await writeLine(context.stdout, `\n${shown.length} models, ${choosable} of which can be chosen.`);
    await writeLine(context.stdout, countsText(router, catalog));
  } finally {
    await router.close();
  }
}

function countsText(router: Router, catalog: Catalog): string {
  const isOn = catalog.providers().some(({ enabled }) => enabled);
  const { profiled, live, runnable, candidates } = router.modelCounts(
    (model) => !isOn || catalog.isRunnable(model),
  );
  return (
    `The profiles know ${profiled} models and efforts: ${live} are served today` +
    `${isOn ? `, ${runnable} of them by the configured providers` : ""}. A choice among all considers ${candidates}, ` +
    "without efforts that another effort of their model dominates."
  );
}

const HEAD = [
  "model",
  "maker",
  "released",
  "retirement",
  "providers",
  "context",
  "USD/Mtok in",
  "out",
  "efforts",
  "samples",
  "routing",
];
/** What stands for what is not known. */
const NONE = "–";

function cellsOf(row: ModelRow): readonly string[] {
  const { id, maker, released, retirement, providers, contextTokens, price, samples, whyNot } = row;
  return [
    id,
    maker ?? NONE,
    released ?? NONE,
    retirement ?? NONE,
    providers.map((provider) => (provider.configured ? `${provider.id}*` : provider.id)).join(" ") || NONE,
    contextTokens === null ? NONE : String(contextTokens),
    price === null ? NONE : String(price.inputUsdPerMtok),
    price === null ? NONE : String(price.outputUsdPerMtok),
    effortsOf(row) || NONE,
    samples === null ? NONE : String(samples),
    whyNot ?? "yes",
  ];
}

/** Never chosen ones in brackets. */
const effortsOf = ({ efforts, dominatedEfforts }: ModelRow): string =>
  efforts.map((effort) => (effort in dominatedEfforts ? `(${effort})` : effort)).join(" ");

const bodyOf = ({ whyNot, dominatedEfforts, ...row }: ModelRow) => ({
  ...snakeCased(row),
  dominated_efforts: dominatedEfforts,
  routable: whyNot === null,
  why_not: whyNot,
});
