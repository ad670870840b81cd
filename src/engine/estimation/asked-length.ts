/** Tokens of one unit of text that a prompt may ask for (guesses from English answers: 1.35 tokens a word, 20 words a sentence). */
const TOKENS_OF_UNIT: readonly (readonly [RegExp, number])[] = [
  [/^(?:word|wort|wört|palabra|mot)/, 1.35],
  [/^(?:character|zeichen|caract|carácter)/, 0.25],
  [/^(?:sentence|satz|sätz|frase|oraci|phrase)/, 27],
  [/^(?:paragraph|absatz|absätz|párrafo)/, 110],
  [/^(?:page|seite|página)/, 600],
  [/^(?:stanza|strophe|estrofa)/, 60],
  [/./, 40],
];

const NUMBER_WORDS: Readonly<Record<string, number>> = {
  one: 1,
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  seven: 7,
  eight: 8,
  nine: 9,
  ten: 10,
  einem: 1,
  zwei: 2,
  drei: 3,
  vier: 4,
  fünf: 5,
  una: 1,
  une: 1,
  dos: 2,
  tres: 3,
  cuatro: 4,
  cinco: 5,
  deux: 2,
  trois: 3,
  quatre: 4,
  cinq: 5,
};

const UNITS =
  "words?|wort|wörtern?|worten?|palabras?|mots?|characters?|zeichen|caracteres|caractères|sentences?|satz|sätzen?|frases?|oraci(?:ón|ones)|phrases?|paragraphs?|absatz|absätzen?|párrafos?|paragraphes?|pages?|seiten?|páginas?|stanzas?|strophe[ns]?|estrofas?|bullets?|bullet points?|tips?|ideas?|examples?|reasons?|suggestions?|tipps|ideen|beispiele|gründe|consejos|ejemplos|razones|conseils|idées|exemples|raisons";

const NUMBERED = new RegExp(
  `(?<![\\p{L}\\d$€.,]|\\b(?:the|these|those|given|following|die|los|las|les) )(\\d{1,3}(?:,\\d{3})|\\d{1,5}|${Object.keys(NUMBER_WORDS).join("|")})[\\s-]+(?:(?!and\\b)\\p{L}{3,12}[\\s-]+)?(${UNITS})(?![\\p{L}])(?!\\s(?:each|per|apiece|jeweils|cada|chacun))`,
  "giu",
);
/** Chinese and Japanese count signs; fewer than a hundred are those of a title or of one sentence among others. */
const SIGNS = /(\d{3,5})\s*个?(?:字|文字)/gu;
const TOKENS_OF_SIGN = 1.2;
/** No model answers at greater length in one turn. */
const MOST_ASKED = 6000;

/**
 * Tokens of the answer that a prompt asks for in so many words ("in 200 words", "three sentences", "5 tips"); the largest of
 * several figures. 0 when it names none. Only the given text is read: pass the instruction, not its material.
 */
export function askedLength(text: string): number {
  let most = 0;
  for (const [, count = "", unit = ""] of text.matchAll(NUMBERED)) {
    const number = NUMBER_WORDS[count.toLowerCase()] ?? Number(count.replace(",", ""));
    const [, tokens] = TOKENS_OF_UNIT.find(([pattern]) => pattern.test(unit.toLowerCase())) as [
      RegExp,
      number,
    ];
    most = Math.max(most, number * tokens);
  }
  for (const [, count] of text.matchAll(SIGNS)) most = Math.max(most, Number(count) * TOKENS_OF_SIGN);
  return Math.min(most, MOST_ASKED);
}
