import { readFileSync } from "node:fs";
import ts from "typescript";

/** One change of one place of the source, small enough that types and style may let it pass. */
export interface Fault {
  /** `path:line:column kind`, the same for the same source. */
  readonly id: string;
  readonly file: string;
  readonly line: number;
  readonly kind: "operator" | "bound" | "branch" | "field" | "default" | "statement";
  /** Offsets in the text of the file, and what stands there afterwards. */
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
  /** An expression that is evaluated when the place is reached. */
  readonly probe: { readonly start: number; readonly end: number };
  /** Whether it is evaluated when the module is loaded, whichever test loads it. */
  readonly atLoad: boolean;
}

type Change = Pick<Fault, "kind" | "replacement"> & { readonly node: ts.Node; readonly probe: ts.Node };

const OPERATORS = new Map<ts.SyntaxKind, string>([
  [ts.SyntaxKind.LessThanToken, "<="],
  [ts.SyntaxKind.LessThanEqualsToken, "<"],
  [ts.SyntaxKind.GreaterThanToken, ">="],
  [ts.SyntaxKind.GreaterThanEqualsToken, ">"],
  [ts.SyntaxKind.EqualsEqualsEqualsToken, "!=="],
  [ts.SyntaxKind.ExclamationEqualsEqualsToken, "==="],
  [ts.SyntaxKind.PlusToken, "-"],
  [ts.SyntaxKind.MinusToken, "+"],
  [ts.SyntaxKind.AsteriskToken, "/"],
  [ts.SyntaxKind.SlashToken, "*"],
  [ts.SyntaxKind.AmpersandAmpersandToken, "||"],
  [ts.SyntaxKind.BarBarToken, "&&"],
]);

/** All faults that can be planted in a file, in the order of its text. */
export function faultsIn(file: string): Fault[] {
  const text = readFileSync(file, "utf8");
  const kind = file.endsWith("x") ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.ES2023, true, kind);
  const faults: Fault[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isTypeNode(node) || ts.isInterfaceDeclaration(node) || ts.isImportDeclaration(node)) return;
    for (const change of changesOf(node)) {
      const start = change.node.getStart(source);
      const { line, character } = source.getLineAndCharacterOfPosition(start);
      faults.push({
        id: `${file}:${line + 1}:${character + 1} ${change.kind}`,
        file,
        line: line + 1,
        kind: change.kind,
        start,
        end: change.node.end,
        replacement: change.replacement,
        probe: { start: change.probe.getStart(source), end: change.probe.end },
        atLoad: !isInFunction(change.node),
      });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return faults;
}

function* changesOf(node: ts.Node): Generator<Change> {
  if (ts.isBinaryExpression(node)) {
    const operator = node.operatorToken;
    const other = OPERATORS.get(operator.kind);
    // A sum of texts stays one, and what is tested for a value of a kind does not compile the other way round.
    const isText = operator.kind === ts.SyntaxKind.PlusToken && [node.left, node.right].some(hasText);
    if (other !== undefined && !isText) {
      yield { kind: "operator", node: operator, replacement: other, probe: node };
    }
    if (operator.kind === ts.SyntaxKind.QuestionQuestionToken) {
      yield { kind: "default", node: node.right, replacement: otherValue(node.right), probe: node.left };
    }
  }
  if (ts.isNumericLiteral(node) && !ts.isPropertyAssignment(node.parent) && !ts.isEnumMember(node.parent)) {
    yield { kind: "bound", node, replacement: `(${node.text} + 1)`, probe: node };
  }
  if (ts.isIfStatement(node)) {
    const condition = node.expression;
    yield { kind: "branch", node: condition, replacement: `!(${condition.getText()})`, probe: condition };
  }
  if (ts.isConditionalExpression(node)) {
    const swapped = `${node.whenFalse.getText()} : ${node.whenTrue.getText()}`;
    const range = { getStart: () => node.whenTrue.getStart(), end: node.whenFalse.end } as ts.Node;
    yield { kind: "branch", node: range, replacement: swapped, probe: node.condition };
  }
  if (ts.isPropertyAssignment(node) && ts.isObjectLiteralExpression(node.parent) && isNamed(node.name)) {
    const value = node.initializer;
    yield { kind: "field", node: value, replacement: otherValue(value), probe: value };
  }
  if (ts.isParameter(node) && node.initializer) {
    const value = node.initializer;
    yield { kind: "default", node: value, replacement: otherValue(value), probe: value };
  }
  if (ts.isExpressionStatement(node) && ts.isCallExpression(node.expression)) {
    const isSuper = node.expression.expression.kind === ts.SyntaxKind.SuperKeyword;
    if (!isSuper) {
      yield { kind: "statement", node: node.expression, replacement: "void 0", probe: node.expression };
    }
  }
}

const isNamed = (name: ts.PropertyName): boolean => ts.isIdentifier(name) || ts.isStringLiteral(name);

const hasText = (node: ts.Node): boolean =>
  ts.isStringLiteralLike(node) ||
  ts.isTemplateExpression(node) ||
  (ts.isBinaryExpression(node) && hasText(node.left));

/** A value of the same kind where that is plain, else none. */
function otherValue(value: ts.Expression): string {
  if (value.kind === ts.SyntaxKind.TrueKeyword) return "false";
  if (value.kind === ts.SyntaxKind.FalseKeyword) return "true";
  if (ts.isNumericLiteral(value)) return `(${value.text} + 1)`;
  if (ts.isStringLiteralLike(value)) return value.text === "" ? '"planted"' : '""';
  return "(undefined as never)";
}

function isInFunction(node: ts.Node): boolean {
  for (let at = node.parent; at !== undefined; at = at.parent) {
    if (ts.isFunctionLike(at)) return true;
  }
  return false;
}
