import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

const ROOT = path.resolve(import.meta.dirname, '../..');

/** A file of the repository as the compiler reads it; `name` is its path from the root. */
export type Source = { name: string; file: ts.SourceFile };

/** Parses all files of the product below a folder: neither tests nor what only tests use. */
export function readSources(folder: 'app' | 'server'): Source[] {
  return readdirSync(path.join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /(?<!\.test)\.tsx?$/.test(entry.name))
    .map((entry) => path.relative(ROOT, path.join(entry.parentPath, entry.name)))
    .filter((name) => !/(^|\/)testing\/|\.d\.ts$/.test(name))
    .sort()
    .map((name) => ({ name, file: parseSource(name, readFileSync(path.join(ROOT, name), 'utf8')) }));
}

export function parseSource(name: string, text: string): ts.SourceFile {
  const kind = name.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  return ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true, kind);
}

/** Calls `visit` with every node, parents first. */
export function walk(node: ts.Node, visit: (node: ts.Node) => void): void {
  visit(node);
  ts.forEachChild(node, (child) => walk(child, visit));
}

export const isText = (
  node: ts.Node,
): node is ts.StringLiteral | ts.NoSubstitutionTemplateLiteral | ts.TemplateExpression =>
  ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node) || ts.isTemplateExpression(node);

/** What a literal says, with `gap` for each value that a template puts in. */
export function textOf(
  node: ts.StringLiteral | ts.NoSubstitutionTemplateLiteral | ts.TemplateExpression,
  gap: string,
): string {
  if (!ts.isTemplateExpression(node)) return node.text;
  return [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join(gap);
}

/** The expressions that a condition, `&&`, `??`, `+` or brackets choose from; the node itself when there is no choice. */
export function choicesOf(node: ts.Expression): ts.Expression[] {
  if (ts.isConditionalExpression(node)) return [...choicesOf(node.whenTrue), ...choicesOf(node.whenFalse)];
  if (ts.isParenthesizedExpression(node) || ts.isAsExpression(node) || ts.isNonNullExpression(node)) {
    return choicesOf(node.expression);
  }
  if (ts.isSatisfiesExpression(node)) return choicesOf(node.expression);
  if (!ts.isBinaryExpression(node)) return [node];
  const right = choicesOf(node.right);
  return node.operatorToken.kind === ts.SyntaxKind.AmpersandAmpersandToken
    ? right
    : [...choicesOf(node.left), ...right];
}

/** `components/ui/form.tsx:12`, for messages. */
export function placeOf({ name, file }: Source, node: ts.Node): string {
  return `${name}:${file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1}`;
}
