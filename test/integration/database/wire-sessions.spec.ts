import { setTimeout as sleep } from 'node:timers/promises';
import { Client, type Notification } from 'pg';
import { describeEmbedded, startTestEngine, type TestEngine } from '../../support/embedded-engine';
import { until } from '../../support/until';

const WAIT = 1_000;
const IDLE_LIMIT = 5_000;

describeEmbedded('sessions on one embedded engine', () => {
  let engine: TestEngine;
  const clients: Client[] = [];

  const login = async (): Promise<Client> => {
    const client = new Client({ connectionString: engine.url });
    client.on('error', () => undefined);
    await client.connect();
    clients.push(client);
    return client;
  };
  const value = async (client: Client, sql: string): Promise<unknown> =>
    Object.values((await client.query<Record<string, unknown>>(sql)).rows[0] ?? {})[0];

  beforeAll(async () => {
    engine = await startTestEngine({ waitMs: WAIT, idleLimitMs: IDLE_LIMIT });
    await (await login()).query('CREATE TABLE items (n int PRIMARY KEY, note text)');
  });
  beforeEach(async () => {
    await (await login()).query('TRUNCATE items');
  });
  afterEach(async () => {
    await Promise.all(clients.splice(0).map((client) => client.end().catch(() => undefined)));
  });
  afterAll(() => engine.stop());

  describe('transactions', () => {
    it('of several connections happen one after the other', async () => {
      await (await login()).query("INSERT INTO items VALUES (0, '0')");
      const add = async (): Promise<void> => {
        const client = await login();
        await client.query('BEGIN');
        const { rows } = await client.query<{ note: string }>('SELECT note FROM items WHERE n = 0');
        await sleep(5);
        await client.query('UPDATE items SET note = $1 WHERE n = 0', [String(Number(rows[0]?.note) + 1)]);
        await client.query('COMMIT');
      };
      await Promise.all(Array.from({ length: 10 }, add));
      expect(await value(await login(), 'SELECT note FROM items')).toBe('10');
    });

    it('that sit idle make those who wait fail with 55P03, and are not harmed themselves', async () => {
      const [holder, other] = [await login(), await login()];
      await holder.query('BEGIN');
      const started = performance.now();
      await expect(other.query('SELECT $1::int', [1])).rejects.toMatchObject({ code: '55P03' });
      await expect(other.query('SELECT 1')).rejects.toMatchObject({ code: '55P03' });
      expect(performance.now() - started).toBeGreaterThan(2 * WAIT - 20);
      await holder.query("INSERT INTO items VALUES (1, 'a')");
      await holder.query('COMMIT');
      expect(await value(other, 'SELECT count(*) FROM items')).toBe('1');
    });

    it('that work for longer than the wait keep nobody from waiting', async () => {
      const [holder, other] = [await login(), await login()];
      await holder.query('BEGIN');
      const waiting = value(other, 'SELECT count(*) FROM items');
      for (let n = 0; n < 5; n += 1) {
        await sleep(WAIT / 4);
        await holder.query('INSERT INTO items VALUES ($1)', [n]);
      }
      await holder.query('COMMIT');
      expect(await waiting).toBe('5');
    });

    it('that stay idle far too long are ended', async () => {
      const holder = await login();
      const lost = new Promise<Error>((resolve) => holder.on('error', resolve));
      await holder.query('BEGIN');
      await holder.query("INSERT INTO items VALUES (1, 'a')");
      expect(await lost).toMatchObject({ code: '25P03' });
      expect(await value(await login(), 'SELECT count(*) FROM items')).toBe('0');
    });

    it('know errors, savepoints and rollback', async () => {
      const client = await login();
      await client.query('BEGIN');
      await client.query("INSERT INTO items VALUES (1, 'a')");
      await client.query('SAVEPOINT here');
      await expect(client.query("INSERT INTO items VALUES (1, 'b')")).rejects.toMatchObject({ code: '23505' });
      await expect(client.query('SELECT 1')).rejects.toMatchObject({ code: '25P02' });
      await client.query('ROLLBACK TO here');
      await client.query("INSERT INTO items VALUES (2, 'b')");
      await client.query('COMMIT');
      expect(await value(client, 'SELECT count(*) FROM items')).toBe('2');
      await client.query('BEGIN');
      await client.query('DELETE FROM items');
      await client.query('ROLLBACK');
      expect(await value(client, 'SELECT count(*) FROM items')).toBe('2');
    });
  });

  describe('prepared statements', () => {
    it('of the same name on two connections are two', async () => {
      const [one, two] = [await login(), await login()];
      const ask = async (client: Client, text: string) => (await client.query({ name: 'same', text })).rows;
      for (let round = 0; round < 3; round += 1) {
        expect(await ask(one, 'SELECT 1 AS n')).toEqual([{ n: 1 }]);
        expect(await ask(two, 'SELECT 2 AS n')).toEqual([{ n: 2 }]);
      }
    });

    it('go with their connection', async () => {
      const [one, two] = [await login(), await login()];
      await one.query({ name: 'gone', text: 'SELECT 1' });
      const count = 'SELECT count(*) FROM pg_prepared_statements';
      expect(await value(two, count)).toBe('1');
      await one.end();
      await until(async () => (await value(two, count)) === '0');
    });
  });

  describe('notifications', () => {
    const heardBy = (client: Client): Notification[] => {
      const heard: Notification[] = [];
      client.on('notification', (notification) => heard.push(notification));
      return heard;
    };

    it('reach every listener of the channel and nobody else', async () => {
      const [one, two, three, sender] = [await login(), await login(), await login(), await login()];
      const heard = [one, two, three, sender].map(heardBy);
      await one.query('LISTEN news');
      await two.query('LISTEN "News"; LISTEN NEWS');
      await three.query('LISTEN weather');
      await sender.query('BEGIN');
      await sender.query("SELECT pg_notify('news', $1)", ['hello']);
      await sleep(20);
      expect(heard.flat()).toHaveLength(0);
      await sender.query('COMMIT');
      await sender.query(`NOTIFY "News", 'capital'`);
      await until(() => heard.flat().length === 3);
      expect(heard.map((list) => list.map(({ payload }) => payload))).toEqual([
        ['hello'],
        ['hello', 'capital'],
        [],
        [],
      ]);
    });

    it('go on for others when one stops listening or leaves', async () => {
      const [one, two, three] = [await login(), await login(), await login()];
      const heard = heardBy(one);
      await Promise.all([one, two, three].map((client) => client.query('LISTEN news')));
      await two.query('UNLISTEN news');
      await three.end();
      await two.query("NOTIFY news, 'still'");
      await until(() => heard.length > 0);
      expect(heard.map(({ payload }) => payload)).toEqual(['still']);
    });
  });

  describe('settings', () => {
    it('belong to the session that made them', async () => {
      const [one, two] = [await login(), await login()];
      await one.query("SET search_path = ''");
      await one.query("SET app.note = 'it''s one'");
      await two.query("SELECT set_config('app.note', 'two', false)");
      const note = "SELECT current_setting('app.note', true)";
      expect([await value(one, note), await value(two, note)]).toEqual(["it's one", 'two']);
      expect(await value(two, 'SELECT count(*) FROM items')).toBe('0');
      await expect(one.query('SELECT * FROM items')).rejects.toMatchObject({ code: '42P01' });
      expect(await value(await login(), note)).toBeFalsy();
    });

    it('are gone with the session, and with RESET', async () => {
      const [one, two] = [await login(), await login()];
      await one.query("SET timezone = 'Asia/Tokyo'");
      await one.end();
      expect(await value(two, 'SHOW timezone')).toBe('UTC');
      await two.query("SET timezone = 'Asia/Tokyo'");
      await two.query('RESET timezone');
      expect(await value(await login(), 'SHOW timezone')).toBe('UTC');
      expect(await value(two, 'SHOW timezone')).toBe('UTC');
    });

    it('of a transaction end with it, roles too', async () => {
      const [one, two] = [await login(), await login()];
      await one.query('CREATE ROLE app; GRANT ALL ON items TO app');
      await one.query('BEGIN');
      await one.query('SET LOCAL ROLE app');
      await one.query("INSERT INTO items VALUES (1, 'mine')");
      expect(await value(one, 'SELECT current_user')).toBe('app');
      await one.query('COMMIT');
      expect([await value(one, 'SELECT current_user'), await value(two, 'SELECT current_user')]).toEqual([
        'postgres',
        'postgres',
      ]);
      await one.query('SET ROLE app');
      expect([await value(two, 'SELECT current_user'), await value(one, 'SELECT current_user')]).toEqual([
        'postgres',
        'app',
      ]);
    });
  });

  describe('COPY', () => {
    it.each([
      ['a simple query', (client: Client) => client.query('COPY items FROM STDIN')],
      ['an extended query', (client: Client) => client.query({ name: 'copy', text: '/* x */ copy items from stdin' })],
    ])('FROM STDIN in %s is refused, and the session goes on', async (_name, copy) => {
      const client = await login();
      await expect(copy(client)).rejects.toMatchObject({ code: '0A000' });
      await expect(copy(client)).rejects.toMatchObject({ code: '0A000' });
      await client.query('BEGIN');
      await client.query("INSERT INTO items VALUES (1, 'copy from stdin')");
      await expect(copy(client)).rejects.toMatchObject({ code: '0A000' });
      await expect(client.query('SELECT 1')).rejects.toMatchObject({ code: '25P02' });
      await client.query('ROLLBACK');
      expect(await value(client, "SELECT 'copy from stdin'")).toBe('copy from stdin');
    });
  });

  describe('hostile input', () => {
    it('nested beyond the stack is an error, not the end', async () => {
      const client = await login();
      for (const sql of [
        `SELECT '${'['.repeat(100_000)}${']'.repeat(100_000)}'::jsonb`,
        `SELECT ${'1+'.repeat(20_000)}1`,
        `SELECT ${'('.repeat(4_000)}1${')'.repeat(4_000)}`,
      ]) {
        await client.query(sql).catch((error: { code: string }) => expect(['54001', '42601']).toContain(error.code));
        expect(await value(client, 'SELECT 1')).toBe(1);
      }
    });

    it('of ten megabytes goes in and comes back', async () => {
      const client = await login();
      const document = { text: 'ñ'.repeat(5_000_000) };
      const { rows } = await client.query<{ back: typeof document }>('SELECT $1::jsonb AS back', [document]);
      expect(rows[0]?.back.text).toHaveLength(5_000_000);
    });
  });
});
