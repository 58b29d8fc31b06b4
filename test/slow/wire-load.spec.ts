import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Pool } from 'pg';
import { describeEmbedded, startTestEngine, type TestEngine } from '../support/embedded-engine';
import { RawClient, say, valuesOf } from '../support/raw-client';
import { until } from '../support/until';

const MEGABYTE = 1024 * 1024;

describeEmbedded('the wire front under load', () => {
  let engine: TestEngine;

  beforeAll(async () => {
    engine = await startTestEngine();
  });
  afterAll(() => engine.stop());

  it('gives every one of three processes the answers to its own statements', async () => {
    const children = [1, 2, 3].map((id) =>
      spawn(process.execPath, [join(__dirname, '../support/distinct-statements.cjs'), engine.url, String(id)], {
        stdio: ['ignore', 'pipe', 'inherit'],
      }),
    );
    const reports = await Promise.all(
      children.map(async (child) => {
        let text = '';
        child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
        await once(child, 'close');
        return JSON.parse(text) as unknown;
      }),
    );
    expect(reports).toEqual([1, 2, 3].map(() => ({ right: 300, wrong: 0, failed: 0 })));
  });

  it('holds no more than one answer for a client that does not read, and serves the others meanwhile', async () => {
    const answers = 40;
    const slow = await RawClient.login(engine.url);
    slow.socket.removeAllListeners('data').pause();
    const before = process.memoryUsage().rss;
    for (let n = 0; n < answers; n += 1) {
      slow.send(say.parse('', "SELECT repeat('x', 1000000) FROM generate_series(1, 10)"));
      slow.send(say.bind('', ''), say.execute(''), say.sync());
    }
    const other = await RawClient.login(engine.url);
    for (let n = 0; n < 20; n += 1) {
      await sleep(20);
      expect(valuesOf(await other.ask(say.query(`SELECT ${n}`)))).toEqual([String(n)]);
    }
    expect(process.memoryUsage().rss - before).toBeLessThan(150 * MEGABYTE);

    let bytes = 0;
    slow.socket.on('data', (chunk: Buffer) => (bytes += chunk.length)).resume();
    await until(() => bytes >= answers * 10_000_000);
    expect(bytes).toBeLessThan(answers * 10_010_000);
    for (const client of [slow, other]) client.socket.destroy();
  });

  it('takes a pipeline longer than its input limit', async () => {
    const client = await RawClient.login(engine.url);
    const text = 'y'.repeat(100_000);
    const batch = [say.parse('', `SELECT length('${text}')`), say.bind('', ''), say.execute(''), say.sync()];
    for (let n = 0; n < 50; n += 1) client.send(...batch);
    for (let n = 0; n < 50; n += 1) expect(valuesOf(await client.until('Z'))).toEqual(['100000']);
    client.socket.destroy();
  });

  it('does not stall the event loop of the service while a statement runs', async () => {
    const client = new Client({ connectionString: engine.url });
    await client.connect();
    let turns = 0;
    const timer = setInterval(() => (turns += 1), 5);
    await client.query('SELECT sum(sqrt(n)) FROM generate_series(1, 3000000) n');
    clearInterval(timer);
    await client.end();
    // The statement would let only one or two turns pass if it ran in the thread of the service.
    expect(turns).toBeGreaterThan(5);
  });

  it('lets a pool say that it is exhausted', async () => {
    const pool = new Pool({ connectionString: engine.url, max: 1, connectionTimeoutMillis: 200 });
    const held = await pool.connect();
    await expect(pool.query('SELECT 1')).rejects.toThrow('timeout exceeded');
    held.release();
    await pool.end();
  });
});
