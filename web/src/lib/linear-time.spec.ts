import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, it } from 'vitest';

/** Files whose exported functions read texts of strangers: answers, passages, prompts, templates, receipts. */
const AREAS =
  /^features\/(?:run|template|changes)\/|^kit\/ui\/(?:diff|field-problems|wording)|^features\/assistants\/(?:form\/suggested-questions|recipes\/titles)/;
/** Functions whose strings are ids, addresses or names of the program, not texts. */
const NO_TEXTS = new Set([
  'fieldText',
  'partLabel',
  'follow',
  'reportOf',
  'reportMarkdownOf',
  'beginning',
  'passagesOf',
  'runAlone',
  'skipText',
  'reasonOf',
  'wordsAt',
  'partsWith',
  'startOfDay',
  'suggestedMember',
  'titlesIn',
]);

/** A quarter is above the bounds up to which the reader of Markdown may take the square (`REACH`). */
const LENGTH = 100_000;
/** CPU time below which growth is not measured. */
const SUSPECT_MS = 500;
/** Most growth of the time for a text four times as long: 4 is linear, 16 quadratic. */
const LINEAR_GROWTH = 10;

const filled = (unit: string, length: number): string => unit.repeat(Math.ceil(length / unit.length));
const RUNS = [
  ...[' ', '\t', ' \n', '\u00a0', '\u00ad', '#', '| ', '*', '**a ', '_', '`', '~', '$', '$a', '\\(', '- ', '> '],
  ...['1. ', '[', '[a](', '![', '(', '<', '<a>', '<!--', '&', '{', '{a}', '{a ', '"', '["', 'a.', 'e\u0301', '光'],
  ...['data:image/png;base64,', 'https://a.b/', '\n\n', 'a\n', 'Messages:\n[', '\n]\n\nBody:', ' [1]', '[1, '],
];
const HOSTILE: readonly ((length: number) => string)[] = [
  ...RUNS.map((unit) => (length: number) => `Name${filled(unit, length)}Points\n`),
  (length) => `Messages:\n[${filled('\n]\n\nBody', length)}`,
  (length) => `## a${filled(' ', length)}b\n`,
  (length) => `## ${filled('#', length)}b\n`,
  (length) => `| a |\n| - |\n${filled('| b |\n', length)}`,
  (length) => Array.from({ length: Math.ceil(length / 7) }, (_, index) => `alike${index}`).join(' '),
  (length) => Array.from({ length: Math.ceil(length / 7) }, (_, index) => `{a_${index}}`).join('\n'),
];

/** Arguments by the type of the parameter, as the source spells it. The second text differs from the first everywhere. */
const ARGUMENTS: Readonly<Record<string, (text: string, index: number) => unknown>> = {
  string: (text, index) => (index === 0 ? text : `${text.slice(1)}z`),
  'string | undefined': (text) => text,
  number: () => 10,
  SlotGrammar: () => ({ types: ['context'], names: ['1_context'] }),
  'readonly Filler[]': (text) => [{ name: text, fills: true }],
  'readonly ReceiptKey[]': () => [],
  'readonly { readonly url: string }[]': (text) => [{ url: text }],
};

interface TextFunction {
  readonly file: string;
  readonly name: string;
  readonly types: readonly string[];
}

function exportedBy(file: string): TextFunction[] {
  const source = ts.createSourceFile(
    file,
    readFileSync(join(import.meta.dirname, file), 'utf8'),
    ts.ScriptTarget.ES2022,
    true,
  );
  const functions = source.statements.flatMap((node): (readonly [string, ts.SignatureDeclaration])[] => {
    const isExported =
      ts.canHaveModifiers(node) && ts.getModifiers(node)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
    if (isExported !== true) return [];
    if (ts.isFunctionDeclaration(node)) return [[node.name?.text ?? '', node]];
    if (!ts.isVariableStatement(node)) return [];
    return node.declarationList.declarations.flatMap(({ name, initializer }) =>
      initializer !== undefined && ts.isArrowFunction(initializer) ? [[name.getText(source), initializer]] : [],
    );
  });
  return functions.map(([name, { parameters }]) => ({
    file,
    name,
    types: parameters
      .filter(({ initializer, questionToken }) => initializer === undefined && questionToken === undefined)
      .map(({ type }) => type?.getText(source) ?? '?'),
  }));
}

const FUNCTIONS = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
  .filter((file) => AREAS.test(file) && /(?<!\.spec|\.d|\.svelte)\.ts$/.test(file))
  .flatMap(exportedBy)
  .filter(({ name, types }) => types.some((type) => /^string\b/.test(type)) && !NO_TEXTS.has(name));

it('knows how to call each function that reads texts of strangers', () => {
  expect(FUNCTIONS.filter(({ types }) => types.some((type) => !(type in ARGUMENTS)))).toEqual([]);
  expect(FUNCTIONS.length).toBeGreaterThan(15);
});

it.each(FUNCTIONS.map((each) => [`${each.file}: ${each.name}`, each] as const))(
  '%s takes a hostile text in linear time',
  async (_, { file, name, types }) => {
    const exports = (await import(/* @vite-ignore */ join(import.meta.dirname, file))) as Readonly<
      Record<string, (...args: unknown[]) => unknown>
    >;
    const call = exports[name];
    if (call === undefined) throw new Error(`${file} does not export ${name}`);
    const timeOf = async (text: string): Promise<number> => {
      const args = types.map((type, index) => ARGUMENTS[type]?.(text, index));
      const before = process.cpuUsage();
      try {
        await call(...args);
      } catch (error) {
        // A refusal is an answer.
        if (error instanceof TypeError) throw error;
      }
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1_000;
    };
    for (const hostile of HOSTILE) {
      if ((await timeOf(hostile(LENGTH))) <= SUSPECT_MS) continue;
      const least = async (length: number): Promise<number> =>
        Math.min(await timeOf(hostile(length)), await timeOf(hostile(length)), await timeOf(hostile(length)));
      const growth = (await least(LENGTH)) / Math.max(1, await least(LENGTH / 4));
      if (growth > LINEAR_GROWTH) {
        throw new Error(`${growth} times the time for four times ${JSON.stringify(hostile(20))}`);
      }
    }
  },
);
