import type { DataSource } from 'typeorm';
import { randomUUID } from 'node:crypto';
import type { Run, RunInput, RunsService } from '../../src/runs';
import { openTestDatabase, resetDatabase } from '../support/database';
import { type RunProcess, runProcess } from '../support/run-process';

describe('runs in the database', () => {
  let dataSource: DataSource;
  let service: RunsService;
  let stop: RunProcess['stop'];
  let endings: RunProcess['endings'];
  let organizationId: string;

  beforeAll(async () => {
    dataSource = await openTestDatabase();
  });
  beforeEach(async () => {
    await resetDatabase(dataSource);
    ({ runs: service, endings, stop } = runProcess(dataSource));
    organizationId = randomUUID();
    await addOrganization(organizationId);
  });
  afterEach(() => stop(0));
  afterAll(() => dataSource.destroy());

  const addOrganization = (id: string) =>
    dataSource.query(`INSERT INTO organizations (id, slug, name) VALUES ($1, $2, 'Org')`, [
      id,
      `org-${id.slice(0, 8)}`,
    ]);

  const input = (overrides: { organizationId?: string; userId?: string; assistantId?: number } = {}): RunInput => ({
    assistant: {
      id: overrides.assistantId ?? 7,
      name: 'Biology',
      organizationId: overrides.organizationId ?? organizationId,
      ownerId: randomUUID(),
      type: 'multi_tool',
    },
    caller: {
      kind: 'api_key',
      credentialId: randomUUID(),
      organizationId: overrides.organizationId ?? organizationId,
      organizationSlug: 'default',
      userId: overrides.userId ?? randomUUID(),
      role: 'member',
      systemAdmin: false,
      scopes: ['chat'],
      assistantIds: null,
    },
    strategy: 'sequential',
    stream: true,
  });

  function finished(overrides: Parameters<typeof input>[0] = {}, failed = false): Run {
    const run = service.open(input(overrides));
    run.emit({
      type: 'tool.completed',
      index: 0,
      plugin: 'simple_rag',
      placeholder: '1_context',
      chars: 5,
      sources: 0,
      duration_ms: 12.5,
      cached: false,
      confidence: null,
      retries: 0,
      message: 'm',
    });
    service.finish(run, {
      status: failed ? 'failed' : 'completed',
      errorCode: failed ? 'upstream_error' : null,
      usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 },
      connector: 'openai',
      model: 'm',
    });
    return run;
  }

  it('reads the same from memory, from the buffer and from the table', async () => {
    const run = service.open(input());
    expect(await service.find(organizationId, run.id)).toMatchObject({ status: 'running' });
    service.finish(run, { status: 'completed', preparedMs: 1.5, finishReason: 'stop' });
    const buffered = await service.find(organizationId, run.id);
    await service.flush();
    expect(await service.find(organizationId, run.id)).toEqual(buffered);
    expect(buffered).toMatchObject({ status: 'completed', preparedMs: 1.5, events: expect.any(Array) });
  });

  it('ends a run once', async () => {
    const run = finished();
    service.finish(run, { status: 'failed' });
    await service.flush();
    expect((await service.find(organizationId, run.id))?.status).toBe('completed');
  });

  it('never shows a run to another organization, wherever it is', async () => {
    const other = randomUUID();
    const run = service.open(input());
    expect(await service.find(other, run.id)).toBeNull();
    service.finish(run, { status: 'completed' });
    expect(await service.find(other, run.id)).toBeNull();
    await service.flush();
    expect(await service.find(other, run.id)).toBeNull();
    expect((await service.list(other, {}, { limit: 10, cursor: null })).total).toBe(0);
  });

  it('pages newest first with runs that go on among them', async () => {
    const ids = [finished(), service.open(input()), finished(), finished()].map(({ id }) => id);
    const first = await service.list(organizationId, {}, { limit: 3, cursor: null });
    const second = await service.list(organizationId, {}, { limit: 3, cursor: first.next_cursor });
    expect([...first.items, ...second.items].map(({ id }) => id)).toEqual([...ids].sort().reverse());
    expect([first.total, second.next_cursor]).toEqual([4, null]);
    const running = await service.list(organizationId, { status: 'running' }, { limit: 3, cursor: null });
    expect(running.items).toHaveLength(1);
  });

  it('filters by who may see them', async () => {
    const ada = randomUUID();
    finished({ userId: ada, assistantId: 1 });
    finished({ assistantId: 2 });
    finished({ assistantId: 3 });
    const list = (filter: object) => service.list(organizationId, filter, { limit: 10, cursor: null });
    const visibleTo = { userId: ada, assistantIds: [2] };
    expect((await list({ visibleTo })).items.map(({ assistantId }) => assistantId)).toEqual([2, 1]);
    expect((await list({ visibleTo, onlyAssistants: [1] })).total).toBe(1);
    expect((await list({ assistantId: 3 })).total).toBe(1);
    expect((await list({ visibleTo: { userId: randomUUID(), assistantIds: [] } })).total).toBe(0);
  });

  it('adds up the statistics of one assistant', async () => {
    finished();
    finished({}, true);
    finished({ assistantId: 8 });
    expect(await service.stats(7, organizationId)).toMatchObject({
      runs: 2,
      failures: 1,
      tools: [{ plugin: 'simple_rag', placeholder: '1_context', calls: 2, failures: 0, avg_ms: 12.5, p95_ms: 12.5 }],
      tokens: { prompt: 2, completion: 4, total: 6 },
    });
    expect(await service.stats(99, organizationId)).toEqual({
      runs: 0,
      failures: 0,
      p50_ms: null,
      p95_ms: null,
      tools: [],
      tokens: { prompt: 0, completion: 0, total: 0 },
    });
  });

  it('keeps good rows when one of the batch cannot be stored, and mends what can be mended', async () => {
    const good = finished();
    const nul = service.open(input());
    const sources = [{ type: 'file' as const, path: 'a\u0000b \ud800 c', chars: 1, truncated: false }];
    service.finish(nul, { status: 'failed', errorCode: 'tool_failed', message: 'a\u0000b \ud800 c', sources });
    const orphan = finished({ organizationId: randomUUID() });
    await service.flush();
    expect(await service.find(organizationId, good.id)).not.toBeNull();
    const mended = await service.find(organizationId, nul.id);
    expect(mended?.sources).toMatchObject([{ path: 'a\ufffdb \ufffd c' }]);
    expect(mended?.events.at(-1)).toMatchObject({ type: 'run.failed', message: 'a\u0000b \ud800 c' });
    expect(await service.find(orphan.input.assistant.organizationId, orphan.id)).toBeNull();
    expect(endings.droppedTotal).toBe(1);
  });

  it('writes a thousand runs in a few statements', async () => {
    for (let n = 0; n < 1_000; n++) finished();
    await service.flush();
    expect((await service.list(organizationId, {}, { limit: 1, cursor: null })).total).toBe(1_000);
  });
});
