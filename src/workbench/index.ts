/** What learns profile sets, as the command line and the entry points use it. */
export { collect } from "./collect.js";
export { chooseWeight, chooseWeights, saveChosenWeight, setToSaveIn } from "./evaluation/choose-weight.js";
export { compareEvaluations } from "./evaluation/compare.js";
export {
  checkBaseline,
  DEFAULT_TOLERANCE,
  decodeBaseline,
  encodeBaseline,
  isSlower,
  judge,
  junitReport,
  sensitivityText,
  signedPercent,
  signedPoints,
} from "./evaluation/gate.js";
export { measureLatency } from "./evaluation/latency.js";
export { setDifference } from "./evaluation/set-difference.js";
export { choiceGrader } from "./graders/choice.js";
export { commandGrader } from "./graders/command.js";
export { exactGrader } from "./graders/exact.js";
export { GradingError } from "./graders/grader.js";
export { jsonSchemaGrader } from "./graders/json-schema.js";
export { JUDGE_SCALES, judgeGrader } from "./graders/judge.js";
export { numberGrader } from "./graders/number.js";
export { regexGrader } from "./graders/regex.js";
export { MOST_TIMEOUT_MS } from "./graders/timed-match.js";
export { labelNext } from "./labels/label-next.js";
export { priceProblem } from "./outcomes/field-values.js";
export { OutcomeDataError } from "./outcomes/outcome-data-error.js";
export { mixedScales } from "./outcomes/score-scales.js";
export { placeNewModel } from "./placement/add-model.js";
export { noAnswers, readAnswersOf, readScoresOf, scoreProblem } from "./placement/given-evidence.js";
export { openPlaceableSet } from "./placement/placeable-set.js";
export { copyWithoutModel, dropModel, isBuiltIn, writeAddedProfile } from "./placement/profile-files.js";
export { samplePrompts } from "./prompts/prompt.js";
export { readPromptTable } from "./prompts/read-prompts.js";
export { counted, recommendedWeightText } from "./report/figures.js";
export { withWeights } from "./report/page/held-out-section.js";
export { reportPage } from "./report/page/page.js";
export { reportSet } from "./set-report/set-report.js";
export { OptionError, WorkbenchError } from "./workbench-error.js";
