import { randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import timersPromises from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { DataSource } from 'typeorm';
import { FileOwnership } from '../../src/files';
import { ChunkEmbedder } from '../../src/knowledge-bases/embedding/chunk-embedder';
import { DocumentScope } from '../../src/knowledge-bases/storage/document-scope.repository';
import { AuditLog } from '../../src/infrastructure/audit';
import { LimitLeases } from '../../src/metering/limit-leases.service';
import { acrossOrganizations } from '../../src/infrastructure/database';
import { type ApiAnswer, filesForm, startApp, type TestApp } from '../support/app';
import { testDatabaseUrl } from '../support/database';
import { makeAssistant, user } from '../support/chat';
import { type Person, person } from '../support/people';
import { DatabaseProxy } from '../support/proxy';
import { readEvents } from '../support/run-events';
import { startUpstream, type Upstream } from '../support/upstream';
import { until } from '../support/until';

/** The lines of the service that began a timer which is neither over nor cleared. Sees those that are begun from now on. */
function runningTimers(): () => string[] {
  const running = new Map<unknown, string>();
  const begin = (timer: unknown): void => {
    const [, caller = ''] = (new Error().stack ?? '').split('\n').filter((line) => !/jest-mock|away\.spec/.test(line));
    if (/\/src\/(?!.*node_modules)/.test(caller)) running.set(timer, caller.trim());
  };
  const { setTimeout: once, setInterval: often, clearTimeout: end } = globalThis;
  const { setTimeout: sleep } = timersPromises;
  const began = <Timer>(timer: Timer): Timer => {
    begin(timer);
    return timer;
  };
  const timeout = (work: (...args: unknown[]) => void, ms?: number, ...args: unknown[]): NodeJS.Timeout => {
    const timer = once(() => {
      running.delete(timer);
      work(...args);
    }, ms);
    return began(timer);
  };
  const cleared = (timer: Parameters<typeof end>[0]): void => {
    running.delete(timer);
    end(timer);
  };
  jest.spyOn(globalThis, 'setTimeout').mockImplementation(timeout as never);
  jest
    .spyOn(globalThis, 'setInterval')
    .mockImplementation((...args: Parameters<typeof often>) => began(often(...args)));
  for (const name of ['clearTimeout', 'clearInterval'] as const)
    jest.spyOn(globalThis, name).mockImplementation(cleared);
  jest.spyOn(timersPromises, 'setTimeout').mockImplementation((...args) => {
    const over = began(sleep(...args));
    const forget = (): void => void running.delete(over);
    over.then(forget, forget);
    return over;
  });
  return () => [...running.values()];
}

/** The tests stand in the order of an outage: the last one stops the service. */
describe('a service whose database goes away', () => {
  let proxy: DatabaseProxy;
  let app: TestApp;
  let upstream: Upstream;

  beforeAll(async () => {
    proxy = new DatabaseProxy(testDatabaseUrl());
    await proxy.listen();
    upstream = await startUpstream();
    const vendor = { OPENAI_BASE_URL: upstream.url, OPENAI_API_KEY: 'sk-canary-away-1' };
    // Work that waits for the end of a lease would outlast these tests.
    app = await startApp({ env: { DATABASE_URL: proxy.url, JOB_LEASE: '600', ...vendor } });
  });
  afterEach(() => jest.restoreAllMocks());
  afterAll(async () => {
    await upstream.stop();
    await proxy.die().catch(() => undefined);
  });

  const ready = async () => {
    const response = await fetch(`${app.url}/health/ready`);
    return { status: response.status, checks: ((await response.json()) as { checks: Record<string, string> }).checks };
  };

  it('answers 503 with Retry-After while connections end as they are opened, and goes on', async () => {
    await app.api('GET', '/api/v1/rubrics');
    proxy.cut();
    proxy.terminateNext(5);
    const answers = await Promise.all(Array.from({ length: 40 }, () => app.api('GET', '/api/v1/rubrics')));
    for (const { status, headers } of answers) {
      if (status === 200) continue;
      expect([status, headers.get('retry-after')]).toEqual([503, '2']);
    }
    proxy.terminateNext(0);
    await until(async () => (await app.api('GET', '/api/v1/rubrics')).status === 200);
  });

  it('says what is not back, and is ready soon after the database is', async () => {
    await proxy.die();
    await until(async () => (await ready()).status === 503);
    expect((await ready()).checks).toMatchObject({ process: 'ok', database: 'cannot be reached' });
    const refused = await app.api('GET', '/api/v1/rubrics');
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '2']);
    await until(async () => (await ready()).checks['jobs']?.startsWith('no look') === true);
    expect((await ready()).checks['signals']).toBe('reconnecting');
    await proxy.listen();
    await until(async () => {
      const { status, checks } = await ready();
      return status === 200 && checks['jobs'] === 'ok' && checks['signals'] === 'ok';
    });
  });

  describe('while a document is processed', () => {
    const states = () =>
      app.get(DataSource).query<object[]>(`
        SELECT status, claim, lost_starts AS deaths, (SELECT count(*)::int FROM pgboss.job
          WHERE name = 'document-ingestion' AND state < 'completed') AS jobs FROM kb_documents`);
    const done = [{ status: 'completed', claim: null, deaths: 0, jobs: 0 }];
    const settled = () => until(async () => isDeepStrictEqual(await states(), done));
    const upload = async (name: string) => {
      const { id } = (await app.api('POST', '/api/v1/knowledge-bases', { name })).json;
      const form = filesForm(['osmosis.md', 'Osmosis moves water.']);
      const answer = app.api('POST', `/api/v1/knowledge-bases/${id}/documents`, form).catch(() => undefined);
      return async () => {
        await answer;
        await app.api('DELETE', `/api/v1/knowledge-bases/${id}`);
        await until(async () => (await states()).length === 0);
      };
    };

    it('goes on with it once the database is back, without waiting for the end of a lease', async () => {
      const advance = jest.spyOn(DocumentScope.prototype, 'advance');
      const died = jest.spyOn(app.get(ChunkEmbedder), 'embedGeneration').mockImplementationOnce(async () => {
        await proxy.die();
        advance.mockClear();
        throw new Error('Connection terminated');
      });
      const remove = await upload('Away');
      await until(() => died.mock.calls.length > 0 && advance.mock.calls.length > 0);
      await expect(advance.mock.results[0]?.value).rejects.toThrow();
      await proxy.listen();
      await settled();
      await remove();
    });

    it('goes on with one that was claimed without an answer', async () => {
      proxy.swallow(/UPDATE "kb_documents" SET (?=.*lost_starts" \+ 1)/);
      const before = proxy.swallowed;
      const remove = await upload('Claimed');
      await until(() => proxy.swallowed > before);
      await settled();
      await remove();
    });
  });

  describe('in the moment between a commit and its answer', () => {
    const content = async (path: string) => {
      const { status, text } = await app.api('GET', path);
      return [status, text];
    };
    const upload = (path: string, name: string, text: string, headers: Record<string, string> = {}) =>
      app.api('POST', path, filesForm([name, text]), headers);
    /** The first try of a request whose transaction commits without an answer. */
    const unanswered = async (statement: RegExp, first: () => Promise<ApiAnswer>): Promise<void> => {
      const before = proxy.swallowed;
      proxy.swallowCommit(statement);
      const { status, headers } = await first();
      expect([proxy.swallowed - before, status, headers.get('retry-after')]).toEqual([1, 503, '2']);
    };
    const base = async (): Promise<string> => {
      const name = `Base ${randomUUID()}`;
      return `/api/v1/knowledge-bases/${(await app.api('POST', '/api/v1/knowledge-bases', { name })).json.id}/documents`;
    };

    it('keeps the bytes of a file that was replaced', async () => {
      const [{ id }] = (await upload('/api/v1/files', 'notes.txt', 'old')).json.items;
      await unanswered(/UPDATE "files"/, () => upload('/api/v1/files', 'notes.txt', 'new'));
      expect(await content(`/api/v1/files/${id}/content`)).toEqual([200, 'new']);
    });

    it('keeps the bytes of new files, and a repetition is acknowledged with them', async () => {
      const key = { 'idempotency-key': randomUUID() };
      const send = () => upload('/api/v1/files', 'first.txt', 'first', key);
      await unanswered(/INSERT INTO "files"/, send);
      const again = await send();
      expect(again.status).toBe(201);
      expect(await content(`/api/v1/files/${again.json.items[0].id}/content`)).toEqual([200, 'first']);
    });

    it('keeps the bytes of a document, new or replaced, which is processed', async () => {
      const documents = await base();
      for (const text of ['Osmosis moves water.', 'Osmosis moves water through a membrane.']) {
        const key = { 'idempotency-key': randomUUID() };
        const send = () => upload(documents, 'osmosis.md', text, key);
        await unanswered(/(?:INSERT INTO|UPDATE) "kb_documents"/, send);
        const again = await send();
        expect(again.status).toBeLessThan(300);
        const { id } = again.json.items[0];
        await until(async () => (await app.api('GET', `${documents}/${id}`)).json.status === 'completed');
        expect(await content(`${documents}/${id}/content`)).toEqual([200, text]);
      }
    });

    it('keeps the bytes of a file that is handed over, at its new owner', async () => {
      const [from, to] = [await person(app), await person(app)];
      const [file] = (await from.api('POST', '/api/v1/files', filesForm(['lecture.txt', 'Waves']))).json.items;
      const [organizationId = ''] = readdirSync(join(app.dataDir, 'files'));
      const of = ({ userId }: Person) => ({ organizationId, userId });
      proxy.swallowCommit(/UPDATE "files"/);
      const handOver = () => app.get(FileOwnership).handOver(of(from), of(to), file.id, () => Promise.resolve());
      await expect(acrossOrganizations('commands', handOver)).rejects.toThrow();
      const { status, text } = await to.api('GET', `/api/v1/files/${file.id}/content`);
      expect([status, text]).toEqual([200, 'Waves']);
    });

    it('counts every question once: against its limit and in the usage of the day', async () => {
      const rule = { id: 'month', for: { kind: 'organization' }, limit: 'tokens', amount: 1_000_000, per: 'month' };
      await app.api('PATCH', '/api/v1/organizations/default', { limits: { rules: [rule] } });
      upstream.always({ content: 'Yes.', usage: { prompt_tokens: 4, completion_tokens: 5, total_tokens: 9 } });
      const body = { model: `lamb_assistant.${await makeAssistant(app)}`, messages: [user('Hi')] };
      const counted = async () => {
        const [row] = await app.get(DataSource).query<[Record<string, number>]>(`
          SELECT (SELECT sum(used)::int FROM limit_counters) AS used,
            (SELECT sum(reserved)::int FROM limit_counters) AS reserved,
            (SELECT count(*)::int FROM limit_reservations) AS open,
            (SELECT sum(prompt_tokens + completion_tokens)::int FROM usage_days) AS told,
            (SELECT sum(runs)::int FROM usage_days) AS runs`);
        return row;
      };
      const report = /INSERT INTO limit_reservations/;
      for (const statement of [report, /INSERT INTO usage_days/]) {
        const before = proxy.swallowed;
        // The first statement about the limit leases what the answer needs, the next one reports the answer.
        upstream.expect({ content: 'Yes.', check: () => proxy.swallow(statement) });
        expect((await app.api('POST', '/v1/chat/completions', body)).status).toBe(200);
        await until(() => proxy.swallowed > before);
        await until(() =>
          app
            .get(LimitLeases)
            .giveBack()
            .then(
              () => true,
              () => false,
            ),
        );
      }
      proxy.swallow(report);
      const refused = await app.api('POST', '/v1/chat/completions', body);
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '2']);
      const expected = { used: 18, reserved: 0, open: 0, told: 18, runs: 2 };
      await until(async () => isDeepStrictEqual(await counted(), expected));
    });

    it('removes the bytes of what was refused', async () => {
      const stored = () => readdirSync(app.dataDir, { recursive: true }).length;
      const documents = await base();
      await upload(documents, 'kept.md', 'Kept.');
      const before = stored();
      const limit = jest.spyOn(app.get(AuditLog), 'recordAll').mockRejectedValueOnce(new Error('refused'));
      expect((await upload(documents, 'refused.md', 'Refused.')).status).toBe(500);
      limit.mockRestore();
      expect(stored()).toBe(before);
    });
  });

  it('stops in bounded time without it, and tries nothing again once it has stopped', async () => {
    const timers = runningTimers();
    const id = await makeAssistant(app);
    const body = { messages: [user('Hi')] };
    const asked = upstream.requests.length;
    upstream.expect({ fault: 'no-answer' });
    const run = (await app.api('POST', `/api/v1/assistants/${id}/runs`, body)).json.id as string;
    const read = readEvents(app, `${run}/events`).catch(() => undefined);
    await until(() => upstream.requests.length > asked);
    let gone = Promise.resolve();
    upstream.expect({ content: 'Yes.', check: () => void (gone = proxy.die()) });
    const question = { model: `lamb_assistant.${id}`, ...body };
    const { status } = await app.api('POST', '/v1/chat/completions', question, { 'idempotency-key': randomUUID() });
    expect(status).toBe(200);
    await gone;
    await app.stop();
    await new Promise(setImmediate);
    expect(timers()).toEqual([]);
    await read;
  });
});
