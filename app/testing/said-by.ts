import ts from 'typescript';
import { choicesOf, walk } from './source-files.ts';

/** How far a name is followed to the text that it stands for. */
const DEPTH = 4;

/**
 * What an expression can say, as far as its own file tells: texts, choices between them, constants, entries of a constant
 * table, arguments that callers in the file give. A value that nobody there knows is a 7 inside of a text; alone it comes
 * back as the code that makes it, between `‹` and `›`.
 */
export function saidBy(node: ts.Expression): string[] {
  return [
    ...new Set(choicesOf(node).flatMap((choice) => follow(choice, DEPTH) ?? [`‹${choice.getText()}›`])),
  ];
}

function follow(node: ts.Expression, depth: number): string[] | undefined {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return [node.text];
  if (ts.isTemplateExpression(node)) return combine(node, depth);
  if (node.kind === ts.SyntaxKind.NullKeyword || node.getText() === 'undefined') return [];
  if (depth === 0) return undefined;
  if (ts.isElementAccessExpression(node)) return tableOf(node.expression, depth);
  if (!ts.isIdentifier(node)) return undefined;
  const sources = meaningsOf(node);
  const said = sources.flatMap((source) => choicesOf(source).map((choice) => follow(choice, depth - 1)));
  return said.length === 0 || said.includes(undefined) ? undefined : said.flatMap((texts) => texts ?? []);
}

/** Every way to fill in a template. */
function combine(node: ts.TemplateExpression, depth: number): string[] {
  return node.templateSpans.reduce(
    (starts, { expression, literal }) => {
      const values = choicesOf(expression).flatMap(
        (choice) => (depth > 0 && follow(choice, depth - 1)) || ['7'],
      );
      return starts.flatMap((start) => [...new Set(values)].map((value) => start + value + literal.text));
    },
    [node.head.text],
  );
}

/** All texts of a constant table, `WORDS[key]`. */
function tableOf(table: ts.Expression, depth: number): string[] | undefined {
  const [object] = ts.isIdentifier(table) ? meaningsOf(table) : [];
  if (!object || !ts.isObjectLiteralExpression(object)) return undefined;
  return object.properties.flatMap((property) =>
    ts.isPropertyAssignment(property) ? (follow(property.initializer, depth - 1) ?? []) : [],
  );
}

/** What a name is: its constant's value, or what the file's callers give for a parameter. */
function meaningsOf(name: ts.Identifier): ts.Expression[] {
  const file = name.getSourceFile();
  const out: ts.Expression[] = [];
  walk(file, (node) => {
    if (ts.isVariableDeclaration(node) && node.name.getText() === name.text && node.initializer)
      out.push(node.initializer);
  });
  if (out.length > 0) return out.map(unwrap);
  for (let node: ts.Node | undefined = name; node; node = node.parent) {
    if (!ts.isFunctionLike(node)) continue;
    const place = node.parameters.findIndex((parameter) => parameter.name.getText() === name.text);
    if (place >= 0) return argumentsOf(file, functionName(node), place);
  }
  return [];
}

const unwrap = (node: ts.Expression): ts.Expression =>
  choicesOf(node).length === 1 ? (choicesOf(node)[0] ?? node) : node;

function functionName(node: ts.SignatureDeclaration): string | undefined {
  if (node.name) return node.name.getText();
  return ts.isVariableDeclaration(node.parent) ? node.parent.name.getText() : undefined;
}

function argumentsOf(file: ts.SourceFile, name: string | undefined, place: number): ts.Expression[] {
  const out: ts.Expression[] = [];
  walk(file, (node) => {
    if (!ts.isCallExpression(node) || node.expression.getText() !== name) return;
    const given = node.arguments[place];
    if (given) out.push(given);
  });
  return out;
}
