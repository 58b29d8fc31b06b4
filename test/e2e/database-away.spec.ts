import { startApp, type TestApp } from '../support/app';
import { testDatabaseUrl } from '../support/database';
import { DatabaseProxy } from '../support/proxy';
import { until } from '../support/until';

/** The tests stand in the order of an outage: the last one stops the service. */
describe('a service whose database goes away', () => {
  let proxy: DatabaseProxy;
  let app: TestApp;

  beforeAll(async () => {
    proxy = new DatabaseProxy(testDatabaseUrl());
    await proxy.listen();
    app = await startApp({ env: { DATABASE_URL: proxy.url } });
  });
  afterAll(() => proxy.die().catch(() => undefined));

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

  it('stops in bounded time without it', async () => {
    await proxy.die();
    const started = performance.now();
    await app.stop();
    expect(performance.now() - started).toBeLessThan(30_000);
  });
});
