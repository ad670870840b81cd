import { EVERYDAY_PROMPTS, type EverydayPrompt } from "../everyday/prompts.js";

/** Ways of asking for the same, as people do. */
export const WORDING_KINDS = ["paraphrase", "typos", "German", "terse", "polite"] as const;
type WordingKind = (typeof WORDING_KINDS)[number];

/** An everyday prompt and other wordings of it. */
export interface WordedPrompt {
  readonly prompt: EverydayPrompt;
  readonly wordings: Readonly<Record<WordingKind, string>>;
}

/**
 * By label of the everyday prompt, all written by hand for this project. Material between quotation marks stays as it is, unless
 * the whole message is in German.
 */
const WORDINGS: Readonly<Record<string, WordedPrompt["wordings"]>> = {
  weekend: {
    paraphrase: "Hi! Did you have a good weekend?",
    typos: "Hey, hwo was yuor weeknd?",
    German: "Hey, wie war dein Wochenende?",
    terse: "how was weekend?",
    polite: "Hello there, I hope you are well! May I ask how your weekend was?",
  },
  "more polite": {
    paraphrase: "Can this be said in a friendlier way? 'Send me the report today, you are late again.'",
    typos: "Maek this mroe polit: 'Send me teh report today, you are late agian.'",
    German: "Formuliere das höflicher: 'Schick mir den Bericht heute, du bist schon wieder zu spät.'",
    terse: "politer: 'Send me the report today, you are late again.'",
    polite:
      "Good morning, could you please help me to word this more politely? 'Send me the report today, you are late again.' Thank you!",
  },
  "one sentence": {
    paraphrase:
      "What does this say, put into a single sentence? The library closes at six instead of eight this week because the heating is " +
      "being repaired.",
    typos:
      "Smu up in on sentence: The libary closes at six insted of eight this week becuase the heating is beeing repaired.",
    German:
      "Fasse in einem Satz zusammen: Die Bibliothek schließt diese Woche um sechs statt um acht, weil die Heizung repariert wird.",
    terse:
      "tl;dr, one sentence: The library closes at six instead of eight this week because the heating is being repaired.",
    polite:
      "Hi, would you be so kind as to sum this up in one sentence for me? The library closes at six instead of eight this week " +
      "because the heating is being repaired. Many thanks!",
  },
  "bakery sign to German": {
    paraphrase:
      "How would this sign read in German? 'We are closed on Mondays. Fresh bread from seven o'clock on.'",
    typos: "Tranlsate in to german: 'We are clsoed on Mondays. Fresh bred from seven oclock on.'",
    German: "Übersetze ins Deutsche: 'We are closed on Mondays. Fresh bread from seven o'clock on.'",
    terse: "in German: 'We are closed on Mondays. Fresh bread from seven o'clock on.'",
    polite:
      "Hello, could you please translate the following into German for me? 'We are closed on Mondays. Fresh bread from seven " +
      "o'clock on.' Thanks a lot in advance!",
  },
  "order lines": {
    paraphrase:
      "Turn this order into JSON, one object {article, quantity, unit_price_eur} for each item, in an array: 'Please send 3 lamps at " +
      "19.90 €, one desk at 249 € and a dozen pencils at 0.45 € each.'",
    typos:
      "Extarct the itmes as a JSON aray of {article, quantity, unit_price_eur}: 'Plese send 3 lamps at 19.90 €, one dsek at 249 € and a " +
      "dozen pencils at 0.45 € eahc.'",
    German:
      "Gib die Posten als JSON-Array von {article, quantity, unit_price_eur} aus: 'Bitte schicken Sie 3 Lampen zu 19,90 €, einen " +
      "Schreibtisch zu 249 € und ein Dutzend Bleistifte zu je 0,45 €.'",
    terse:
      "JSON array {article, quantity, unit_price_eur}: 'Please send 3 lamps at 19.90 €, one desk at 249 € and a dozen pencils at 0.45 € each.'",
    polite:
      "Hi, could you please extract the items from this order as a JSON array of {article, quantity, unit_price_eur}? 'Please send 3 " +
      "lamps at 19.90 €, one desk at 249 € and a dozen pencils at 0.45 € each.' That would help me a lot, thank you.",
  },
  "move a meeting": {
    paraphrase:
      "I'd like to shift tomorrow's meeting with a colleague from 10 to 11. Draft a few lines asking whether that works.",
    typos: "Wriet a short emial to a colleage: can we move our meetign from 10 to 11 tommorow?",
    German:
      "Schreib eine kurze E-Mail an eine Kollegin: Können wir unsere Besprechung morgen von 10 auf 11 verschieben?",
    terse: "short mail to colleague, move tomorrow's meeting 10 -> 11",
    polite:
      "Good afternoon! Would you please write a short e-mail to a colleague of mine, asking whether we can move our meeting from 10 to 11 " +
      "tomorrow? Thank you very much.",
  },
  "refuse a partner": {
    paraphrase:
      "Draft an e-mail to our biggest partner. They want to be our only partner in Europe, and would pay for it with a discount worth 40 % " +
      "of our costs; between the lines they threaten to work with our competitor. We have to say no to exclusivity without losing them, " +
      "without showing that we need them, and so that a deal for the Nordic countries stays possible. Lawyers on their side will go " +
      "through every word.",
    typos:
      "Our largset partner asks for exlusive rights in Europe in retrun for a discount that woud cover 40 % of our costs, and hints that " +
      "they wil go to our rival otherwise. Write the emial with which we refuse exclusivty, keep the partner, do not admitt how much we " +
      "depend on them, and leave a door open for the Nordic contries. Their legal departement will read it.",
    German:
      "Unser größter Partner verlangt die Alleinrechte für Europa und bietet dafür einen Rabatt, der 40 % unserer Kosten decken würde; " +
      "andernfalls, deutet er an, geht er zu unserem Wettbewerber. Schreib die E-Mail, mit der wir die Exklusivität ablehnen, den Partner " +
      "behalten, nicht zugeben, wie sehr wir von ihm abhängen, und eine Tür für die nordischen Länder offen lassen. Seine " +
      "Rechtsabteilung wird sie lesen.",
    terse:
      "e-mail to largest partner: refuse exclusivity for Europe (they offer discount = 40 % of our costs, hint at going to rival), keep them, " +
      "hide our dependence, leave door open for Nordics. their legal dept reads it",
    polite:
      "Hello, I would be very grateful for your help with a delicate e-mail. Our largest partner asks for exclusive rights in Europe in " +
      "return for a discount that would cover 40 % of our costs, and hints that they will go to our rival otherwise. Could you please " +
      "write the e-mail with which we refuse exclusivity, keep the partner, do not admit how much we depend on them, and leave a door " +
      "open for the Nordic countries? Please bear in mind that their legal department will read it. Thank you so much!",
  },
  "untested hypotheses": {
    paraphrase:
      "After our lab moved over the road, the efficiency of the perovskite cells we make dropped from 21 to 17 %, although recipe, people and " +
      "suppliers did not change. Rank the twelve causes you find most plausible, give for each the least expensive test that separates it " +
      "from the rest, and plan one week of tests.",
    typos:
      "Yeilds of our perovskite cels fell from 21 to 17 % when we moved the lab accross the street, with the same recipie, staff and " +
      "supliers. List the twleve most likely causes in order, the cheapest experimnt that would tell each appart from the others, and the " +
      "oder in which to run them in one week.",
    German:
      "Die Ausbeute unserer Perowskit-Zellen fiel von 21 auf 17 %, als wir mit dem Labor über die Straße zogen, bei gleichem Rezept, " +
      "gleichem Personal und gleichen Lieferanten. Nenne die zwölf wahrscheinlichsten Ursachen in ihrer Reihenfolge, zu jeder das billigste " +
      "Experiment, das sie von den anderen unterscheidet, und die Reihenfolge, in der wir sie in einer Woche durchführen.",
    terse:
      "perovskite cell yield 21 -> 17 % after moving lab across street, same recipe/staff/suppliers. 12 likeliest causes ranked, cheapest " +
      "experiment for each, order for one week",
    polite:
      "Dear assistant, we have a puzzling problem and would be glad of your advice. Yields of our perovskite cells fell from 21 to 17 % when " +
      "we moved the lab across the street, with the same recipe, staff and suppliers. Could you please list the twelve most likely " +
      "causes in order, the cheapest experiment that would tell each apart from the others, and the order in which to run them in one " +
      "week? Thanks for taking the time!",
  },
  "group by month": {
    paraphrase:
      "I have orders of type `{date: string /* ISO */, total: number}[]` in TypeScript and need a function that gives the sum for each month " +
      "(`YYYY-MM`) in a Map; fill gaps between the earliest and the latest month with 0.",
    typos:
      "Wirte TypeScript: given ordres `{date: string /* ISO */, total: number}[]`, retrun a Map from month (`YYYY-MM`) to the sum, monhts " +
      "without orders betwen the first and the last inclued with 0.",
    German:
      "Schreib TypeScript: Aus Bestellungen `{date: string /* ISO */, total: number}[]` soll eine Map von Monat (`YYYY-MM`) zur Summe " +
      "werden; Monate ohne Bestellungen zwischen dem ersten und dem letzten stehen mit 0 darin.",
    terse:
      "TS: `{date: string /* ISO */, total: number}[]` -> Map `YYYY-MM` -> sum, empty months between first and last = 0",
    polite:
      "Hi! Could you please write a bit of TypeScript for me? Given orders `{date: string /* ISO */, total: number}[]`, it should return a Map " +
      "from month (`YYYY-MM`) to the sum, with months without orders between the first and the last included with 0. Thank you!",
  },
  "fix a failing test": {
    paraphrase:
      "`parse_date` breaks for 29 February. Start the repository's test suite, track the cause down, repair it, and check with another run.",
    typos:
      "Run the test of the repositroy, find out why `parse_date` fials for 29 Febuary, fix it, and run the tests agian.",
    German:
      "Lass die Tests des Repositorys laufen, finde heraus, warum `parse_date` am 29. Februar scheitert, behebe es und lass die Tests noch " +
      "einmal laufen.",
    terse: "tests fail: `parse_date`, 29 February. find cause, fix, rerun tests",
    polite:
      "Hello, would you please run the tests of the repository, find out why `parse_date` fails for 29 February, fix it, and then kindly " +
      "run the tests again? Many thanks.",
  },
};

/** Ten everyday prompts from trivial to hard, each in five other wordings. */
export const WORDED_PROMPTS: readonly WordedPrompt[] = EVERYDAY_PROMPTS.flatMap((prompt) => {
  const wordings = WORDINGS[prompt.label];
  return wordings === undefined ? [] : [{ prompt, wordings }];
});
