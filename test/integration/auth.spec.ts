import type { Caller } from '@bellwether/kernel';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ADMIN_KEY_FILE, ApiKeysService, BootstrapService, CallerRenewal, type NewKey } from '../../src/auth';
import { Authenticator } from '../../src/auth/access/authenticator';
import { MembersService } from '../../src/organizations';
import { emptyDatabase, openRooms, type Rooms, type TestOrganization } from './auth.rooms';
import { until } from '../support/until';

const refused = (code: string): object => expect.objectContaining({ code });
const inAnHour = (): string => new Date(Date.now() + 3_600_000).toISOString();

describe('the first start', () => {
  let folder: string;
  let open: Rooms[] = [];
  const start = async (env: Record<string, string> = {}): Promise<Rooms> => {
    const rooms = await openRooms(env, folder);
    open.push(rooms);
    return rooms;
  };
  const run = async (env: Record<string, string> = {}) => (await start(env)).get(BootstrapService).run();
  const count = async (table: string): Promise<number> =>
    (await open[0]?.dataSource.query(`SELECT count(*)::int AS n FROM ${table}`))?.[0].n;

  beforeEach(async () => {
    await emptyDatabase();
    folder = mkdtempSync(join(tmpdir(), 'bw-start-'));
  });
  afterEach(async () => {
    for (const rooms of open) await rooms.close();
    open = [];
    rmSync(folder, { recursive: true, force: true });
  });

  it('makes the organization, its administrator and a key that only the owner of the process can read', async () => {
    const report = await run();
    const file = join(folder, ADMIN_KEY_FILE);
    expect(report).toMatchObject({ founded: true, adminKeyFile: file });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const key = readFileSync(file, 'utf8').trim();
    await expect(open[0]?.get(Authenticator).authenticate(key)).resolves.toMatchObject({
      organizationId: report.organizationId,
      organizationSlug: 'default',
      userId: report.administratorId,
      role: 'owner',
      systemAdmin: true,
    });
  });

  it('closes a key file that others could read', async () => {
    await run();
    const file = join(folder, ADMIN_KEY_FILE);
    chmodSync(file, 0o644);
    await run();
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('is not repeated by the second one', async () => {
    await run();
    const key = readFileSync(join(folder, ADMIN_KEY_FILE), 'utf8');
    await expect(run()).resolves.toMatchObject({ founded: false, adminKeyFile: null });
    expect(readFileSync(join(folder, ADMIN_KEY_FILE), 'utf8')).toBe(key);
    await expect(count('api_keys')).resolves.toBe(1);
  });

  it('makes one organization when several replicas start at the same moment', async () => {
    const replicas = [await start(), await start(), await start()];
    const reports = await Promise.all(replicas.map(({ get }) => get(BootstrapService).run()));
    expect(reports.filter(({ founded }) => founded)).toHaveLength(1);
    expect(reports.filter(({ adminKeyFile }) => adminKeyFile !== null)).toHaveLength(1);
    expect(new Set(reports.map(({ organizationId }) => organizationId)).size).toBe(1);
    await expect(Promise.all(['organizations', 'users', 'api_keys'].map(count))).resolves.toEqual([1, 1, 1]);
    const key = readFileSync(join(folder, ADMIN_KEY_FILE), 'utf8').trim();
    for (const { get } of replicas) await expect(get(Authenticator).authenticate(key)).resolves.toBeDefined();
  });

  it('takes the key that the operator names and writes none', async () => {
    const [one, two] = [`bw_${'k'.repeat(40)}`, `bw_${'n'.repeat(40)}`];
    await expect(run({ BOOTSTRAP_ADMIN_KEY: one })).resolves.toMatchObject({ founded: true, adminKeyFile: null });
    expect(existsSync(join(folder, ADMIN_KEY_FILE))).toBe(false);
    await run({ BOOTSTRAP_ADMIN_KEY: one });
    await run({ BOOTSTRAP_ADMIN_KEY: two });
    for (const key of [one, two]) {
      await expect(open[0]?.get(Authenticator).authenticate(key)).resolves.toMatchObject({ systemAdmin: true });
    }
    await expect(count('api_keys')).resolves.toBe(2);
  });

  it('always finds an administrator: the last one can be neither disabled nor removed', async () => {
    const rooms = await start({});
    const { organizationId, administratorId } = await rooms.get(BootstrapService).run();
    const members = rooms.get(MembersService);
    await members.add(null, organizationId, { email: 'second@example.edu', name: 'Second', role: 'owner' });
    const key = readFileSync(join(folder, ADMIN_KEY_FILE), 'utf8').trim();
    const caller = await rooms.get(Authenticator).authenticate(key);
    const disable = { disabled: true };
    await expect(members.update(caller, organizationId, administratorId, disable)).rejects.toEqual(refused('conflict'));
    await expect(members.remove(caller, organizationId, administratorId)).rejects.toEqual(refused('conflict'));
    await expect(rooms.get(BootstrapService).run()).resolves.toMatchObject({ administratorId });
  });

  it('does not bring a revoked key back to life', async () => {
    const key = `bw_${'k'.repeat(40)}`;
    const rooms = await start({ BOOTSTRAP_ADMIN_KEY: key });
    await rooms.get(BootstrapService).run();
    const caller = await rooms.get(Authenticator).authenticate(key);
    await rooms.get(ApiKeysService).revoke(caller, caller.credentialId ?? '');
    await run({ BOOTSTRAP_ADMIN_KEY: key });
    for (const { get } of open)
      await expect(get(Authenticator).authenticate(key)).rejects.toEqual(refused('unauthenticated'));
  });
});

describe('API keys', () => {
  let rooms: Rooms;
  let org: TestOrganization;
  beforeAll(async () => {
    await emptyDatabase();
    rooms = await openRooms();
  });
  beforeEach(async () => {
    org = await rooms.organization();
  });
  afterAll(() => rooms.close());

  const make = (input: Partial<NewKey> = {}, caller: Caller = org.caller()) =>
    rooms.get(ApiKeysService).create(caller, { name: 'test', scopes: ['chat'], ...input });
  const authenticate = async (key: string): Promise<Caller> => rooms.get(Authenticator).authenticate(key);

  it('stand for one person in one organization, with the scopes and assistants they were given', async () => {
    const { key, ...view } = await make({ scopes: ['chat', 'read'], assistant_ids: [3, 5] });
    expect(view).toMatchObject({ prefix: key.slice(0, 20), owner_id: org.ownerId, last_used_at: null });
    await expect(authenticate(key)).resolves.toMatchObject({
      organizationId: org.id,
      userId: org.ownerId,
      scopes: ['chat', 'read'],
      assistantIds: [3, 5],
      systemAdmin: false,
    });
  });

  it('leave nothing of themselves in the database but a hash', async () => {
    const { key } = await make();
    const rows = await rooms.dataSource.query('SELECT * FROM api_keys');
    const audit = await rooms.dataSource.query('SELECT * FROM audit_entries');
    const secret = key.split('_').slice(3).join('_');
    expect(JSON.stringify([rows, audit])).not.toContain(secret);
  });

  it.each([
    ['the secret of another key', (key: string) => `${key.slice(0, -1)}${key.endsWith('A') ? 'B' : 'A'}`],
    ['an unknown id', (key: string) => key.replace(/_live_.{12}_/, '_live_AAAAAAAAAAAA_')],
    ['the hash itself', () => `bw_${'a'.repeat(64)}`],
    ['SQL', () => "' OR '1'='1"],
    ['SQL behind the prefix', () => "bw_' OR '1'='1"],
    ['nothing', () => ''],
    ['a very long text', () => `bw_${'x'.repeat(100_000)}`],
  ])('are refused with %s', async (_, spoil) => {
    const { key } = await make();
    await expect(authenticate(spoil(key))).rejects.toEqual(refused('unauthenticated'));
    await expect(authenticate(key)).resolves.toBeDefined();
  });

  it('end with their expiry, even while they are remembered', async () => {
    const { key, id } = await make({ expires_at: inAnHour() });
    await expect(authenticate(key)).resolves.toBeDefined();
    const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 3_600_001);
    await expect(authenticate(key)).rejects.toEqual(refused('unauthenticated'));
    clock.mockRestore();
    await rooms.dataSource.query(`UPDATE api_keys SET expires_at = now() - interval '1 s' WHERE id = $1`, [id]);
    rooms.get(Authenticator).forget(org.id);
    await expect(authenticate(key)).rejects.toEqual(refused('unauthenticated'));
  });

  it('end at once when they are revoked, when their owner is disabled, and when their owner leaves', async () => {
    const teacher = await org.member('teacher');
    const keys = [await make({ owner: teacher }), await make({ owner: teacher }), await make({ owner: teacher })];
    for (const { key } of keys) await authenticate(key);
    const [one, two, three] = keys.map(({ key }) => key);

    await rooms.get(ApiKeysService).revoke(org.caller(), keys[0]?.id ?? '');
    await expect(authenticate(one ?? '')).rejects.toEqual(refused('unauthenticated'));
    const members = rooms.get(MembersService);
    // Each change empties the cache: a key that is not asked for again is read anew and right without the announcement.
    await authenticate(two ?? '');
    await members.update(org.caller(), org.id, teacher, { disabled: true });
    await expect(authenticate(two ?? '')).rejects.toEqual(refused('unauthenticated'));
    await members.update(org.caller(), org.id, teacher, { disabled: false });
    await expect(authenticate(three ?? '')).resolves.toBeDefined();
    await members.remove(org.caller(), org.id, teacher);
    await expect(authenticate(three ?? '')).rejects.toEqual(refused('unauthenticated'));
  });

  it('are asked again when what they asked for is done later: rights are those of that moment', async () => {
    const renew = (caller: Caller): Promise<Caller> => rooms.get(CallerRenewal).renew(caller);
    const teacher = await org.member('teacher');
    const made = await make({ owner: teacher, scopes: ['chat', 'read'], assistant_ids: [3] });
    const asked: Caller = { ...(await authenticate(made.key)), endUser: { source: 'metadata.email', id: 'a@b.edu' } };
    await expect(renew(asked)).resolves.toEqual(asked);
    const members = rooms.get(MembersService);
    await members.update(org.caller(), org.id, teacher, { role: 'member' });
    await expect(renew(asked)).resolves.toEqual({ ...asked, role: 'member' });
    await expect(renew({ ...asked, kind: 'token' })).resolves.toMatchObject({ kind: 'token', role: 'member' });
    for (const disabled of [true, false]) {
      await members.update(org.caller(), org.id, teacher, { disabled });
      const outcome = await renew(asked).then(
        () => 'renewed',
        (error: { code: string }) => error.code,
      );
      expect(outcome).toBe(disabled ? 'unauthenticated' : 'renewed');
    }
    await rooms.get(ApiKeysService).revoke(org.caller(), made.id);
    await expect(renew(asked)).rejects.toEqual(refused('unauthenticated'));
    await expect(renew({ ...asked, credentialId: null })).rejects.toEqual(refused('unauthenticated'));
    await members.remove(org.caller(), org.id, teacher);
    await expect(renew({ ...asked, kind: 'session' })).rejects.toEqual(refused('unauthenticated'));
  });

  it('are asked of the database once while they are in use', async () => {
    const { key } = await make();
    await authenticate(key);
    const query = jest.spyOn(rooms.dataSource, 'query');
    const manager = jest.spyOn(rooms.dataSource, 'createQueryBuilder');
    for (let n = 0; n < 100; n += 1) await authenticate(key);
    expect(query).not.toHaveBeenCalled();
    expect(manager).not.toHaveBeenCalled();
    query.mockRestore();
    manager.mockRestore();
  });

  it('write their last use, once a minute at most', async () => {
    const { key } = await make();
    const lastUsed = async () =>
      (await rooms.get(ApiKeysService).list(org.caller(), 'me', { limit: 1, cursor: null })).items[0]?.last_used_at;
    await authenticate(key);
    const first = await until(lastUsed);
    await authenticate(key);
    expect(await lastUsed()).toBe(first);
  });

  it('make no system administrator outside the system organization, nor without the scope admin', async () => {
    const report = await rooms.get(BootstrapService).run();
    const admin = await rooms.get(MembersService).find(report.organizationId, report.administratorId);
    await rooms
      .get(MembersService)
      .add(org.caller(), org.id, { email: admin?.email ?? '', name: 'Trap', role: 'admin' });
    const trap = await make({ owner: report.administratorId, scopes: ['read', 'write', 'admin'] });
    await expect(authenticate(trap.key)).resolves.toMatchObject({ systemAdmin: false, organizationId: org.id });

    const system = org.caller({
      organizationId: report.organizationId,
      organizationSlug: 'default',
      userId: report.administratorId,
      systemAdmin: true,
    });
    const narrow = await make({ scopes: ['read', 'write'] }, system);
    await expect(authenticate(narrow.key)).resolves.toMatchObject({ systemAdmin: false });
  });

  describe('are never wider than what makes them', () => {
    it.each([
      ['a scope of its own', { scopes: ['write'] }, { scopes: ['write', 'read'] }],
      ['the scope admin', { scopes: ['read', 'write'] }, { scopes: ['admin'] }],
      ['act_as without being an administrator', { role: 'teacher' }, { scopes: ['act_as'] }],
      ['other assistants', { assistantIds: [1] }, { assistant_ids: [1, 2] }],
      ['every assistant', { assistantIds: [1] }, {}],
      ['the scope admin for a teacher', { role: 'teacher' }, { scopes: ['admin'] }],
      ['an expiry in the past', {}, { expires_at: '2020-01-01T00:00:00Z' }],
    ] as [string, Partial<Caller>, Partial<NewKey>][])('%s', async (_, caller, input) => {
      const teacher = caller.role === 'teacher' ? { userId: await org.member('teacher') } : {};
      await expect(make(input, org.caller({ ...caller, ...teacher }))).rejects.toEqual(refused('validation_failed'));
    });

    it('by time', async () => {
      const { key } = await make({ scopes: ['chat', 'write'], expires_at: inAnHour() });
      const caller = await authenticate(key);
      await expect(make({}, caller)).rejects.toEqual(refused('validation_failed'));
      const later = new Date(Date.now() + 7_200_000).toISOString();
      await expect(make({ expires_at: later }, caller)).rejects.toEqual(refused('validation_failed'));
      const sooner = new Date(Date.now() + 60_000).toISOString();
      await expect(make({ expires_at: sooner }, caller)).resolves.toMatchObject({ expires_at: sooner });
    });

    it('by owner: only administrators name another, and nobody one above them', async () => {
      const [teacher, admin] = [await org.member('teacher'), await org.member('admin')];
      const asTeacher = org.caller({ userId: teacher, role: 'teacher' });
      const asAdmin = org.caller({ userId: admin, role: 'admin' });
      await expect(make({ owner: admin }, asTeacher)).rejects.toEqual(refused('forbidden'));
      await expect(make({ owner: org.ownerId }, asAdmin)).rejects.toEqual(refused('forbidden'));
      await expect(make({ owner: teacher }, asAdmin)).resolves.toMatchObject({ owner_id: teacher });
      await expect(make({ owner: 'nobody@example.edu' }, asAdmin)).rejects.toEqual(refused('validation_failed'));
    });

    it('by system administration: an owner of the system organization is not one', async () => {
      const { organizationId, administratorId } = await rooms.get(BootstrapService).run();
      const members = rooms.get(MembersService);
      const email = `owner@${org.slug}.default.example`;
      const { user_id: userId } = await members.add(null, organizationId, { email, name: 'Owner', role: 'owner' });
      const owner = org.caller({ organizationId, organizationSlug: 'default', userId });
      const admin = { owner: administratorId, scopes: ['admin'] } as const;
      await expect(make(admin, owner)).rejects.toEqual(refused('forbidden'));
      const { id } = await make({}, { ...owner, userId: administratorId, systemAdmin: true });
      await expect(rooms.get(ApiKeysService).revoke(owner, id)).rejects.toEqual(refused('forbidden'));
      const disable = { disabled: true };
      await expect(members.update(owner, organizationId, administratorId, disable)).rejects.toEqual(
        refused('forbidden'),
      );
      await expect(members.remove(owner, organizationId, administratorId)).rejects.toEqual(refused('forbidden'));
    });

    it('by organization: naming another one is naming nothing', async () => {
      const other = await rooms.organization();
      await expect(make({ organization: other.slug })).rejects.toEqual(refused('not_found'));
      await expect(make({ owner: other.ownerId })).rejects.toEqual(refused('validation_failed'));
    });
  });

  it('of others are neither seen nor revoked', async () => {
    const other = await rooms.organization();
    const teacher = org.caller({ userId: await org.member('teacher'), role: 'teacher' });
    const mine = await make();
    const service = rooms.get(ApiKeysService);
    for (const caller of [teacher, other.caller()]) {
      await expect(service.revoke(caller, mine.id)).rejects.toEqual(refused('not_found'));
    }
    await expect(service.revoke(teacher, 'not-an-id')).rejects.toEqual(refused('not_found'));
    await expect(service.list(teacher, 'all', { limit: 10, cursor: null })).rejects.toEqual(refused('forbidden'));
    await expect(service.list(teacher, undefined, { limit: 10, cursor: null })).resolves.toMatchObject({ total: 0 });
    await expect(service.list(org.caller(), 'all', { limit: 10, cursor: null })).resolves.toMatchObject({ total: 1 });
    await expect(authenticate(mine.key)).resolves.toBeDefined();
  });

  it('are made by the operator without a caller', async () => {
    const input = {
      name: 'cli',
      scopes: ['chat'] as const,
      organization: org.slug,
      owner: `owner@${org.slug}.example`,
    };
    const { key } = await rooms.get(ApiKeysService).create(null, input);
    await expect(authenticate(key)).resolves.toMatchObject({ organizationSlug: org.slug });
    await expect(rooms.get(ApiKeysService).create(null, { name: 'x', scopes: ['chat'] })).rejects.toEqual(
      refused('validation_failed'),
    );
  });

  it('are dead within five seconds on a replica that was told nothing', async () => {
    const other = await openRooms();
    const { key, id } = await make();
    await other.get(Authenticator).authenticate(key);
    await rooms.get(ApiKeysService).revoke(org.caller(), id);
    const clock = jest.spyOn(performance, 'now').mockReturnValue(performance.now() + 5_000);
    await expect(other.get(Authenticator).authenticate(key)).rejects.toEqual(refused('unauthenticated'));
    clock.mockRestore();
    await other.close();
  });
});
