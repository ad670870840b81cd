import type { DIFFICULTY_TIERS } from "../../src/engine/index.js";

/** Prompts written for this project: everyday requests of ten kinds, from trivial to hard within each. */
export const TIERS = ["trivial", "easy", "medium", "hard"] as const;
/** Of the everyday prompts and of those that others labelled. */
export type Tier = keyof typeof DIFFICULTY_TIERS;

export interface EverydayPrompt {
  readonly kind: string;
  readonly tier: Tier;
  /** What the table calls it. */
  readonly label: string;
  readonly text: string;
  readonly needsTools: boolean;
}

/** From trivial to hard, in the order of `TIERS`. */
type FourOf = readonly [LabelledText, LabelledText, LabelledText, LabelledText];
type LabelledText = readonly [label: string, text: string];

const MEETING = `Minutes, operations, Tuesday. Present: Mara, Jonas, Li, Priya. (1) The Leeds warehouse moved 4,120 parcels last
week, 6 % fewer than planned; two of the three sorters were down on Thursday for five hours. Jonas has asked the maker for
a spare drive belt, delivery in nine days. (2) Priya reported that returns rose to 8.4 %, most of them shoes of the new
supplier, whose sizes run small. She proposes a note in the shop and a free second size. Li wants to see the margin first.
(3) The night shift lacks two people from December on. Mara will ask the agency; the budget holds for six weeks. (4) The
customer survey is late. Li promised a draft by Friday. No other business; next meeting in a week.`;

/** A made-up log that is long and in which few lines matter. */
function incidentLog(entries: number): string {
  const services = ["billing", "search", "login", "mail", "images"];
  return Array.from({ length: entries }, (_, entry) => {
    const service = services[(entry * 7) % services.length];
    const minute = String((entry * 13) % 60).padStart(2, "0");
    const state =
      entry % 41 === 17
        ? `error: the pool of connections is exhausted after release 4.${entry % 9}, requests wait ${3 + (entry % 5)} s`
        : entry % 11 === 3
          ? "warning: a retry was needed, the second try succeeded"
          : `ok, ${120 + ((entry * 37) % 400)} requests, median ${20 + ((entry * 5) % 60)} ms`;
    return `${String(8 + Math.floor(entry / 30)).padStart(2, "0")}:${minute} ${service}: ${state}`;
  }).join("\n");
}

/** A made-up contract whose clauses refer to each other. */
function contract(clauses: number): string {
  return Array.from({ length: clauses }, (_, clause) => {
    const number = clause + 1;
    const term = 10 + ((clause * 17) % 80);
    const other = 1 + ((clause * 5 + 3) % clauses);
    const rule =
      clause % 9 === 4
        ? `Notwithstanding clause ${other}, either party may end the agreement with ${term} days' notice, unless fees are owed.`
        : clause % 7 === 2
          ? `The fee of clause ${other} rises each January by ${1 + (clause % 4)} %, but never in a year in which notice was given.`
          : `The supplier delivers within ${term} days; delay beyond that counts as a fault under clause ${other}.`;
    return `${number}. ${rule}`;
  }).join("\n");
}

const KINDS: Readonly<Record<string, FourOf>> = {
  "small talk": [
    ["weekend", "Hey, how was your weekend?"],
    ["good night (German)", "Danke dir, das war's für heute. Gute Nacht!"],
    ["tea or coffee", "Tea or coffee for a rainy afternoon, and why? Two sentences, please."],
    [
      "a friend grieves",
      "My best friend's father died last night and she just wrote to me 'I don't feel anything, is something wrong with me?' Talk " +
        "with me about what I could answer her, and what I had better not say.",
    ],
  ],
  rewriting: [
    ["fix typos", "Fix the typos: 'I recieved you're mail yesteday, thank's alot!'"],
    ["more polite", "Make this more polite: 'Send me the report today, you are late again.'"],
    [
      "plain language (Spanish)",
      "Reescribe en lenguaje claro, para alguien sin estudios de derecho: 'La parte arrendataria vendrá obligada a sufragar " +
        "cuantas reparaciones dimanen del uso ordinario de la finca, sin perjuicio de las que por ley incumban al arrendador.'",
    ],
    [
      "sonnet about a bug report",
      "Rewrite this bug report as a Shakespearean sonnet that keeps every fact and rhymes correctly: 'Since version 2.3 the export " +
        "to CSV drops the last row when the table has more than 10,000 rows and a filter is set; without a filter all is well.'",
    ],
  ],
  summaries: [
    [
      "one sentence",
      "Sum up in one sentence: The library closes at six instead of eight this week because the heating is being repaired.",
    ],
    ["minutes in three points", `Summarise these minutes in three bullet points.\n\n${MEETING}`],
    [
      "minutes for two readers",
      `Summarise these minutes twice: once for the managing director (risks and money only), once for the night shift (what ` +
        `changes for them), each in at most 60 words.\n\n${MEETING}`,
    ],
    [
      "what is missing",
      `Summarise the minutes, then say which decisions lack an owner or a date, which figures cannot both be right if the plan was ` +
        `4,300 parcels, and what you would ask before acting on item 2.\n\n${MEETING}`,
    ],
  ],
  translation: [
    ["thank you in French", "How do you say 'thank you very much' in French?"],
    [
      "bakery sign to German",
      "Translate into German: 'We are closed on Mondays. Fresh bread from seven o'clock on.'",
    ],
    [
      "Chinese notice to English",
      "请把下面的通知翻译成英文，语气正式：'因设备检修，本周六上午九点至下午三点暂停供水，请各位住户提前储水，由此带来的不便敬请谅解。'",
    ],
    [
      "wordplay to Spanish",
      "Translate into Spanish, keeping the wordplay and the metre as far as possible, and explain in one line what you had to give " +
        "up: 'Time flies like an arrow; fruit flies like a banana. The past, the present and the future walked into a bar: it was tense.'",
    ],
  ],
  "extraction to JSON": [
    ["name and age", 'Return JSON {"name", "age"}: My name is Tom and I am 31.'],
    [
      "order lines",
      "Extract the items as a JSON array of {article, quantity, unit_price_eur}: 'Please send 3 lamps at 19.90 €, one desk at 249 € and " +
        "a dozen pencils at 0.45 € each.'",
    ],
    [
      "invoice (German)",
      'Gib nur JSON zurück: {"rechnungsnummer", "datum" (ISO 8601), "netto", "mwst_satz", "brutto", "faellig_am" (ISO 8601)}. ' +
        "'Rechnung Nr. 2026-0417 vom 3. März 2026. Beratung 12 Stunden zu 95 €, abzüglich 5 % Rabatt. Zuzüglich 19 % MwSt. Zahlbar " +
        "binnen 14 Tagen.'",
    ],
    [
      "nested, conflicting",
      `From the minutes, return JSON that follows this schema exactly: {"actions": [{"owner": string, "task": string, "due": ISO date ` +
        `or null, "depends_on": [index]}], "figures": [{"name": string, "value": number, "unit": string, "derived": boolean}], ` +
        `"contradictions": [string]}. The Tuesday is 10 November 2026; turn all relative dates into absolute ones, and compute the ` +
        `number of parcels that was planned.\n\n${MEETING}`,
    ],
  ],
  "e-mail": [
    ["out of office", "Write an out-of-office reply: back on Monday, urgent matters to Eva."],
    [
      "move a meeting",
      "Write a short e-mail to a colleague: can we move our meeting from 10 to 11 tomorrow?",
    ],
    [
      "late delivery",
      "Write to a customer whose sofa comes three weeks late for the second time. Apologise without blaming the carrier, offer 10 % or a " +
        "free cancellation, and keep it under 150 words.",
    ],
    [
      "refuse a partner",
      "Our largest partner asks for exclusive rights in Europe in return for a discount that would cover 40 % of our costs, and hints " +
        "that they will go to our rival otherwise. Write the e-mail with which we refuse exclusivity, keep the partner, do not admit " +
        "how much we depend on them, and leave a door open for the Nordic countries. Their legal department will read it.",
    ],
  ],
  brainstorming: [
    ["cat names", "Five names for a grey cat."],
    ["team lunch", "Ten ideas for a cheap team lunch, vegetarians among us."],
    [
      "library evening (Chinese)",
      "我们社区图书馆想吸引二十多岁的年轻人晚上来，预算每月两千元，只有一名员工。请给出八个具体可行的活动点子，并说明每个点子的成本和风险。",
    ],
    [
      "untested hypotheses",
      "Yields of our perovskite cells fell from 21 to 17 % when we moved the lab across the street, with the same recipe, staff and " +
        "suppliers. List the twelve most likely causes in order, the cheapest experiment that would tell each apart from the others, " +
        "and the order in which to run them in one week.",
    ],
  ],
  "simple code": [
    ["2 + 2", "What is 2 + 2?"],
    ["reverse a string", "Write a Python function that reverses a string."],
    [
      "group by month",
      "Write TypeScript: given orders `{date: string /* ISO */, total: number}[]`, return a Map from month (`YYYY-MM`) to the sum, months " +
        "without orders between the first and the last included with 0.",
    ],
    [
      "race in a cache",
      "This cache sometimes loads a key twice and once in a while serves a value after it was invalidated. Explain both races and " +
        "rewrite it so that neither can happen, without a lock that spans a load:\n\nclass Cache { #m = new Map(); constructor(load) { " +
        "this.load = load } async get(k) { if (!this.#m.has(k)) this.#m.set(k, await this.load(k)); return this.#m.get(k) } " +
        "invalidate(k) { this.#m.delete(k) } }",
    ],
  ],
  "agentic tool use": [
    ["weather", "What's the weather in Oslo right now? Use the weather tool."],
    ["book a room", "Find a free meeting room for four people tomorrow at 14:00 and book it."],
    [
      "fix a failing test",
      "Run the tests of the repository, find out why `parse_date` fails for 29 February, fix it, and run the tests again.",
    ],
    [
      "41 applications",
      "Move our 41 Django applications from 3.2 to 5.2, one pull request each: read the code, change settings, middleware and removed " +
        "APIs, keep migrations compatible with databases in use, run each test suite, and stop with a report where a decision of ours " +
        "is needed. Shared packages have to be moved first; work out the order yourself.",
    ],
  ],
  "long documents": [
    ["count errors", `How many lines of this log say 'error'? Only the number.\n\n${incidentLog(60)}`],
    ["which service", `Which service had errors in this log, and at what times?\n\n${incidentLog(150)}`],
    [
      "contract question",
      `Until when can the agreement be ended in a year in which fees are still owed? Quote the clauses that decide it.\n\n${contract(70)}`,
    ],
    [
      "clash of clauses",
      `Find every pair of clauses of this contract that cannot both be kept, including those that clash only through a third clause ` +
        `they refer to, and propose the smallest set of changes that removes all clashes.\n\n${contract(160)}`,
    ],
  ],
};

export const EVERYDAY_PROMPTS: readonly EverydayPrompt[] = Object.entries(KINDS).flatMap(([kind, texts]) =>
  texts.map(([label, text], index) => ({
    ...{ kind, label, text, tier: TIERS[index] as Tier },
    needsTools: kind === "agentic tool use",
  })),
);
