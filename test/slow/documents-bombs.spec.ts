import { setTimeout as sleep } from 'node:timers/promises';
import { filesForm, startApp, type TestApp } from '../support/app';
import { until } from '../support/until';
import { pdfBomb, wordBody, wordDocument, wordParagraph } from '../support/hostile-documents';
import { type Person, person } from '../support/people';

let app: TestApp;
let teacher: Person;

beforeAll(async () => {
  // A bomb is given up on after this long, at each try; an honest document beside it must be read in it on a busy machine.
  app = await startApp({ env: { EXTRACTION_TIMEOUT: '8000' } });
  teacher = await person(app);
});
afterAll(() => app.stop());

/** Of every document, once none waits or is read any more. */
const outcomes = (path: string): Promise<Record<string, string>> =>
  until(async () => {
    await sleep(200);
    const { items } = (await teacher.api('GET', path)).json;
    if (items.some(({ status }: any) => status === 'pending' || status === 'processing')) return null;
    return Object.fromEntries(items.map((each: any) => [each.filename, each.error_code ?? each.status]));
  }, 200_000);

describe('documents that unpack to far more than they look', () => {
  it('are stopped, while the service answers', async () => {
    const { id } = (await teacher.api('POST', '/api/v1/knowledge-bases', { name: 'Intake', language: 'en' })).json;
    const path = `/api/v1/knowledge-bases/${id}/documents`;
    const bombs = [
      ['bomb.pdf', pdfBomb(), 'application/pdf'],
      ['bomb.docx', wordDocument(wordBody(wordParagraph(' '.repeat(64 * 1024 * 1024)))), 'application/zip'],
      ['deep.json', '['.repeat(200_000) + ']'.repeat(200_000), 'application/json'],
      ['deep.html', `<!doctype html>${'<div>'.repeat(5_000)}deep`, 'text/html'],
    ] as const;
    const delays: number[] = [];
    let done = false;
    const probe = (async () => {
      while (!done) {
        const started = performance.now();
        expect((await fetch(`${app.url}/health/live`)).status).toBe(200);
        delays.push(performance.now() - started);
        await sleep(50);
      }
    })();
    const form = filesForm(...bombs, ['after.md', 'Osmosis afterwards.']);
    expect((await teacher.api('POST', path, form)).status).toBe(201);
    const outcome = await outcomes(`${path}?limit=100`);
    done = true;
    await probe;
    expect(outcome).toMatchObject({ 'after.md': 'completed' });
    // A busy machine reaches the time limit first.
    expect(outcome['bomb.docx']).toMatch(/^document\.(expansion|timeout)$/);
    expect(outcome['bomb.pdf']).toMatch(/^document\.(expansion|timeout|resource|no_text)$/);
    expect(outcome['deep.json']).toMatch(/^(completed|document\.\w+)$/);
    expect(outcome['deep.html']).toMatch(/^(completed|document\.\w+)$/);
    // A parser on the event loop would hold it for many seconds.
    expect(Math.max(...delays)).toBeLessThan(20_000);
    expect(app.log()).not.toContain('"code":"internal_error"');
  }, 240_000);
});
