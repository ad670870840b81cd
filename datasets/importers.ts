import type { Importer } from "./imported-row.js";
import { importLlmRouterUlab } from "./importers/llmrouter-ulab.js";
import { importLlmRouterBench } from "./importers/llmrouterbench.js";
import { importMisguidedAttention } from "./importers/misguided-attention.js";
import { importMmluPro } from "./importers/mmlu-pro.js";
import { importRouteLlm } from "./importers/routellm.js";
import { importRouterBench } from "./importers/routerbench.js";
import { importSprout } from "./importers/sprout.js";
import { importZeroEval } from "./importers/zeroeval.js";

/** By the name of the set in the registry. */
export const IMPORTERS: Readonly<Record<string, Importer>> = {
  mmlu_pro: importMmluPro,
  zeroeval: importZeroEval,
  routellm: importRouteLlm,
  llmrouter_ulab: importLlmRouterUlab,
  misguided_attention: importMisguidedAttention,
  routerbench: importRouterBench,
  llmrouterbench: importLlmRouterBench,
  sprout: importSprout,
};
