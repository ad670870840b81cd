/** Generated prompts: topics of real words, so that their embeddings form clusters like real ones. */

const TOPICS: readonly string[] = [
  "proof theorem lemma induction integer prime modulo sequence converge integral derivative matrix eigenvalue bounded",
  "python function list dictionary exception async iterator decorator class method import test refactor pandas numpy",
  "bash shell pipe grep directory permission cron script variable process kill port socket ssh tail awk",
  "patient symptom dose diagnosis fever chronic treatment blood pressure artery infection antibiotic allergy surgery",
  "apples cost dollars each bought friends share left many total more than twice half week minutes how",
  "contract clause liability tenant landlord notice breach court statute damages appeal plaintiff defendant evidence",
  "poem story rhyme character dragon winter lonely ocean verse metaphor dialogue chapter narrator dream silver",
  "recipe flour butter oven simmer garlic onion roast sauce vegan bake teaspoon dough spicy slice",
  "select join table index query transaction rows column aggregate schema foreign key migration postgres timeout",
  "electron orbital molecule reaction acid catalyst enthalpy bond isotope solvent titration oxidation ion polymer",
  "email polite subject meeting reschedule colleague apologise deadline invoice attached regards thank reply draft",
  "empire treaty revolution century king parliament war trade colony dynasty reform election border crisis",
  "train hotel itinerary flight museum beach budget passport luggage visa weekend guide family hiking map",
  "neural network gradient loss layer training overfit transformer attention dataset label accuracy regularise batch",
  "voltage current resistor capacitor circuit sensor signal amplifier frequency noise filter battery motor torque",
  "stock inflation interest bond portfolio hedge revenue margin tax budget demand supply price monopoly growth",
];

const GLUE =
  "what is the of a to in and how do you explain why does for with that this please can between when which my write";

const words = (text: string): readonly string[] => text.split(" ");
const TOPIC_WORDS = TOPICS.map(words);
const GLUE_WORDS = words(GLUE);

/** Topics a prompt can be of. */
export const TOPIC_COUNT = TOPICS.length;

/** A prompt of `length` words on a topic (any integer), two in five of them glue. `random` gives [0, 1). */
export function makePrompt(topic: number, length: number, random: () => number): string {
  const subject = TOPIC_WORDS[topic % TOPIC_COUNT] ?? GLUE_WORDS;
  const pick = (from: readonly string[]) => from[Math.floor(random() * from.length)] ?? "";
  return Array.from({ length }, () => pick(random() < 0.4 ? GLUE_WORDS : subject)).join(" ");
}

/** Uniform in [0, 1), the same for the same seed: a linear congruential generator (Numerical Recipes). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
