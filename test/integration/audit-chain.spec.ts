import { uuidv7 } from '@bellwether/kernel';
import { randomBytes, randomUUID } from 'node:crypto';
import {
  AuditChainEdits,
  AuditLog,
  AuditChainWriter,
  AuditVerifier,
  type ChainReport,
} from '../../src/infrastructure/audit';
import { SecretsService } from '../../src/infrastructure/secrets';
import { AuditRepository } from '../../src/infrastructure/audit/audit.repository';
import { until } from '../support/until';
import { emptyDatabase, openRooms, type Rooms } from './auth.rooms';

const keyOf = (kid: string): string => `${kid}:${randomBytes(32).toString('hex')}`;

let opened: Rooms[] = [];
let rooms: Rooms;
let organizationId: string;

const open = async (env: Record<string, string>): Promise<Rooms> => {
  const made = await openRooms(env);
  opened.push(made);
  return made;
};
const sql = <T = Record<string, unknown>>(text: string, values: unknown[] = []): Promise<T[]> =>
  rooms.dataSource.query<T[]>(text, values);
/** An attacker with every right in the database, who also knows how to pass the triggers. */
const tamper = (change: 'seal' | 'redact' | 'prune', text: string, values: unknown[] = []): Promise<unknown> =>
  rooms.dataSource.transaction(async (tx) => {
    await tx.query(`SELECT set_config('bellwether.audit_change', $1, true)`, [change]);
    await tx.query(text, values);
  });
const PROBE = { caller: null, target: { type: 'probe', id: 'slow' } };
const write = (name: string): Promise<void> =>
  rooms.get(AuditLog).record({
    caller: null,
    organizationId,
    action: 'probe.update',
    target: { type: 'probe', id: name },
    after: { name },
  });
const seal = (): Promise<void> => rooms.get(AuditChainWriter).seal(organizationId);
const verify = (): Promise<ChainReport> => rooms.get(AuditVerifier).verify(organizationId);
const found = async (): Promise<unknown[]> => (await verify()).findings.map(({ kind, sequence }) => [kind, sequence]);

beforeEach(async () => {
  await emptyDatabase();
  rooms = await open({ SECRETS_KEY: keyOf('k1') });
  // Founding writes the first entry.
  organizationId = (await rooms.organization()).id;
  for (const name of ['two', 'three', 'four', 'five']) await write(name);
  await seal();
});
afterEach(async () => {
  for (const each of opened) await each.close();
  opened = [];
});

describe('the audit chain', () => {
  it('numbers the entries of an organization without gaps and is intact', async () => {
    const rows = await sql<{ sequence: string }>('SELECT sequence FROM audit_entries ORDER BY id');
    expect(rows.map(({ sequence }) => Number(sequence))).toEqual(rows.map((_, at) => at + 1));
    await expect(verify()).resolves.toMatchObject({
      intact: true,
      entries: rows.length,
      last_sequence: rows.length,
      unsealed: 0,
      findings: [],
    });
  });

  it('seals an entry that commits after one with a larger id', async () => {
    const { length } = await sql('SELECT FROM audit_entries');
    const repository = rooms.get(AuditRepository);
    const append = jest.spyOn(repository, 'append').mockResolvedValueOnce();
    await rooms.get(AuditLog).record({ ...PROBE, organizationId, action: 'probe.slow' });
    const [slow = []] = append.mock.calls[0] ?? [];
    append.mockRestore();
    await write('quick');
    await seal();
    await repository.append(slow);
    await seal();
    const rows = await sql<{ action: string; sequence: string }>(
      'SELECT action, sequence FROM audit_entries ORDER BY id OFFSET $1',
      [length],
    );
    expect(rows.map(({ action, sequence }) => [action, Number(sequence) - length])).toEqual([
      ['probe.slow', 2],
      ['probe.update', 1],
    ]);
    await expect(verify()).resolves.toMatchObject({ intact: true });
  });

  it('stays one chain when several processes seal while others write', async () => {
    const sealers = [rooms.get(AuditChainWriter), rooms.get(AuditChainWriter)];
    await Promise.all([
      ...Array.from({ length: 30 }, (_, n) => write(`at once ${n}`)),
      ...sealers.flatMap((sealer) => [sealer.sealAll(), sealer.seal(organizationId)]),
    ]);
    await expect(verify()).resolves.toMatchObject({ intact: true, unsealed: 0 });
  });

  it('stays readable after the operator key was rotated and the old one thrown away', async () => {
    const secretsKey = keyOf('new');
    const old = keyOf('old');
    await emptyDatabase();
    rooms = await open({ SECRETS_KEY: old });
    organizationId = (await rooms.organization()).id;
    await seal();
    rooms = await open({ SECRETS_KEY: `${secretsKey},${old}` });
    await rooms.get(SecretsService).rotate();
    await write('after the rotation');
    await seal();
    rooms = await open({ SECRETS_KEY: secretsKey });
    await expect(verify()).resolves.toMatchObject({ intact: true, unsealed: 0 });
  });

  it('leaves entries to a process that knows their key', async () => {
    await sql(
      `INSERT INTO audit_entries (id, organization_id, actor_kind, action, target_type, target_id, written_mac)
       VALUES ($1, $2, 'system', 'probe.update', 'probe', 'x', 'another-kid:00')`,
      [randomUUID(), organizationId],
    );
    await rooms.get(AuditChainWriter).sealAll();
    await expect(verify()).resolves.toMatchObject({ intact: true, unsealed: 1 });
  });

  it('seals entries from before there was a chain, and no later ones without a proof', async () => {
    await tamper('prune', 'DELETE FROM audit_entries');
    await sql('DELETE FROM audit_chains');
    const insert = (name: string): Promise<unknown> =>
      sql(
        `INSERT INTO audit_entries (id, organization_id, actor_kind, action, target_type, target_id)
         VALUES ($1, $2, 'system', 'probe.update', 'probe', $3)`,
        [randomUUID(), organizationId, name],
      );
    await insert('old');
    await insert('older');
    await seal();
    await expect(verify()).resolves.toMatchObject({ intact: true, entries: 2 });
    await insert('by hand');
    expect(await found()).toEqual([['not_written_here', 3]]);
  });
});

describe('entries of an older build beside a newer one', () => {
  const insert = (name: string): Promise<unknown> =>
    sql(
      `INSERT INTO audit_entries (id, organization_id, actor_kind, action, target_type, target_id)
       VALUES ($1, $2, 'system', 'probe.update', 'probe', $3)`,
      [uuidv7(), organizationId, name],
    );

  it('are taken for the service’s for an hour after the first build with the chain, and no longer', async () => {
    await tamper('prune', 'DELETE FROM audit_entries');
    await sql('DELETE FROM audit_chains');
    await insert('before');
    await seal();
    await insert('while replicas are exchanged');
    await write('by the new build');
    await seal();
    await insert('by the last old replica');
    await expect(verify()).resolves.toMatchObject({ intact: true, entries: 4, accepted: [] });
    const now = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 61 * 60_000);
    await insert('too late');
    expect(await found()).toEqual([['not_written_here', 5]]);
    now.mockRestore();
    await insert('after the hour was over');
    expect(await found()).toEqual([
      ['not_written_here', 5],
      ['not_written_here', 6],
    ]);
  });

  it('are excused once an operator has accepted them on the record, and only with the same content', async () => {
    await insert('by an old replica');
    await insert('by another');
    expect(await found()).toEqual([
      ['not_written_here', 6],
      ['not_written_here', 7],
    ]);
    const keeper = rooms.get(AuditChainEdits);
    const known = { organizationId, caller: null, reason: 'a replica of the build before wrote them' };
    await expect(keeper.accept({ ...known, from: 1, through: 5 })).rejects.toMatchObject({ code: 'not_found' });
    await expect(keeper.accept({ ...known, from: 5, through: 6 })).resolves.toEqual([6]);
    expect(await found()).toEqual([['not_written_here', 7]]);
    await keeper.accept({ ...known, from: 7, through: 7 });
    await expect(verify()).resolves.toMatchObject({
      intact: true,
      accepted: [
        { sequence: 6, announced_by: 8 },
        { sequence: 7, announced_by: 9 },
      ],
    });
    const [entry] = await sql(`SELECT action, after->>'reason' AS reason FROM audit_entries WHERE sequence = 8`);
    expect(entry).toEqual({ action: 'audit.accept', reason: known.reason });
    await tamper('redact', `UPDATE audit_entries SET target_id = 'else' WHERE sequence = 6`);
    expect(await found()).toEqual([['not_written_here', 6]]);
  });
});

describe('tampering is found at the exact entry', () => {
  it.each([
    [
      'a changed content',
      'redact',
      `UPDATE audit_entries SET after = '{"name": "else"}' WHERE sequence = 3`,
      [['changed', 3]],
    ],
    [
      'a changed actor',
      'redact',
      `UPDATE audit_entries SET actor_user_id = gen_random_uuid() WHERE sequence = 2`,
      [['changed', 2]],
    ],
    [
      'a changed time',
      'redact',
      `UPDATE audit_entries SET at = at - interval '1 day' WHERE sequence = 4`,
      [['changed', 4]],
    ],
    ['a changed hash', 'seal', `UPDATE audit_entries SET hash = repeat('0', 64) WHERE sequence = 3`, [['forged', 3]]],
    [
      'a content with a new hash',
      'seal',
      `UPDATE audit_entries SET content_hash = repeat('a', 64) WHERE sequence = 3`,
      [['forged', 3]],
    ],
    ['a deleted entry', 'prune', 'DELETE FROM audit_entries WHERE sequence = 3', [['missing', 3]]],
    ['a cut beginning', 'prune', 'DELETE FROM audit_entries WHERE sequence <= 2', [['missing', 1]]],
    ['a cut end', 'prune', 'DELETE FROM audit_entries WHERE sequence >= 4', [['missing', 4]]],
  ] as const)('%s', async (_, change, text, expected) => {
    await tamper(change, text);
    expect(await found()).toEqual(expected);
  });

  it('a cut end with a head that was set back', async () => {
    await tamper('prune', 'DELETE FROM audit_entries WHERE sequence >= 4');
    await sql(`UPDATE audit_chains SET sequence = 3, hash = (SELECT hash FROM audit_entries WHERE sequence = 3)`);
    await write('later');
    const report = await verify();
    expect(report.findings).toMatchObject([{ kind: 'head', sequence: null }]);
    // Sealing on would sign the cut chain.
    expect(report).toMatchObject({ intact: false, unsealed: 1 });
  });

  it('a head that was deleted does not begin a new chain', async () => {
    await sql('DELETE FROM audit_chains');
    await write('later');
    expect(await found()).toEqual([['head', null]]);
  });

  it('an entry that came by SQL', async () => {
    await sql(
      `INSERT INTO audit_entries (id, organization_id, actor_kind, action, target_type, target_id, written_mac)
       SELECT $1, organization_id, actor_kind, action, target_type, target_id, written_mac FROM audit_entries
       WHERE sequence = 3`,
      [randomUUID()],
    );
    expect(await found()).toEqual([['not_written_here', 6]]);
  });

  it('an entry that was changed before it was sealed', async () => {
    await write('honest');
    await tamper('redact', `UPDATE audit_entries SET target_id = 'else' WHERE sequence IS NULL`);
    expect(await found()).toEqual([['not_written_here', 6]]);
  });

  it('two entries that changed places', async () => {
    await tamper(
      'seal',
      `UPDATE audit_entries SET sequence = NULL WHERE sequence = 3;
       UPDATE audit_entries SET sequence = 3 WHERE sequence = 4;
       UPDATE audit_entries SET sequence = 4 WHERE sequence IS NULL`,
    );
    expect(await found()).toEqual([
      ['forged', 3],
      ['forged', 4],
    ]);
  });

  it('a data key that was replaced', async () => {
    await sql('DELETE FROM data_keys');
    rooms = await open({ SECRETS_KEY: keyOf('k2') });
    const { findings } = await verify();
    expect(new Set(findings.map(({ kind }) => kind))).toEqual(new Set(['unknown_key']));
  });
});

describe('the database refuses to change entries', () => {
  it.each([
    'UPDATE audit_entries SET after = NULL',
    'UPDATE audit_entries SET sequence = 1',
    'DELETE FROM audit_entries',
    'TRUNCATE audit_entries',
    'DELETE FROM organizations',
  ])('%s', async (text) => {
    await expect(sql(text)).rejects.toMatchObject({ code: '42501' });
  });
});

describe('redacting a person', () => {
  const person = { userId: randomUUID(), email: 'ana.ruiz@example.edu', name: 'Ana' };
  const redact = (): Promise<number> =>
    rooms.get(AuditChainEdits).redactPerson({
      organizationId,
      userId: person.userId,
      addresses: [person.email],
      names: [person.name],
      caller: null,
    });
  const record = (target: string, after: unknown): Promise<void> =>
    rooms
      .get(AuditLog)
      .record({ caller: null, organizationId, action: 'member.add', target: { type: 'member', id: target }, after });

  beforeEach(async () => {
    await record(person.userId, {
      email: 'Ana.Ruiz@example.edu',
      name: 'Ana',
      note: 'Analysis for ana.ruiz@example.edu',
    });
    await record('somebody', { email: 'bo@example.edu', name: 'Bo' });
  });

  it('takes the values out, says so in the log, and the chain stays intact', async () => {
    await expect(redact()).resolves.toBe(1);
    const [entry] = await sql<{ after: unknown }>(
      'SELECT after FROM audit_entries WHERE target_id = $1 AND action = $2',
      [person.userId, 'member.add'],
    );
    expect(entry?.after).toEqual({ email: '[erased]', name: '[erased]', note: '[erased]' });
    expect(JSON.stringify(await sql('SELECT * FROM audit_entries'))).not.toMatch(/ana\.ruiz/i);
    const report = await verify();
    expect(report).toMatchObject({ intact: true, findings: [] });
    expect(report.redactions).toMatchObject([{ sequence: 6, announced_by: 8 }]);
  });

  it('clears the fields of entries about the person, whatever they say', async () => {
    await record(person.userId, { lti_platform: 'p1', subject: 'moodle:4711', made_up: { later: ['Zelda Quixname'] } });
    await record(person.userId, { name: 'owner', role: 'owner', disabled: false, source: 'scim' });
    await redact();
    const entries = await sql<{ after: unknown }>(
      'SELECT after FROM audit_entries WHERE target_id = $1 AND sequence > 7 ORDER BY sequence',
      [person.userId],
    );
    expect(entries.map(({ after }) => after).slice(0, 2)).toEqual([
      { lti_platform: 'p1', subject: '[erased]', made_up: { later: ['[erased]'] } },
      { name: '[erased]', role: 'owner', disabled: false, source: 'scim' },
    ]);
    await expect(verify()).resolves.toMatchObject({ intact: true, findings: [] });
  });

  it('leaves entries about others alone, whatever name the person has', async () => {
    await record('somebody', { name: 'Bo', role: 'owner', members: ['Bo'] });
    const { userId, email } = person;
    const names = ['owner', 'role', 'somebody', 'Bo'];
    await rooms.get(AuditChainEdits).redactPerson({ organizationId, userId, addresses: [email], names, caller: null });
    const entries = await sql<{ after: unknown }>(
      `SELECT after FROM audit_entries WHERE target_id = 'somebody' ORDER BY sequence`,
    );
    expect(entries.map(({ after }) => after)).toEqual([
      { email: 'bo@example.edu', name: 'Bo' },
      { name: 'Bo', role: 'owner', members: ['Bo'] },
    ]);
  });

  it('does nothing the second time', async () => {
    await redact();
    await expect(redact()).resolves.toBe(0);
    await expect(verify()).resolves.toMatchObject({ intact: true, last_sequence: 8 });
  });

  it('does not excuse another change of the same entry', async () => {
    await redact();
    await tamper('redact', `UPDATE audit_entries SET after = '{"name": "else"}' WHERE sequence = 6`);
    expect(await found()).toEqual([['changed', 6]]);
  });
});

describe('pruning', () => {
  const prune = (before: Date) => rooms.get(AuditChainEdits).prune({ organizationId, before, caller: null });

  const timeOf = async (sequence: number): Promise<Date> => {
    const [row] = await sql<{ at: Date }>('SELECT at FROM audit_entries WHERE sequence = $1', [sequence]);
    if (row === undefined) throw new Error(`no entry ${sequence}`);
    return row.at;
  };

  it('removes old entries, keeps the anchor in the log, and the chain stays intact', async () => {
    const at = await timeOf(4);
    const older = await sql('SELECT FROM audit_entries WHERE at < $1', [at]);
    const through = older.length;
    expect(through).toBeGreaterThan(0);
    await expect(prune(at)).resolves.toEqual({ entries: through, throughSequence: through });
    await expect(verify()).resolves.toMatchObject({
      intact: true,
      pruned_through: through,
      first_sequence: through + 1,
    });
    // Once more, with the announcement of the first time among the old ones.
    await write('later');
    const [newest] = await sql<{ at: Date }>('SELECT max(at) AS at FROM audit_entries');
    await until(() => newest !== undefined && Date.now() > newest.at.getTime());
    await expect(prune(new Date(Date.now() + 1_000))).resolves.toMatchObject({ throughSequence: 7 });
    await expect(verify()).resolves.toMatchObject({ intact: true, pruned_through: 7, entries: 1 });
  });

  it('removes nothing when nothing is old enough', async () => {
    await expect(prune(new Date(0))).resolves.toEqual({ entries: 0, throughSequence: null });
    await expect(verify()).resolves.toMatchObject({ intact: true, pruned_through: null });
  });

  it('does not excuse a removal that goes further', async () => {
    await prune(await timeOf(3));
    await tamper('prune', 'DELETE FROM audit_entries WHERE sequence <= 3');
    expect(await found()).toEqual([['missing', 1]]);
  });
});
