/** `npm run bench -- vendors`: how requests that vendors refuse fare in each of the gateway's APIs. Needs no network. */
import { writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { describeEnvironment, environmentLine } from "../environment.js";
import { type BenchmarkResult, RESULT_VERSION } from "../report/result.js";
import { writeResult } from "../report/result-file.js";
import { type Fate, measureRules, type RuleFinding, WAYS } from "./measure.js";
import { countOf, FATE_WORDS, summary, vendorsPage } from "./page.js";
import { SERVED_APIS } from "./requests.js";

const { values } = parseArgs({ options: { out: { type: "string" }, help: { type: "boolean" } } });

async function run(): Promise<void> {
  const environment = describeEnvironment(new Date());
  console.log(environmentLine(environment));
  const findings = await measureRules({ large: "both ways" });
  const page = vendorsPage(findings);
  console.log(`\n${page}\n${summary(findings)}\n`);
  for (const text of refusals(findings)) console.log(text);
  if (values.out !== undefined) await writeFile(values.out, page);
  const result: BenchmarkResult = {
    ...{ version: RESULT_VERSION, suite: "vendors", environment, datasets: [], seeds: [] },
    question: "How do requests that vendors refuse fare in each of the gateway's APIs?",
    command: "npm run bench -- vendors",
    figures: SERVED_APIS.flatMap((api) =>
      WAYS.flatMap((way) =>
        (Object.keys(FATE_WORDS) as Fate[]).map((fate) => ({
          id: `vendors/${api}/${way}/${fate}`,
          label: `${api}, ${way}: ${FATE_WORDS[fate]}`,
          unit: "count" as const,
          value: countOf(findings, { api, way, fate }),
          ...(fate === "text_lost" ? { better: "lower" as const } : { better: "neither" as const }),
        })),
      ),
    ),
    notes: ["Rules as they were reported: test/fakes/vendors has the links and days."],
  };
  console.log(`\nwritten to ${[values.out, await writeResult(result)].filter(Boolean).join(" and ")}`);
}

/** What clients were told, a line each; a refusal of a stream is that of the whole answer unless it is shown too. */
const refusals = (findings: readonly RuleFinding[]): readonly string[] =>
  findings.flatMap(({ rule, found }) =>
    SERVED_APIS.flatMap((api) => {
      const texts = new Set(WAYS.map((way) => found[api][way].text));
      return [...texts].filter((text) => text !== "").map((text) => `${rule.id}, ${api}: ${text}`);
    }),
  );

if (values.help === true) console.log("Options: --out FILE (the page, as docs/vendors.md)");
else await run();
