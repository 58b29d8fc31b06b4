import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { describeEmbedded, startTestEngine, type TestEngine } from '../../support/embedded-engine';
import { codesOf, RawClient, say, special, startup, statusOf, typesOf, valuesOf } from '../../support/raw-client';

describeEmbedded('the wire front, byte by byte', () => {
  let engine: TestEngine;
  const clients: RawClient[] = [];

  const login = async (parameters?: Record<string, string>): Promise<RawClient> => {
    const client = await RawClient.login(engine.url, parameters);
    clients.push(client);
    return client;
  };

  beforeAll(async () => {
    engine = await startTestEngine();
  });
  afterEach(() => {
    for (const client of clients.splice(0)) client.socket.destroy();
  });
  afterAll(() => engine.stop());

  describe('start-up', () => {
    it.each([
      ['SSLRequest', 80877103],
      ['GSSENCRequest', 80877104],
    ])('answers %s with N and goes on in the clear', async (_name, code) => {
      const client = await RawClient.open(engine.url);
      const answer = new Promise<string>((resolve) => client.socket.once('data', (data) => resolve(data.toString())));
      client.send(special(code));
      expect(await answer).toBe('N');
      client.socket.destroy();
    });

    it('takes a cancel request and hangs up without a word', async () => {
      const client = await RawClient.open(engine.url);
      client.send(special(80877102, 1, 2));
      expect(await client.closed()).toEqual([]);
    });

    it.each([
      ['another database', { user: 'postgres', database: 'other' }, '3D000'],
      ['another role', { user: 'somebody', database: 'postgres' }, '28000'],
      ['replication', { user: 'postgres', database: 'postgres', replication: 'database' }, '0A000'],
    ])('refuses %s', async (_name, parameters, code) => {
      const client = await RawClient.open(engine.url);
      client.send(startup(196_608, parameters));
      expect(codesOf(await client.closed())).toEqual([code]);
    });

    it('offers 3.0 to a client that asks for a newer minor version', async () => {
      const client = await RawClient.open(engine.url);
      client.send(startup(196_610, { user: 'postgres', database: 'postgres', '_pq_.unknown': '1' }));
      expect(typesOf(await client.until('Z'))).toMatch(/^vRS+KZ$/);
      client.socket.destroy();
    });

    it('refuses version 2 and garbage', async () => {
      for (const bytes of [startup(131_072, { user: 'postgres' }), Buffer.from('GET / HTTP/1.1\r\n\r\n')]) {
        const client = await RawClient.open(engine.url);
        client.send(bytes);
        expect(codesOf(await client.closed())).toEqual(['08P01']);
      }
    });

    it('applies settings given in the start-up message', async () => {
      const client = await login({ options: '-c search_path=pg_catalog -c TimeZone=Europe/Madrid', DateStyle: 'SQL' });
      expect(valuesOf(await client.ask(say.query('SHOW timezone')))).toEqual(['Europe/Madrid']);
      expect(valuesOf(await client.ask(say.query('SHOW search_path')))).toEqual(['pg_catalog']);
      const other = await login();
      expect(valuesOf(await other.ask(say.query('SHOW timezone')))).toEqual(['UTC']);
    });

    it('hangs up on a session whose settings cannot be applied', async () => {
      const client = await login({ options: '-c no_such_setting=1' });
      client.send(say.query('SELECT 1'));
      expect(codesOf(await client.closed())).toEqual(['42704']);
    });
  });

  describe('messages', () => {
    it('answers a message that arrives byte by byte', async () => {
      const client = await login();
      for (const byte of say.query("SELECT 'slow'")) {
        client.send(Buffer.from([byte]));
        await new Promise(setImmediate);
      }
      expect(valuesOf(await client.until('Z'))).toEqual(['slow']);
    });

    it('hangs up on an unknown message type and keeps serving others', async () => {
      const client = await login();
      client.send(Buffer.from([33, 0, 0, 0, 4]));
      expect(codesOf(await client.closed())).toEqual(['08P01']);
      expect(valuesOf(await (await login()).ask(say.query('SELECT 1')))).toEqual(['1']);
    });

    it('hangs up on a length that no message can have', async () => {
      for (const length of [0, 3, 0x7fffffff]) {
        const client = await login();
        const message = Buffer.from([81, 0, 0, 0, 0]);
        message.writeInt32BE(length, 1);
        client.send(message);
        expect(codesOf(await client.closed())).toEqual(['08P01']);
      }
    });

    it('answers a batch with an error in a malformed body', async () => {
      const client = await login();
      const malformed = Buffer.from([66, 0, 0, 0, 8, 0, 0, 0, 99]);
      expect(codesOf(await client.ask(malformed, say.sync()))).toHaveLength(1);
      expect(valuesOf(await client.ask(say.query('SELECT 1')))).toEqual(['1']);
    });

    it('ignores copy messages outside a copy', async () => {
      const client = await login();
      expect(valuesOf(await client.ask(say.copyDone(), say.query('SELECT 1')))).toEqual(['1']);
    });
  });

  describe('extended queries', () => {
    it('answers pipelined batches in order', async () => {
      const client = await login();
      const numbers = Array.from({ length: 200 }, (_, index) => index);
      client.send(
        ...numbers.flatMap((n) => [say.parse('', `SELECT ${n}`), say.bind('', ''), say.execute(''), say.sync()]),
      );
      for (const n of numbers) expect(valuesOf(await client.until('Z'))).toEqual([String(n)]);
    });

    it('fails one batch of a pipeline and not the next', async () => {
      const client = await login();
      const batch = (sql: string) => [say.parse('', sql), say.bind('', ''), say.execute(''), say.sync()];
      client.send(...batch('SELECT 1'), ...batch('SELECT nope'), ...batch('SELECT 3'));
      expect(valuesOf(await client.until('Z'))).toEqual(['1']);
      expect(codesOf(await client.until('Z'))).toEqual(['42703']);
      expect(valuesOf(await client.until('Z'))).toEqual(['3']);
    });

    it('answers a Flush without a Sync, and keeps the engine until the Sync', async () => {
      const [client, other] = [await login(), await login()];
      client.send(say.parse('', 'SELECT 1'), say.bind('', ''), say.execute(''), say.flush());
      expect(valuesOf(await client.until('C'))).toEqual(['1']);
      other.send(say.query('SELECT 2'));
      await sleep(50);
      const waiting = other.until('Z');
      expect(statusOf(await client.ask(say.sync()))).toBe('I');
      expect(valuesOf(await waiting)).toEqual(['2']);
    });

    it('skips everything between an error and the next Sync, across flushes', async () => {
      const client = await login();
      client.send(say.parse('', 'SELECT nope'), say.flush());
      expect(codesOf(await client.until('E'))).toEqual(['42703']);
      client.send(say.parse('', 'SELECT 1'), say.bind('', ''), say.execute(''), say.flush());
      client.send(say.query('SELECT 2'));
      expect(typesOf(await client.ask(say.sync()))).toBe('Z');
      expect(valuesOf(await client.ask(say.query('SELECT 3')))).toEqual(['3']);
    });

    it('reads a portal in parts inside a transaction', async () => {
      const client = await login();
      await client.ask(say.query('BEGIN'));
      const first = await client.ask(
        say.parse('', 'SELECT generate_series(1, 5)'),
        say.bind('p', ''),
        say.execute('p', 2),
        say.sync(),
      );
      expect([valuesOf(first), typesOf(first).includes('s')]).toEqual([['1', '2'], true]);
      expect(valuesOf(await client.ask(say.execute('p', 9), say.sync()))).toEqual(['3', '4', '5']);
      expect(statusOf(await client.ask(say.query('COMMIT')))).toBe('I');
    });

    it('keeps the unnamed statement of each session from one turn to the next', async () => {
      const [one, two] = [await login(), await login()];
      await one.ask(say.parse('', "SELECT 'one'"), say.sync());
      await two.ask(say.parse('', "SELECT 'two'"), say.sync());
      for (const [client, value] of [
        [one, 'one'],
        [two, 'two'],
        [one, 'one'],
      ] as const) {
        const answer = await client.ask(say.describeStatement(''), say.bind('', ''), say.execute(''), say.sync());
        expect([valuesOf(answer), typesOf(answer)]).toEqual([[value], 'tT2DCZ']);
      }
    });

    it('loses the unnamed statement to a simple query, as a server does', async () => {
      const client = await login();
      await client.ask(say.parse('', 'SELECT 1'), say.sync());
      await client.ask(say.query('SELECT 2'));
      expect(codesOf(await client.ask(say.bind('', ''), say.execute(''), say.sync()))).toEqual(['26000']);
    });

    it('keeps named statements of equal names apart', async () => {
      const [one, two] = [await login(), await login()];
      const name = 'n'.repeat(70);
      await one.ask(say.parse(name, "SELECT 'one'"), say.sync());
      await two.ask(say.parse(name, "SELECT 'two'"), say.sync());
      const run = async (client: RawClient) =>
        valuesOf(await client.ask(say.bind('', name), say.execute(''), say.sync()));
      expect([await run(one), await run(two)]).toEqual([['one'], ['two']]);
      expect(codesOf(await one.ask(say.parse(name, 'SELECT 3'), say.sync()))).toEqual(['42P05']);
      expect(typesOf(await one.ask(say.closeStatement(name), say.sync()))).toBe('3Z');
      expect(codesOf(await one.ask(say.bind('', name), say.sync()))).toEqual(['26000']);
      expect(await run(two)).toEqual(['two']);
    });

    it('survives a session that makes the engine forget all statements', async () => {
      const [one, two] = [await login(), await login()];
      await one.ask(say.parse('s', "SELECT 'kept'"), say.sync());
      await two.ask(say.query('DISCARD ALL'));
      const answer = await one.ask(say.bind('', 's'), say.execute(''), say.sync());
      expect([typesOf(answer), valuesOf(answer)]).toEqual(['2DCZ', ['kept']]);
      await one.ask(say.query('DEALLOCATE ALL'));
      expect(codesOf(await one.ask(say.bind('', 's'), say.sync()))).toEqual(['26000']);
    });
  });

  describe('disconnecting', () => {
    beforeAll(async () => {
      await (await login()).ask(say.query('CREATE TABLE left_behind (n int)'));
    });

    it.each([
      ['in a transaction', (client: RawClient) => client.ask(say.query('BEGIN; INSERT INTO left_behind VALUES (1)'))],
      ['in a failed transaction', (client: RawClient) => client.ask(say.query('BEGIN'), say.query('SELECT nope'))],
      [
        'between Flush and Sync',
        async (client: RawClient) => {
          client.send(
            say.parse('', 'INSERT INTO left_behind VALUES (2)'),
            say.bind('', ''),
            say.execute(''),
            say.flush(),
          );
          return client.until('C');
        },
      ],
    ])('%s rolls it back and lets the others in', async (_name, leave) => {
      const [client, other] = [await login(), await login()];
      await leave(client);
      const waiting = other.ask(say.query('SELECT count(*) FROM left_behind'));
      client.socket.destroy();
      expect(valuesOf(await waiting)).toEqual(['0']);
    });

    it('in the middle of a message does nothing', async () => {
      const client = await login();
      client.send(say.query('INSERT INTO left_behind VALUES (3)').subarray(0, 20));
      client.socket.destroy();
      expect(valuesOf(await (await login()).ask(say.query('SELECT count(*) FROM left_behind')))).toEqual(['0']);
    });

    it('while waiting gives the place in the line back', async () => {
      const [holder, waiting, other] = [await login(), await login(), await login()];
      await holder.ask(say.query('BEGIN'));
      // The statement and the end of the connection arrive together, and in this order.
      waiting.socket.end(say.query('INSERT INTO left_behind VALUES (4)'));
      await once(waiting.socket, 'close');
      await holder.ask(say.query('COMMIT'));
      expect(valuesOf(await other.ask(say.query('SELECT count(*) FROM left_behind')))).toEqual(['0']);
    });

    it('with Terminate closes the connection', async () => {
      const client = await login();
      client.send(say.terminate());
      expect(await client.closed()).toEqual([]);
    });
  });
});
