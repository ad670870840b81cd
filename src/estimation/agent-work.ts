/**
 * What marks a task of an agent: its own text, a repository, the path of a file, the headings of an issue, a stack trace. Found in 91 % of
 * 300 issues, 88 % of 34 shell tasks and 8 of 21 tasks of a web project, which were looked at; in 1 % of 3,074 other prompts. An
 * expression is run where the text has one of its hints.
 */
const MARKS: readonly { readonly hints: readonly string[]; readonly mark: RegExp }[] = [
  {
    hints: ["ou are", "ou have", "ou can"],
    mark: /\byou (?:are (?:an?|the) (?:[\w-]+ ){0,4}agent\b|(?:have access to|can use) (?:the following |these )?(?:tools|a (?:shell|terminal|sandbox)))/i,
  },
  {
    hints: ["existing", "repo", "Repo", "code", "Code", "project", "pull request", "github.com"],
    mark: /\b(?:repo|repository|code ?base)\b|\bthis (?:[\w.+-]+ )?project\b|\bexisting (?:patterns?|conventions|code|components?|tests|structure)\b|\bpull request\b|\bgithub\.com\/[\w-]+\/[\w-]/i,
  },
  {
    hints: ["/", "sx"],
    mark: /\b\w+\.[tj]sx\b|\/[\w-]+\.(?:py|tsx?|jsx?|mjs|go|rs|java|rb|c|h|cpp|hpp|cs|php|json|ya?ml|toml|md|log|sh|css|cfg|ini)\b|(?:^|[\s`'"(])\/(?:workspace|testbed|app|var|etc|data|home|usr|tmp|opt|src|root)\/\w/,
  },
  {
    hints: ["#", "ehavio", "to reproduce", "Description"],
    mark: /^Description\s*$|^#{1,4} *(?:description|bug|steps to|to reproduce|reproduc|expected|actual|environment|versions?|proposed|current behaviou?r|what happened|additional)|\bsteps to reproduce\b|\b(?:expected|actual|current) behaviou?r\b/im,
  },
  {
    hints: ["<"],
    mark: /<!-- *(?:this|please|thank|provide|if you|describe)|<(?:tools|tool_call|function_calls|uploaded_files|repository)>/i,
  },
  {
    hints: ["Traceback", "  File ", " at ", ">>> ", "In ["],
    mark: /^(?:>>> |In \[\d+\]:)|^Traceback \(most recent call last\)|^ +File ".{1,200}", line \d|^ +at [\w.$<>]{1,100} ?\(.{1,200}:\d/m,
  },
];

/** Of a longer text, its two ends are searched. */
const HEAD_UNITS = 3000;
const TAIL_UNITS = 1500;

/** Whether a prompt is the task of an agent, which is billed for many calls. */
export function isAgentWork(text: string): boolean {
  const ends =
    text.length <= HEAD_UNITS + TAIL_UNITS
      ? text
      : `${text.slice(0, HEAD_UNITS)}\n${text.slice(-TAIL_UNITS)}`;
  return MARKS.some(({ hints, mark }) => hints.some((hint) => ends.includes(hint)) && mark.test(ends));
}
