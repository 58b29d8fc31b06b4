import { AppError, type Caller } from '@bellwether/kernel';
import { Body, Controller, Inject, type INestApplication, Post, Res } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { IsString } from 'class-validator';
import type { NextFunction, Response } from 'express';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { Reflector } from '@nestjs/core';
import { DataSource } from 'typeorm';
import { FoundingService, OrganizationsModule } from '../../src/organizations';
import { AuditModule } from '../../src/infrastructure/audit';
import { CONFIG, type Config, ConfigModule, loadConfig } from '../../src/infrastructure/config';
import { DatabaseModule, Transactions } from '../../src/infrastructure/database';
import { type BellwetherRequest, ProblemFilter, validationPipe } from '../../src/infrastructure/http';
import { Idempotent, IdempotencyModule } from '../../src/infrastructure/idempotency';
import { IdempotencyRepository } from '../../src/infrastructure/idempotency/idempotency.repository';
import { OutboundModule } from '../../src/infrastructure/outbound';
import { SecretsModule } from '../../src/infrastructure/secrets';
import { openTestDatabase, testDatabaseUrl } from '../support/database';
import { until } from '../support/until';
import { emptyDatabase } from './auth.rooms';

class ThingDto {
  @IsString()
  name!: string;
}

let effects = 0;
/** Requests that have reached a route of the test. */
let arrivals = 0;

/** A gate that a route of the test waits at. A request that waits for ever stands for a process that died there. */
const gates: { before: Promise<unknown> | null; after: Promise<unknown> | null } = { before: null, after: null };

@Controller()
class ThingsController {
  constructor(@Inject(Transactions) private readonly transactions: Transactions) {}

  @Post('things')
  @Idempotent()
  async create(@Body() body: ThingDto): Promise<object> {
    arrivals += 1;
    await gates.before;
    effects += 1;
    if (body.name === 'fail') throw new AppError('upstream_error', 'scripted');
    return { effect: effects, name: body.name };
  }

  @Post('rows')
  @Idempotent()
  async row(@Body() body: ThingDto): Promise<object> {
    await gates.before;
    const id = await this.transactions.once('note.create', async (tx) => {
      effects += 1;
      await tx.query('INSERT INTO idempotent_things VALUES ($1)', [body.name]);
      return `row-${effects}`;
    });
    await gates.after;
    if (body.name === 'unanswered') throw new AppError('unavailable', 'scripted');
    return { id };
  }

  @Post('sealed-rows')
  @Idempotent({ sealed: true })
  async sealedRow(): Promise<object> {
    const key = await this.transactions.once('key.create', () => Promise.resolve(`CANARY-${(effects += 1)}`));
    await gates.after;
    return { key };
  }

  @Post('secrets')
  @Idempotent({ sealed: true })
  secret(): object {
    effects += 1;
    return { shown: `CANARY-${effects}` };
  }

  @Post('streams')
  @Idempotent()
  async stream(@Body() body: ThingDto, @Res() response: Response): Promise<void> {
    effects += 1;
    response.status(200).setHeader('content-type', 'text/event-stream');
    response.setHeader('x-run-id', 'run-1');
    response.write(`data: ${body.name} `);
    if (body.name === 'left') {
      await once(response, 'close');
      return;
    }
    response.end(`é ${effects}\n\n`);
  }
}

let app: INestApplication;
let url: string;
/** A table of the test, which the roles of the service may use. */
const THINGS = 'CREATE TABLE IF NOT EXISTS idempotent_things (name text); GRANT ALL ON idempotent_things TO PUBLIC';

let dataSource: DataSource;
let caller: Caller;
let serial = 0;

beforeAll(async () => {
  await emptyDatabase();
  const config = loadConfig(
    {
      NODE_ENV: 'test',
      DATABASE_URL: testDatabaseUrl(),
      DATA_DIR: '/nonexistent',
      SECRETS_KEY: `k1:${'0123456789abcdef'.repeat(4)}`,
    },
    null,
  );
  const database = DatabaseModule.forRootAsync({
    migrations: [],
    schema: 'skip',
    inject: [CONFIG],
    useFactory: ({ database }: Config) => database,
  });
  const module = await Test.createTestingModule({
    imports: [
      ConfigModule.of(config),
      database,
      OutboundModule,
      SecretsModule,
      AuditModule,
      IdempotencyModule,
      OrganizationsModule,
    ],
    controllers: [ThingsController],
  }).compile();
  app = module.createNestApplication();
  app.useGlobalPipes(validationPipe());
  app.useGlobalFilters(new ProblemFilter(app.get(Reflector)));
  app.use((request: BellwetherRequest, _response: Response, next: NextFunction) => {
    request.caller = { ...caller, userId: String(request.headers['x-user'] ?? caller.userId) };
    next();
  });
  await app.listen(0, '127.0.0.1');
  url = `http://127.0.0.1:${(app.getHttpServer().address() as AddressInfo).port}`;
  dataSource = await openTestDatabase();
  caller = {
    kind: 'api_key',
    credentialId: null,
    organizationId: await app.get(FoundingService).create(null, { slug: 'one', name: 'One' }),
    organizationSlug: 'one',
    userId: 'user-1',
    role: 'owner',
    systemAdmin: false,
    scopes: ['write'],
    assistantIds: null,
  };
});
afterAll(async () => {
  await dataSource.query('DROP TABLE IF EXISTS idempotent_things');
  await dataSource.destroy();
  app.getHttpServer().closeAllConnections();
  await app.close();
});

let key: string;
beforeEach(() => {
  effects = 0;
  arrivals = 0;
  Object.assign(gates, { before: null, after: null });
  key = `key-${(serial += 1)}`;
});

/** Closes a gate; the function it returns opens it. */
function closed(gate: keyof typeof gates): () => void {
  let open = (): void => undefined;
  gates[gate] = new Promise<void>((done) => (open = done));
  return open;
}

async function post(path: string, body: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': key, ...headers },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  return {
    status: response.status,
    text,
    replayed: response.headers.get('idempotent-replayed'),
    headers: response.headers,
  };
}
const codeOf = ({ text }: { text: string }): string => JSON.parse(text).code;
const state = async (): Promise<string[]> =>
  (await dataSource.query<{ state: string }[]>('SELECT state FROM idempotency_records WHERE key = $1', [key])).map(
    (row) => row.state,
  );

/** Ends the lease, like a process that sends no heartbeat. */
const lapse = () =>
  dataSource.query(`UPDATE idempotency_records SET lease_until = now() - interval '1 s' WHERE key = $1`, [key]);

describe('Idempotency-Key', () => {
  it('gives the same request the same answer, without a second effect', async () => {
    const first = await post('/things', { name: 'a' });
    const second = await post('/things', { name: 'a' });
    expect([first.status, first.replayed]).toEqual([201, null]);
    expect([second.status, second.replayed, second.text]).toEqual([201, 'true', first.text]);
    expect(effects).toBe(1);
  });

  it('has exactly one effect for fifty equal requests at once, and one answer afterwards', async () => {
    const open = closed('before');
    const asked = Array.from({ length: 50 }, () => post('/things', { name: 'a' }));
    await until(() => arrivals > 0);
    open();
    const answers = await Promise.all(asked);
    expect(effects).toBe(1);
    const created = answers.filter(({ status }) => status === 201);
    expect(created.filter(({ replayed }) => replayed === null)).toHaveLength(1);
    expect(new Set(created.map(({ text }) => text)).size).toBe(1);
    for (const answer of answers.filter(({ status }) => status !== 201)) {
      expect([answer.status, codeOf(answer)]).toEqual([409, 'idempotency_in_progress']);
    }
    await expect(post('/things', { name: 'a' })).resolves.toMatchObject({ replayed: 'true' });
  });

  it('takes two spellings of one body for the same body', async () => {
    await post('/streams', { name: 'a', extra: undefined });
    const text = '{ "name" : "a" }';
    const again = await fetch(`${url}/streams`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': key },
      body: text,
    });
    expect(again.headers.get('idempotent-replayed')).toBe('true');
  });

  it('refuses the same key with another body, running or done', async () => {
    const open = closed('before');
    const first = post('/things', { name: 'a' });
    await until(() => arrivals === 1);
    expect(codeOf(await post('/things', { name: 'b' }))).toBe('idempotency_mismatch');
    open();
    await first;
    const after = await post('/things', { name: 'b' });
    expect([after.status, codeOf(after)]).toEqual([422, 'idempotency_mismatch']);
    expect(effects).toBe(1);
  });

  it('keeps callers, routes and keys apart', async () => {
    await post('/things', { name: 'a' });
    await post('/things', { name: 'a' }, { 'x-user': 'user-2' });
    await post('/streams', { name: 'a' });
    await post('/things', { name: 'a' }, { 'idempotency-key': `${key}-2` });
    expect(effects).toBe(4);
  });

  it('is free again after a request that was refused or failed', async () => {
    await expect(post('/things', { name: 5 })).resolves.toMatchObject({ status: 400 });
    await expect(post('/things', { name: 'fail' })).resolves.toMatchObject({ status: 502 });
    await expect(post('/things', { name: 'a' })).resolves.toMatchObject({ status: 201, replayed: null });
    await expect(state()).resolves.toEqual(['done']);
  });

  it.each(['', 'x'.repeat(256)])('refuses a key of impossible length', async (bad) => {
    const answer = await post('/things', { name: 'a' }, { 'idempotency-key': bad });
    expect([answer.status, codeOf(answer), effects]).toEqual([400, 'validation_failed', 0]);
  });

  it('is free again as soon as the database answers, after a request that failed with it', async () => {
    const repository = app.get(IdempotencyRepository);
    const away = Object.assign(new Error('terminating connection'), { code: '57P01' });
    const released = jest.spyOn(repository, 'release').mockRejectedValue(away);
    await expect(post('/things', { name: 'fail' })).resolves.toMatchObject({ status: 502 });
    await until(() => released.mock.calls.length > 2);
    await expect(state()).resolves.toEqual(['running']);
    released.mockRestore();
    await until(async () => (await state()).length === 0);
    await expect(post('/things', { name: 'a' })).resolves.toMatchObject({ status: 201, replayed: null });
  });

  it('is stored when the client left before the answer, for its next try to find', async () => {
    const open = closed('before');
    const leaving = new AbortController();
    const left = fetch(`${url}/things`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': key },
      body: '{"name":"a"}',
      signal: leaving.signal,
    });
    await until(() => arrivals === 1);
    leaving.abort();
    await expect(left).rejects.toThrow();
    open();
    await until(async () => (await state())[0] === 'done');
    await expect(post('/things', { name: 'a' })).resolves.toMatchObject({ status: 201, replayed: 'true' });
    expect(effects).toBe(1);
  });

  it('replays an answer that the route wrote itself, byte for byte', async () => {
    const first = await post('/streams', { name: 'ü' });
    const second = await post('/streams', { name: 'ü' });
    expect(first.text).toBe('data: ü é 1\n\n');
    expect(second).toMatchObject({ status: 200, text: first.text, replayed: 'true' });
    expect(second.headers.get('content-type')).toBe('text/event-stream');
    expect(second.headers.get('x-run-id')).toBe('run-1');
    expect(effects).toBe(1);
  });

  it('is free again when the client left in the middle of a stream', async () => {
    const response = await fetch(`${url}/streams`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': key },
      body: '{"name":"left"}',
    });
    await response.body?.cancel();
    await until(async () => (await state()).length === 0);
    await expect(post('/streams', { name: 'a' })).resolves.toMatchObject({ status: 200, replayed: null });
  });

  it('frees itself when the process that held it is gone', async () => {
    await post('/things', { name: 'a' });
    await dataSource.query(
      `UPDATE idempotency_records SET state = 'running', response = NULL, lease_until = now() + interval '1 s' WHERE key = $1`,
      [key],
    );
    expect(codeOf(await post('/things', { name: 'a' }))).toBe('idempotency_in_progress');
    await dataSource.query(`UPDATE idempotency_records SET lease_until = now() - interval '1 s' WHERE key = $1`, [key]);
    expect(codeOf(await post('/things', { name: 'b' }))).toBe('idempotency_mismatch');
    const answers = await Promise.all([post('/things', { name: 'a' }), post('/things', { name: 'a' })]);
    expect(answers.filter(({ status, replayed }) => status === 201 && replayed === null)).toHaveLength(1);
    expect(effects).toBe(2);
  });

  it('does not repeat what a process that died before its answer has committed', async () => {
    await dataSource.query(THINGS);
    const rows = () => dataSource.query('SELECT name FROM idempotent_things WHERE name = $1', [key]);
    gates.after = new Promise(() => undefined);
    const committed = until(async () => (await rows()).length === 1);
    void post('/rows', { name: key }).catch(() => undefined);
    await committed;
    gates.after = null;
    expect(codeOf(await post('/rows', { name: key }))).toBe('idempotency_in_progress');
    await lapse();
    await expect(post('/rows', { name: key })).resolves.toMatchObject({ status: 201, text: '{"id":"row-1"}' });
    await expect(post('/rows', { name: key })).resolves.toMatchObject({ text: '{"id":"row-1"}', replayed: 'true' });
    await expect(rows()).resolves.toHaveLength(1);
    expect(effects).toBe(1);
  });

  it('refuses the transaction of a request that has lost its key to another one', async () => {
    await dataSource.query(THINGS);
    let go!: () => void;
    gates.before = new Promise<void>((resolve) => (go = resolve));
    const first = post('/rows', { name: key });
    await until(async () => (await state()).length === 1);
    gates.before = null;
    await lapse();
    await expect(post('/rows', { name: key })).resolves.toMatchObject({ status: 201 });
    go();
    const late = await first;
    expect([late.status, codeOf(late)]).toEqual([409, 'idempotency_in_progress']);
    await expect(dataSource.query('SELECT name FROM idempotent_things WHERE name = $1', [key])).resolves.toHaveLength(
      1,
    );
  });

  it('keeps what was committed when the answer failed', async () => {
    await dataSource.query(THINGS);
    await expect(post('/rows', { name: 'unanswered' })).resolves.toMatchObject({ status: 503 });
    await expect(post('/rows', { name: 'unanswered' })).resolves.toMatchObject({ status: 503 });
    expect(effects).toBe(1);
    expect(codeOf(await post('/rows', { name: 'other' }))).toBe('idempotency_mismatch');
  });

  it('encrypts what was committed where the answer shows a secret', async () => {
    gates.after = new Promise(() => undefined);
    void post('/sealed-rows', {}).catch(() => undefined);
    const stored = () =>
      dataSource.query<{ effects: string | null }[]>('SELECT effects FROM idempotency_records WHERE key = $1', [key]);
    await until(async () => ((await stored())[0]?.effects ?? null) !== null);
    expect(JSON.stringify(await stored())).not.toContain('CANARY');
    gates.after = null;
    await lapse();
    await expect(post('/sealed-rows', {})).resolves.toMatchObject({ status: 201, text: '{"key":"CANARY-1"}' });
    expect(effects).toBe(1);
  });

  it('is forgotten after a day', async () => {
    await post('/things', { name: 'a' });
    await dataSource.query(`UPDATE idempotency_records SET expires_at = now() WHERE key = $1`, [key]);
    await expect(post('/things', { name: 'b' })).resolves.toMatchObject({ status: 201, replayed: null });
  });

  it('stores an answer that shows a secret encrypted', async () => {
    const first = await post('/secrets', {});
    const stored = await dataSource.query('SELECT response FROM idempotency_records WHERE key = $1', [key]);
    expect(JSON.stringify(stored)).not.toContain('CANARY');
    await expect(post('/secrets', {})).resolves.toMatchObject({ text: first.text, replayed: 'true' });
  });

  it('costs nothing when no key is sent', async () => {
    const send = () =>
      fetch(`${url}/things`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"name":"a"}' });
    await send();
    await send();
    expect(effects).toBe(2);
  });
});
