import { Session } from 'node:inspector/promises';
import { relative } from 'node:path';
import { RunsService } from '../../src/runs';
import { filesForm, startApp, type TestApp } from '../support/app';
import { multiTool, streamed, user } from '../support/chat';
import { ingested } from '../support/ingested';
import { startUpstream, type Upstream } from '../support/upstream';

/** Files that run code for one streamed question over a knowledge base and a file. The limit may only fall. */
const MOST_FILES = 170;

/** Polls and seals by the clock, whatever is asked. */
const BACKGROUND = /^src\/infrastructure\/(?:jobs|audit)\//;

const root = process.cwd();

/** Source files of the service with a function that was called meanwhile; an `index.ts` only passes names on. */
async function filesThatRan(work: () => Promise<unknown>): Promise<string[]> {
  const session = new Session();
  session.connect();
  try {
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    await session.post('Profiler.takePreciseCoverage');
    await work();
    const { result } = await session.post('Profiler.takePreciseCoverage');
    return result
      .filter(({ functions }) => functions.some(({ ranges }) => (ranges[0]?.count ?? 0) > 0))
      .map(({ url }) => relative(root, url.replace(/^file:\/\//, '')))
      .filter(
        (file) => /^(src|extensions|packages)\//.test(file) && !file.endsWith('/index.ts') && !BACKGROUND.test(file),
      )
      .sort();
  } finally {
    session.disconnect();
  }
}

describe('a streamed question', () => {
  let app: TestApp;
  let upstream: Upstream;

  beforeAll(async () => {
    upstream = await startUpstream();
    upstream.always({ content: 'Hello.' });
    app = await startApp({ env: { OPENAI_BASE_URL: upstream.url, OPENAI_API_KEY: 'sk-files-1' } });
  }, 60_000);
  afterAll(async () => {
    await app.stop();
    await upstream.stop();
  });

  it('runs code in few files', async () => {
    const { id: kb } = (await app.api('POST', '/api/v1/knowledge-bases', { name: 'Membranes' })).json;
    await ingested(app, kb, { 'membranes.md': '# Membranes\n\nThe lipid bilayer is five nanometres thick.\n' });
    await app.api('POST', '/api/v1/files', filesForm(['sheet.md', 'Hand in the worksheet.']));
    const tools = [
      { plugin: 'simple_rag', config: { collections: [kb] } },
      { plugin: 'single_file_rag', config: { file_path: 'sheet.md' } },
    ];
    const metadata = multiTool(tools, { orchestrator: 'parallel' });
    const { id } = (await app.api('POST', '/api/v1/assistants', { name: 'Cells', metadata })).json;
    const ask = async (question: string): Promise<void> => {
      const { comments } = await streamed(app, '/v1/chat/completions', {
        model: `lamb_assistant.${id}`,
        messages: [user(question)],
      });
      expect(comments.filter((line) => line.startsWith('✅'))).toHaveLength(2);
    };
    await ask('How thick is the lipid bilayer?');
    const questions = ['How thick is the bilayer?', 'What is five nanometres thick?', 'Is the bilayer thick?'];
    const ran: string[][] = [];
    for (const question of questions) {
      // Records are written behind the answers: that of the last question would be counted with this one.
      await app.get(RunsService).flush();
      ran.push(await filesThatRan(() => ask(question)));
    }
    // Files that only jobs and timers ran, beside one of the questions, are left out.
    const files = ran.reduce((some, more) => some.filter((file) => more.includes(file)));
    expect(files).toContain('src/orchestrators/catalog/parallel.strategy.ts');
    expect(files.length > MOST_FILES ? files : []).toEqual([]);
  });
});
