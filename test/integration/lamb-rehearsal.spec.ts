import { recordedQuestions } from '@bellwether/lamb-reader';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  LambRehearsal,
  readQuestions,
  rehearsalJson,
  rehearsalMarkdown,
  type RehearsalReport,
} from '../../extensions/lamb-import';
import { lambImports } from '../support/lamb-imports';
import { buildLambDatabase } from '../support/lamb-database';
import { LAMB_PASSWORD, type LambServer, startLambServer } from '../support/lamb-server';
import { assistant, ORGANIZATION, rubric, sourceOf } from '../support/lamb-source';

const { app, rows, run: runImport } = lambImports();

const RUBRIC = '6F9619FF-8B86-4D01-B42D-00CF4FC96405';
const SOURCE = 'rehearsed';
const source = sourceOf({
  organizations: [{ ...ORGANIZATION, slug: 'rehearsed' }],
  assistants: [
    assistant(12),
    assistant(13, { metadata: `{"rag_processor":"rubric_rag","rubric_id":"${RUBRIC}","connector":"bypass"}` }),
    assistant(14, { metadata: '{"rag_processor":"single_file_rag","file_path":"1/gone.md","connector":"bypass"}' }),
    assistant(15, { deleted: true }),
  ],
  rubrics: [rubric(5)],
});

/** What LAMB sends for `no_rag` with the template of the fixtures. */
const lambPrompt = (_: number, question: string, context = '\n\n\n\n') => [
  { role: 'system', content: 'Be kind.' },
  { role: 'user', content: `Q: \n\n${question}\n\n C: ${context}` },
];

describe('a rehearsal with a running LAMB', () => {
  let lamb: LambServer;
  let folder: string;
  let serial = 0;

  beforeAll(async () => {
    lamb = await startLambServer();
    folder = mkdtempSync(join(tmpdir(), 'bw-rehearsal-'));
    await runImport(source, { sourceName: SOURCE });
  });
  beforeEach(() => {
    lamb.reset();
    lamb.prompt = lambPrompt;
    serial += 1;
  });
  afterAll(async () => {
    await lamb.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const stateFile = (): string => join(folder, `${serial}.state.jsonl`);
  const rehearse = (changes: object = {}): Promise<RehearsalReport> =>
    app()
      .get(LambRehearsal)
      .run(source, {
        address: lamb.url,
        isPrivateAllowed: true,
        credential: { kind: 'password', email: 'admin@lamb.example', password: LAMB_PASSWORD },
        sourceName: SOURCE,
        organization: null,
        questions: [12, 13].map((each) => ({ assistant: each, text: 'What moves?' })),
        requestsPerSecond: 1000,
        timeoutMs: 2_000,
        stateFile: stateFile(),
        progress: { report: () => undefined },
        signal: new AbortController().signal,
        ...changes,
      });
  const outcomes = ({ pairs }: RehearsalReport) =>
    pairs.map(({ assistant: origin, outcome, reasons }) => [origin, outcome, ...reasons.map(({ code }) => code)]);

  it('asks three neutral questions of every imported assistant, signed in once, and tells why prompts differ', async () => {
    lamb.prompt = (origin, question) => {
      if (origin === 13) return lambPrompt(origin, question, '\n\n# EVALUATION RUBRIC: Essay\n\n');
      if (origin === 14) return lambPrompt(origin, question, '\n\nError: File not found: 1/gone.md\n\n');
      return lambPrompt(origin, question);
    };
    const report = await rehearse({ questions: null });
    expect(lamb.signIns).toEqual(['admin@lamb.example']);
    expect(lamb.asked).toHaveLength(9);
    expect(lamb.asked[0]).toMatchObject({
      authorization: 'Bearer token-1',
      body: { debug_bypass: true, persist_chat: false, stream: false },
    });
    expect(report).toMatchObject({ open: 0, stopped: null });
    expect(new Set(outcomes(report).map(String))).toEqual(
      new Set([
        '12,same',
        '13,different,rubric.text',
        '14,different,content.only_there,tool.failed_here,tool.failed_there',
      ]),
    );
    expect(rehearsalJson(report)['counts']).toMatchObject({ same: 3, different: 6, unexplained: 0, not_imported: 0 });
    const text = rehearsalMarkdown(report);
    expect(text).toContain('| the same prompt | 3 |');
    expect(text).toContain('-# EVALUATION RUBRIC: Essay');
    expect(text.indexOf('| open | 0 |')).toBeLessThan(text.indexOf('## Differences'));
    expect(text + readFileSync(stateFile(), 'utf8')).not.toContain(LAMB_PASSWORD);
  });

  it('records no run', async () => {
    await rehearse();
    expect(await rows('SELECT id FROM runs')).toEqual([]);
  });

  it('has no reason for a prompt that differs outside of the material, and none where LAMB refuses alone', async () => {
    lamb.prompt = (_, question) => [{ role: 'user', content: `Another template: ${question}` }];
    lamb.instead = (response, _, origin) => {
      if (origin !== 13) return false;
      response.writeHead(403, { 'content-type': 'application/json' }).end('{"detail":"Access denied."}');
      return true;
    };
    const report = await rehearse();
    expect(outcomes(report)).toEqual([
      [12, 'different'],
      [13, 'refused_there', 'lamb'],
    ]);
    expect(report.pairs[1]?.reasons[0]?.message).toBe('LAMB refused it: HTTP 403: Access denied.');
    expect(rehearsalMarkdown(report)).toContain('No known reason.');
  });

  it('calls an error of one assistant a refusal when LAMB answers otherwise', async () => {
    lamb.instead = (response, _, origin) => {
      if (origin !== 12) return false;
      response.writeHead(500, { 'content-type': 'application/json' }).end('{"detail":"no collection"}');
      return true;
    };
    expect(outcomes(await rehearse())[0]).toEqual([12, 'refused_there', 'lamb']);
  });

  type Wrong = (response: ServerResponse) => void;
  it.each<[string, Wrong, RegExp]>([
    [
      'a web page',
      (response) => void response.end('<html>Welcome</html>'),
      /not answer with JSON \(HTTP 200, a web page\)/,
    ],
    ['HTTP 500', (response) => void response.writeHead(500).end('{"detail":"down"}'), /errors \(HTTP 500\)/],
    [
      'JSON without a prompt',
      (response) => void response.end('{"choices":[{"message":{"content":"Hello"}}]}'),
      /without its prompt/,
    ],
    ['an array', (response) => void response.end('[1]'), /without its prompt/],
    ['half a body', (response) => void response.end('{"choices":'), /not answer with JSON/],
    ['nothing', () => undefined, /did not answer within 0.3 seconds/],
    ['a cut connection', (response) => void response.destroy(), /cannot be asked/],
    [
      'a body without an end',
      (response) => {
        const part = Buffer.alloc(1024 * 1024, ' ');
        const more = (): void => void (response.destroyed || response.write(part, more));
        more();
      },
      /cannot be asked: The server sent more than|did not answer within/,
    ],
  ])('stops with one sentence after %s, keeps what was done and goes on later', async (_, wrong, sentence) => {
    let calls = 0;
    lamb.instead = (response, request) => {
      if (request.url === '/creator/login' || (calls += 1) === 1) return false;
      wrong(response);
      return true;
    };
    const stopped = await rehearse({ timeoutMs: 300 });
    expect(stopped).toMatchObject({ open: 1, stopped: expect.stringMatching(sentence) });
    expect(outcomes(stopped)).toEqual([[12, 'same']]);
    expect(rehearsalMarkdown(stopped)).toContain('**Not complete.**');
    lamb.reset();
    lamb.prompt = lambPrompt;
    expect(await rehearse()).toMatchObject({ open: 0, stopped: null });
    expect(lamb.asked.map(({ assistant: origin }) => origin)).toEqual([13]);
  });

  it('signs in again when the token is no longer accepted, and stops when a given one is not', async () => {
    let isExpired = true;
    lamb.instead = (response, { url }) => {
      if (url === '/creator/login' || !isExpired) return false;
      isExpired = false;
      response.writeHead(401, { 'content-type': 'application/json' }).end('{"detail":"expired"}');
      return true;
    };
    expect(await rehearse()).toMatchObject({ open: 0, stopped: null });
    expect(lamb.signIns).toHaveLength(2);
    isExpired = true;
    serial += 1;
    const { stopped } = await rehearse({ credential: { kind: 'token', token: 'old' } });
    expect(stopped).toMatch(/does not accept the token/);
  });

  it('stops at a wrong password and at a private address that was not allowed', async () => {
    const credential = { kind: 'password', email: 'a@lamb.example', password: 'wrong' };
    expect((await rehearse({ credential })).stopped).toMatch(
      /refused the sign-in of a@lamb.example.*Invalid credentials/,
    );
    serial += 1;
    expect((await rehearse({ isPrivateAllowed: false, address: 'http://10.0.0.1' })).stopped).toMatch(
      /--rehearse-private/,
    );
    expect(lamb.asked).toEqual([]);
  });

  it('waits between its questions, asks one at a time, and ends after the current one', async () => {
    const controller = new AbortController();
    const times: number[] = [];
    lamb.prompt = (origin, question) => {
      times.push(performance.now());
      if (times.length === 3) controller.abort();
      return lambPrompt(origin, question);
    };
    const report = await rehearse({ questions: null, requestsPerSecond: 20, signal: controller.signal });
    expect(report.stopped).toBe('It was interrupted.');
    expect(report.open).toBeGreaterThanOrEqual(6);
    expect((times[2] ?? 0) - (times[0] ?? 0)).toBeGreaterThan(90);
  });

  it('drops a torn last line of its state and refuses the state of another rehearsal', async () => {
    await rehearse();
    appendFileSync(stateFile(), '{"assistant":14,"que');
    lamb.reset();
    expect(await rehearse()).toMatchObject({ open: 0, stopped: null });
    expect(lamb.asked).toEqual([]);
    await expect(rehearse({ address: `${lamb.url}/other` })).rejects.toMatchObject({ code: 'conflict' });
    writeFileSync(stateFile(), 'no state\n');
    await expect(rehearse()).rejects.toMatchObject({ code: 'conflict' });
  });
});

describe('questions of a rehearsal', () => {
  it('are JSON lines, and every wrong line is named', () => {
    expect(readQuestions('{"assistant":12,"question":"Why?"}\r\n\n')).toEqual([{ assistant: 12, text: 'Why?' }]);
    const wrong = ['no json', '[]', '{"assistant":"12","question":"Why?"}', '{"assistant":12,"question":" "}'];
    expect(() => readQuestions(wrong.join('\n'))).toThrow(
      expect.objectContaining({
        problems: wrong.map((_, index) => expect.objectContaining({ path: `line ${index + 1}` })),
      }),
    );
  });

  it('can be the first ones that students asked', () => {
    const file = join(mkdtempSync(join(tmpdir(), 'bw-chats-')), 'lamb.db');
    const chat = (question: string) => ({
      history: {
        messages: {
          b: { role: 'assistant', content: 'Hello.', timestamp: 2 },
          c: { role: 'user', content: 'later', timestamp: 3 },
          a: { role: 'user', content: question, timestamp: 1 },
        },
      },
    });
    const asked = (assistant_id: number, text: string) => ({ assistant_id, chat: chat(text) });
    const many = Array.from({ length: 8 }, (_, index) => asked(12, `Question ${index}`));
    buildLambDatabase(file, { lamb_chats: [...many, asked(13, 'Why?'), { assistant_id: 13, chat: '{"history":' }] });
    const found = recordedQuestions(file);
    expect(found.filter(({ assistant: origin }) => origin === 12).map(({ text }) => text)).toEqual(
      [7, 6, 5, 4, 3].map((index) => `Question ${index}`),
    );
    expect(found.filter(({ assistant: origin }) => origin === 13)).toEqual([{ assistant: 13, text: 'Why?' }]);
    buildLambDatabase(file, {}, { without: ['lamb_chats.assistant_id'] });
    expect(() => recordedQuestions(file)).toThrow(/no chats that name their assistant/);
    rmSync(file);
  });
});
