import { describe, expect, it } from "vitest";
import { withoutCourtesy } from "../../../src/engine/estimation/courtesy.js";

const ASKED = "Sort these names: Zoe, Al.";

describe("What is asked, without courtesy", () => {
  it.each([
    ["a greeting", `Hi there! ${ASKED}`],
    ["a greeting, a wish and an announcement", `Hello, I hope you are well. I have a question:\n\n${ASKED}`],
    ["a name that is addressed", `Dear Dr Watson's team,\n${ASKED}`],
    ["a request for help", `Good morning! Could you please help me with this? ${ASKED}`],
    ["the role that every assistant has", `You are a helpful, harmless assistant. ${ASKED}`],
    [
      "a template of instructions",
      `Below is an instruction that describes a task.\n\n### Instruction:\n${ASKED}\n\n### Response:`,
    ],
    ["thanks", `${ASKED} Thank you very much in advance!`],
    ["thanks after a text without an end", `${ASKED} many thanks for your help`],
    [
      "thanks, hope and a signature",
      `${ASKED}\n\nThanks. I look forward to your answer!\n\nBest regards,\nMara`,
    ],
    ["an appeal to think", `${ASKED} Think carefully and check your work.`],
    ["German", `Guten Tag! ${ASKED} Vielen Dank!\n\nMit freundlichen Grüßen\nMara`],
    ["French", `Bonjour ! ${ASKED} Merci beaucoup !\nCordialement`],
    ["Spanish", `¡Hola! ${ASKED} Muchas gracias.`],
    ["Portuguese", `Olá! ${ASKED} Muito obrigada!`],
    ["Italian", `Ciao! ${ASKED} Grazie mille!`],
  ])("stays alone after %s", (_, text) => {
    expect(withoutCourtesy(text)).toBe(ASKED);
  });

  it("stays after four parts, and what follows them with it", () => {
    expect(withoutCourtesy(`${"Hello! ".repeat(5)}${ASKED}${" Thank you!".repeat(5)}`)).toBe(
      `Hello! ${ASKED} Thank you!`,
    );
  });

  it.each([
    ...["Hi!", "Thanks a lot.", "Hello, I hope you are well.", "Good morning", "", "!?"],
    ...["How do I say thank you", "Hello world in Rust, please", "Say: best wishes to whom?", "Dear me"],
    ...["You are a pediatric surgeon. Explain croup.", "Help me: my cat is stuck. Should I call?"],
    ...["Thanks, and what is croup?", "Question: is 7 prime?\nAnswer:"],
  ])("is the whole text where it is nothing else, or is no courtesy: %j", (text) => {
    expect(withoutCourtesy(text)).toBe(text);
  });

  it.each([
    ...["Write 'best regards' in French", "Translate: good morning, dear friends"],
    ...["What is the difference between regards and best wishes?", "Hi is short for which word?"],
    ...["Dear John letters: where does the name come from?", "Dank memes: what are they?"],
    "Translate into German: Thank you for your help, see you tomorrow",
  ])("is the whole text where the words are what is asked about: %j", (text) => {
    expect(withoutCourtesy(text)).toBe(text);
  });

  it.each(["hi ", "hello, ", "\n", ". \n", "\n thanks ", ", thank you", ". regards,\n"])(
    "is found in linear time, also in %j again and again",
    (words) => {
      for (const text of [`${words.repeat(300_000)}${ASKED}`, `${ASKED}${words.repeat(300_000)}`])
        expect(withoutCourtesy(text).length).toBeGreaterThanOrEqual(ASKED.length);
    },
  );
});
