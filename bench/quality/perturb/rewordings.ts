/** Changes that leave the question as it was. */
const BEFORE = [
  "Hi there! Could you please help me with this? ",
  "Hello, I hope you are doing well. I have a question for you:\n\n",
  "Please answer the following as well as you can.\n\n",
  "Good morning! ",
] as const;
const AFTER = ["", " Thank you very much in advance!", "\n\nThanks!"] as const;

/** A greeting, a request or thanks around the text, one of twelve ways by its number. */
export function addPoliteness(text: string, number: number): string {
  const before = BEFORE[number % BEFORE.length] ?? "";
  const after = AFTER[Math.floor(number / BEFORE.length) % AFTER.length] ?? "";
  return before + text + after;
}

/** All letters in upper or all in lower case, in turn. */
export function changeCase(text: string, number: number): string {
  return number % 2 === 0 ? text.toUpperCase() : text.toLowerCase();
}
