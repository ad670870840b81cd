/** Units at the end of a text in which a closing is looked for. */
const TAIL_UNITS = 240;
/** Most that is left out at either end, one after the other: a greeting, a wish, an announcement, a label. */
const MOST_PARTS = 4;

/** Whole sentences, or labels, that a text of any content may begin with; each with the space after it. */
const OPENINGS = [
  "(?:hi|hello|hey|hiya|greetings|good (?:morning|afternoon|evening|day)|hallo|guten (?:tag|morgen|abend)|bonjour|bonsoir|¡?hola|buenos días|salut|olá|ciao)" +
    "(?: (?:there|all|again|everyone|everybody|team|guys|folks|friend|assistant|claude|chatgpt|gemini))* ?[,.!:]+",
  "dear [^,.:!?\\n]{1,40},",
  "(?:i )?hope (?:that )?(?:you|this|all|everything)\\b[^.!?:\\n]{0,60}[.!]",
  "(?:sorry|apologies) (?:to bother|for bothering|for disturbing|to disturb)[^.!?:\\n]{0,30}[.,!]",
  "(?:i (?:have|'ve got) (?:a|one|another|the following) (?:quick |small |short |simple )?(?:question|request|task)(?: for you)?|here is my (?:question|request|task)|" +
    "(?:quick|short|small|simple) question|my (?:question|request|task) is(?: as follows)?)[.:!]",
  "(?:could|can|would|will) you (?:please |kindly )?(?:help|assist) me(?: out)?(?: with (?:this|the following|something))?[.?:!]",
  "(?:please |(?:could|can|would|will) you (?:please |kindly )?)?(?:answer|address|consider|do|solve|complete|respond to) the following(?: (?:question|request|task|instruction|prompt))?(?: as (?:well|best) as you can)?[.:?!]",
  "you are (?:an? )?(?:(?:very |and )?(?:helpful|useful|knowledgeable|intelligent|smart|friendly|honest|harmless|careful|polite|great|good|excellent|ai)(?: and|,)? )+(?:assistant|model|chatbot|agent)[.!]",
  "(?:please )?(?:read|consider) (?:this|the following|what follows)\\b[^.!?:\\n]{0,40}[.!:]",
  "(?:(?:could|can|would|will) you (?:please|kindly)|please|kindly)\\b,?(?= )",
  "below is an instruction that describes a task[^\\n]*",
  "#+ ?(?:instruction|prompt|question|task|input|user|query|request)s?:?",
];
/** What a text of any content may end with, after the end of a sentence or a line. */
const CLOSINGS = [
  "(?:many thanks|thanks|thank you|thx|cheers|merci|(?:muchas )?gracias|danke|vielen dank|(?:muito )?obrigad[oa]|grazie)(?: (?:very much|so much|a lot|you|again|beaucoup|schön|mille))*(?:,? (?:in advance|for (?:your|the|any) [^.!?\\n]{1,30}))? ?[.!]*",
  "(?:(?:best|kind|warm|many) (?:regards|wishes)|(?:yours )?(?:sincerely|faithfully|truly)|regards|mit freundlichen grüßen|cordialement|un saludo),?(?:\\n[^\\n]{0,40}){0,2}",
  "(?:i am |i'm |i )?look(?:ing)? forward to [^.!?\\n]{1,40}[.!]*",
  "(?:i )?(?:would )?(?:really |greatly |much )?appreciate (?:it|your help|any help)[.!]*",
  "(?:please )?(?:think|reason|work)(?: it)?(?: through)?(?: very)? (?:carefully|hard|step[- ]by[- ]step)[^.!?\\n]{0,50}[.!]?",
  "(?:take your time|take a deep breath|please be careful)[^.!?\\n]{0,40}[.!]?",
  "(?:please )?(?:respond|answer|reply) in (?:plain text|markdown)(?: only)?[.!]?",
  "#+ ?(?:response|answer|assistant|output|solution):?",
];
const OPENING = new RegExp(`\\s*(?:${OPENINGS.join("|")})\\s*`, "iy");
/** Thanks that no request is about, which may follow a sentence without an end. */
const PLAIN_THANKS =
  "(?:many thanks|thanks|thank you)(?: (?:very much|so much|a lot))? (?:in advance|for your (?:help|time|answer))[.!]*";
const CLOSING = new RegExp(
  `(?:(?<=[.!?)\\n"'\`])\\s*(?:${CLOSINGS.join("|")})|\\s${PLAIN_THANKS})\\s*$`,
  "i",
);
const LETTER = /\p{L}|\p{N}/u;

/**
 * A text without the greeting, wish, announcement and label that it begins with, and the thanks, signature and appeal to think that
 * it ends with: they say nothing of the task. A text that is nothing else stays as it is. At most 2 µs for a text without any.
 */
export function withoutCourtesy(text: string): string {
  let start = 0;
  let end = text.length;
  for (let parts = 0; parts < MOST_PARTS; parts++) {
    OPENING.lastIndex = start;
    if (!OPENING.test(text)) break;
    start = OPENING.lastIndex;
  }
  for (let parts = 0; parts < MOST_PARTS; parts++) {
    const from = Math.max(start, end - TAIL_UNITS);
    const found = CLOSING.exec(text.slice(from, end));
    if (found === null) break;
    end = from + found.index;
  }
  const asked = text.slice(start, end);
  return LETTER.test(asked) ? asked : text;
}

/** How short the answer is to be, at the end of a text of any content. */
const SHORT_FORM =
  /(?<=[.!?:)\n"'`])\s*(?:please )?(?:answer|reply|respond)(?: only| just)?(?: in| with| by)? (?:yes or no|true or false|a? ?single (?:word|letter|sentence|number)|one word|the letter)\b[^.!?\n]{0,40}[.!]?\s*$/i;

/** A text without how short its answer is to be, which matters for the length of the answer alone; the text itself where it is nothing else. */
export function withoutShortForm(text: string): string {
  const from = Math.max(0, text.length - TAIL_UNITS);
  const asked = text.slice(0, from) + text.slice(from).replace(SHORT_FORM, "");
  return LETTER.test(asked) ? asked : text;
}
