import { cutText } from '@bellwether/extraction';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/** Folders and files whose exported functions read texts of strangers: documents, questions, answers, rubrics, templates. */
const PLACES = [
  'connectors/catalog/quotes',
  'knowledge-bases/ingestion',
  'knowledge-bases/retrieval/candidate.ts',
  'knowledge-bases/retrieval/own-passage.ts',
  'knowledge-bases/retrieval/select-passages.ts',
  'knowledge-bases/retrieval/question',
  'knowledge-bases/search/searchable-text.ts',
  '../extensions/lamb-import/metadata-references.ts',
  '../extensions/lamb-import/organization-settings.ts',
  'orchestrators/planning/decompose.ts',
  '../packages/extraction/src',
  '../packages/kernel/src/chat',
  '../packages/kernel/src/templates',
  '../packages/kernel/src/values',
  'rubrics',
];
const LENGTH = 100_000;
/** Calls faster than this are not measured again. A quadratic pattern takes about ten seconds at `LENGTH`. */
const SUSPECT_MS = 2_000;
/** Sixteen times the length takes 16 times as long in linear time and 256 times as long in quadratic time. */
const LENGTHS_APART = 16;
const LINEAR_GROWTH = 64;

const filled = (unit: string, length: number): string => unit.repeat(Math.ceil(length / unit.length));
const SPACES = [' ', '\t', ' \n', '\u00a0'];
const SIGNS = ['#', '| ', '*', '**a ', '`', '$', '- ', '. ', '…', '"', '“', '«'];
const WORDS = ['1', '1.', 'aB', 'a.', 'a@', 'a-', 'e\u0301', '光'];
const OPEN = ['[', '[a](', '(', '<', '<a>', '&', '{a', '-->'];
const HOSTILE: readonly ((length: number) => string)[] = [
  ...[...SPACES, ...SIGNS, ...WORDS, ...OPEN].map((run) => (length: number) => `Name${filled(run, length)}Points\n`),
  (length) => `## a${filled(' ', length)}b\n`,
  (length) => `## ${filled('#', length)}b\n`,
  (length) => `| a${filled(' ', length)}b |\n| - |\n`,
  (length) => {
    const blank = filled(' ', length);
    return `<p>${blank}x</p><pre>${blank}x</pre><table><tr><td>a${blank}b</td></tr></table>`;
  },
  (length) => `<m:oMath><m:r>${filled('<w:rPr>', length)}</m:r></m:oMath>`,
  (length) => `WEBVTT\n\n00:01.000 --> 00:02.000\n${filled('{\\an', length)}`,
  (length) => `NaN${filled('\\"', length)}`,
  (length) => filled('Mixed — “text”, [links](x) and | tables |\n\n# With #\n* lists\n', length),
];

const rubricOf = (text: string): unknown => ({
  rubricId: 'r',
  title: text,
  description: text,
  metadata: { subject: text, gradeLevel: text },
  scoringType: 'points',
  maxScore: 10,
  criteria: [
    {
      id: 'c',
      name: text,
      description: text,
      weight: 1,
      order: 1,
      levels: [{ id: 'l', score: 1, label: text, description: text }],
    },
  ],
});

/** An organization of another LAMB, with a strange text in all that the import reads. */
const organizationOf = (text: string): Record<string, unknown> => ({
  id: 1,
  slug: text,
  name: text,
  config: {
    system_prompt: text,
    setups: {
      default: {
        providers: { openai: { enabled: true, api_key: text, base_url: text, models: [text], default_model: text } },
        knowledge_base: { server_url: text, api_token: text },
      },
    },
    features: { [text]: true },
  },
});

/** Arguments by the type of the parameter, as the source spells it. */
const ARGUMENTS: Readonly<Record<string, (text: string) => unknown>> = {
  string: (text) => text,
  'string | null': (text) => text,
  'string | undefined': (text) => `vanish ${text}`,
  HiddenStyles: () => new Set(['Hidden']),
  WordLists: () => ({
    numberings: new Map([['1', { id: '1', abstractId: '1', starts: new Map(), restarts: new Map() }]]),
    styles: new Map(),
  }),
  OpenedParts: (text) =>
    Object.assign(new Map([['word/embeddings/part.xml', Buffer.from(text)]]), { opened: new Set<string>() }),
  'readonly unknown[]': (text) => [
    { subtype: 'FreeText', contentsObj: { str: text }, rect: [0, 0, 100, 20] },
    { subtype: 'Widget', fieldType: 'Tx', fieldValue: text, rect: [0, 0, 100, 20] },
  ],
  'readonly PdfTextItem[]': () => [],
  'readonly LabelledSlot[]': (text) => [{ name: '1_context', label: text }],
  TemplateStyle: () => 'en',
  TemplateLanguage: () => 'en',
  unknown: rubricOf,
  RubricDocument: rubricOf,
  RubricFormat: () => 'markdown',
  boolean: () => true,
  number: () => 1_000,
  'readonly number[]': () => [1, 2, 5],
  Buffer: (text) => Buffer.from(text),
  TextEncoding: () => 'utf-8',
  Source: (text) => ({ bytes: Buffer.from(text), encoding: 'utf-8', limits: { maxCharacters: 5 * LENGTH } }),
  'readonly string[]': (text) => [text],
  'readonly string[] | undefined': (text) => [text],
  'readonly (readonly string[])[]': (text) => [['a', text], text.split('|', 50)],
  'readonly ChatMessage[]': (text) => [
    { role: 'user', content: text },
    { role: 'user', content: text },
  ],
  "ChatMessage['content']": (text) => [{ type: 'text', text }],
  'readonly SourcePassage[]': (text) => [{ n: 1, title: 'Title', text }],
  'readonly T[]': (text) => [{ text }, { text: `${text}.` }],
  'Iterable<T>': (text) => [{ text }, { text: `${text}.` }],
  Calendar: () => 1900,
  ChunkSource: (text) => ({ text, pages: [], cuts: cutText(text, { size: 1_000, overlap: 150 }) }),
  TextCuts: (text) => cutText(text, { size: 1_000, overlap: 150 }),
  ChunkingOptions: () => ({ size: 1_000, overlap: 150 }),
  SlotGrammar: () => ({ types: ['context'], names: ['1_context'] }),
  SlotRenames: () => new Map([['a', 'b']]),
  '(type: string) => boolean': () => () => true,
  'readonly Correction[]': (text) => [{ from: 'levle', to: text, like: [] }],
  'Readonly<Record<string, object>>': (text) => ({ [text]: { description: text } }),
  JsonObject: rubricOf,
  LambOrganization: organizationOf,
  "Pick<LambOrganization, 'config'>": organizationOf,
  "readonly Pick<LambOrganization, 'slug'>[]": (text) => [organizationOf(text), organizationOf(`${text}-`)],
  'ReadonlyMap<string, string> | undefined': () => undefined,
  'readonly AddressMapping[]': () => [{ from: new URL('http://a.example:1'), to: new URL('http://b.example:2') }],
  NewNames: () => ({ file: (path: string) => `new/${path}`, assistant: (id: number) => id + 1 }),
  XmlScan: () => ({ open: () => undefined, close: () => undefined, text: () => undefined }),
  'readonly PdfLine[]': (text) => [lineOf(text), lineOf(text)],
  'readonly (readonly PdfLine[])[]': (text) => [[lineOf(text)], [lineOf(text)]],
  'readonly OutlineEntry[]': () => [],
  PdfPage: (text) => ({
    number: 1,
    height: 800,
    bottom: 0,
    items: [{ str: text, transform: [10, 0, 0, 10, 50, 700], width: 100, fontName: 'f' }],
    monospaced: new Set(),
  }),
};

const lineOf = (text: string): unknown => ({
  page: 1,
  text,
  x: 0,
  y: 1,
  right: 1,
  size: 10,
  mono: false,
  font: 'f',
  height: 0.95,
  gap: false,
  segments: [{ text, x: 0, right: 1 }],
});

/** Types of values that hold no text of a stranger, or pieces that another function cut to a bounded length before. */
const BOUNDED =
  /\b(?:Hit|PlacedHit|Candidate|OwnCandidate|Slice|Passage|Chunk|Base|Asked|DocumentRef|RubricCriterion|CriterionShare|RubricEntity|HtmlNode|TurndownService|ZipFile|PdfDocument|PageProxy|OfficeParts|XmlElement|Workbook|SheetCells|ExtractionInput|ParserExit|ReadonlyMap<T, number>|Line|Assembly|ContentPart|Usage|SearchFacts|ToldSearch|LocatorFacts|Decomposition|RegExp|T)\b/;
/** Functions over words that `isCorrectable` took: at most 20 letters. */
const OF_WORDS = new Set([
  'slipsOf',
  'candidatesFor',
  'isNearStem',
  'trigramSimilarity',
  'neighbourhoodOf',
  'isCorrectable',
]);
/** Packages: their parts are read by functions of this list, in a process with a time limit. */
const OF_PACKAGES = new Set(['readDocx', 'readPptx', 'readXlsx', 'readEpub', 'readPdf', 'openOffice']);

interface Exported {
  readonly file: string;
  readonly name: string;
  /** Types of the parameters that a caller must give. */
  readonly types: readonly string[];
}

function exportedBy(file: string): Exported[] {
  const source = ts.createSourceFile(file, readFileSync(join(__dirname, file), 'utf8'), ts.ScriptTarget.ES2022, true);
  const found: Exported[] = [];
  const add = (name: string, { parameters }: ts.SignatureDeclaration): void => {
    const needed = parameters.filter((each) => !each.initializer && !each.questionToken && !each.dotDotDotToken);
    found.push({ file, name, types: needed.map(({ type }) => type?.getText(source) ?? '?') });
  };
  source.forEachChild((node) => {
    const isExported =
      ts.canHaveModifiers(node) && ts.getModifiers(node)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
    if (isExported !== true) return;
    if (ts.isFunctionDeclaration(node)) add(node.name?.text ?? '', node);
    if (!ts.isVariableStatement(node)) return;
    for (const { name, initializer } of node.declarationList.declarations) {
      if (initializer && ts.isArrowFunction(initializer)) add(name.getText(source), initializer);
    }
  });
  return found;
}

const filesAt = (place: string): readonly string[] =>
  place.endsWith('.ts')
    ? [place]
    : readdirSync(join(__dirname, place), { recursive: true, encoding: 'utf8' }).map((name) => join(place, name));

const EXPORTED = PLACES.flatMap((place) =>
  filesAt(place)
    .filter((name) => /(?<!\.spec|\.module|\.controller|\.repository)\.ts$/.test(name))
    .flatMap(exportedBy),
).filter(({ name, types }) => types.length > 0 && !OF_WORDS.has(name) && !OF_PACKAGES.has(name));
const READING = EXPORTED.filter(({ types }) => types.every((type) => type in ARGUMENTS));

/** A refusal is an answer, and so is a full stack: a parser process says that the document is damaged. */
async function cpuTimeOfCall(call: (...args: unknown[]) => unknown, args: readonly unknown[]): Promise<number> {
  const before = process.cpuUsage();
  try {
    const result = await call(...args);
    if (typeof result === 'object' && result !== null && 'next' in result) {
      for await (const _ of result as unknown as AsyncIterable<unknown>);
    }
  } catch (error) {
    if (error instanceof TypeError) throw error;
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

it('knows how to call each function that reads texts of strangers', () => {
  const unknown = EXPORTED.filter(
    (each) => !READING.some(({ name }) => name === each.name) && !each.types.some((type) => BOUNDED.test(type)),
  );
  expect(unknown).toEqual([]);
  expect(READING.length).toBeGreaterThan(70);
});

it.each(READING.map((each) => [each.name, each] as const))(
  '%s takes a hostile text in linear time',
  async (name, { file, types }) => {
    const exports = (await import(`./${file}`)) as Readonly<Record<string, (...args: unknown[]) => unknown>>;
    const call = exports[name];
    if (call === undefined) throw new Error(`${file} does not export ${name}`);
    const timeAt = async (hostile: (typeof HOSTILE)[number], length: number): Promise<number> => {
      const text = hostile(length);
      return cpuTimeOfCall(
        call,
        types.map((type) => ARGUMENTS[type]?.(text)),
      );
    };
    for (const hostile of HOSTILE) {
      if ((await timeAt(hostile, LENGTH)) <= SUSPECT_MS) continue;
      // The least of three shares no collection of garbage and no other work of this worker.
      const least = async (length: number): Promise<number> =>
        Math.min(await timeAt(hostile, length), await timeAt(hostile, length), await timeAt(hostile, length));
      const growth = (await least(LENGTH)) / Math.max(5, await least(LENGTH / LENGTHS_APART));
      if (growth > LINEAR_GROWTH) {
        throw new Error(`${growth} times the time for ${LENGTHS_APART} times ${JSON.stringify(hostile(20))}`);
      }
    }
  },
);
