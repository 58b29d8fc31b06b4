import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startApp, type TestApp } from '../support/app';
import { makeAssistant } from '../support/chat';
import { ingested } from '../support/ingested';
import { person } from '../support/people';

const COURSE = join(__dirname, '..', 'fixtures', 'course');

/** Part of the headings, or the printed page, slide, cell or name of the sheet. */
type Place = { readonly section: string } | { readonly unit: string; readonly at: string };

interface Question {
  readonly language: string;
  readonly question: string;
  /** Earlier questions of the conversation. */
  readonly history?: readonly string[];
  /** Null: the course does not answer it. */
  readonly document: string | null;
  /** Pattern of the passage that answers it. */
  readonly says?: string;
  readonly place?: Place;
}

interface Answer {
  readonly asked: Question;
  readonly isWeak: boolean;
  /** Passages with their sources, best first. */
  readonly found: readonly { readonly source: any; readonly text: string }[];
}

const QUESTIONS: readonly Question[] = JSON.parse(readFileSync(join(COURSE, 'questions.json'), 'utf8'));
const WEAK_NOTE = /Note: (?:the passages below share few words|no passage of the material fits)/;

let app: TestApp;
let answers: readonly Answer[];

beforeAll(async () => {
  app = await startApp();
  const teacher = { ...(await person(app)), api: app.api };
  const { json } = await app.api('POST', '/api/v1/knowledge-bases', { name: 'Databases I' });
  const folder = join(COURSE, 'documents');
  const files = readdirSync(folder).map((name) => [name, readFileSync(join(folder, name))] as const);
  await ingested(teacher, json.id, Object.fromEntries(files));
  const config = { collections: [json.id], top_k: 3, sources_in_prompt: 'numbered' };
  const tools = [{ plugin: 'simple_rag', placeholder: '1_context', cache: false, config }];
  const assistant = await makeAssistant(app, {
    prompt_template: '{1_context}',
    metadata: { connector: 'bypass', assistant_type: 'multi_tool', tools },
  });
  const list: Answer[] = [];
  for (const asked of QUESTIONS) list.push(await answerTo(assistant, asked));
  answers = list;
}, 240_000);
afterAll(() => app.stop());

async function answerTo(assistant: number, asked: Question): Promise<Answer> {
  const { question, history = [] } = asked;
  const messages = [
    ...history.flatMap((content) => [
      { role: 'user', content },
      { role: 'assistant', content: 'See the notes.' },
    ]),
    { role: 'user', content: question },
  ];
  const { status, json } = await app.api('POST', `/api/v1/assistants/${assistant}/completions`, { messages });
  if (status !== 200) throw new Error(`${question}: ${status} ${JSON.stringify(json)}`);
  const prompt = promptOf(json.choices[0].message.content);
  const texts = prompt.split(/^(?=\[\d\] )/m).slice(1);
  return {
    asked,
    isWeak: WEAK_NOTE.test(prompt) || json.sources.length === 0,
    found: json.sources.map((source: any, index: number) => ({ source, text: texts[index] ?? '' })),
  };
}

/** The connector `bypass` answers with the messages that a model would get. */
function promptOf(answer: string): string {
  const [, messages = '[]'] = /^Messages:\n([^]*?)\n\nBody:/.exec(answer) ?? [];
  return JSON.parse(messages).at(-1)?.content ?? '';
}

const rightPassage = ({ asked: { document, says = '' }, found }: Answer) =>
  found.find(({ source, text }) => source.document === document && new RegExp(says).test(text));

function isAt(wanted: Place, { section = '', place = null }: any): boolean {
  if ('section' in wanted) return section.includes(wanted.section);
  const { unit, at } = wanted;
  if (place?.unit !== unit) return false;
  if (place.label !== null) return place.label === at;
  return place.from <= Number(at) && place.to >= Number(at) && place.to - place.from < 3;
}

/** Names the failures, so that a lost question can be looked at. */
function expectShare(all: readonly Answer[], least: number, isRight: (answer: Answer) => boolean): void {
  const wrong = all
    .filter((answer) => !isRight(answer))
    .map(({ asked, found }) => ({
      question: asked.question,
      found: found.map(({ source }) => `${source.document} ${source.section ?? ''} ${source.place?.text ?? ''}`),
    }));
  if (1 - wrong.length / all.length < least) expect(wrong).toEqual([]);
}

const answerable = () => answers.filter(({ asked }) => asked.document !== null);

it('finds the right passage among the first three for nine of ten questions', () => {
  expectShare(answerable(), 0.9, (answer) => rightPassage(answer) !== undefined);
});

it('names the right page, slide, sheet, cell or section for nineteen of twenty right passages', () => {
  const placed = answerable().filter(
    (answer) => answer.asked.place !== undefined && rightPassage(answer) !== undefined,
  );
  expectShare(placed, 0.95, (answer) => isAt(answer.asked.place ?? { section: '' }, rightPassage(answer)?.source));
});

it('calls the match weak for four of five questions that the course does not answer', () => {
  expectShare(
    answers.filter(({ asked }) => asked.document === null),
    0.8,
    ({ isWeak }) => isWeak,
  );
});

it('tells the model and the student where each passage stands, in the language of the question', () => {
  const seen = answers.flatMap(({ asked, found }) =>
    found.map(({ source, text }) => ({
      language: asked.language,
      words: source.place?.text,
      document: source.document,
      text,
    })),
  );
  const first = (language: string, document: string) =>
    seen.find((each) => each.language === language && each.document === document);
  expect(first('en', 'notes.pdf')).toMatchObject({
    words: expect.stringMatching(/^p\. \d \(\d of 8\)$/),
    text: expect.stringMatching(/^\[\d\] \(Databases I: lecture notes, p\. \d \(\d of 8\)\) /),
  });
  expect(first('en', 'term.xlsx')?.words).toMatch(/^sheet “(?:Schedule|Lab results|Rooms)”$/);
  expect(first('en', 'indexes.pptx')?.words).toMatch(/^slide \d$/);
  expect(seen.some(({ text }) => text.includes('forty-two'))).toBe(false);
});
