import { Logger } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import type { MetadataMigrator, RewriteChange, RewriteSubject, RollbackRequest } from '../../src/assistants';
import { AccessMigration } from '../../src/assistants/rewriting/access-migration';
import { AssistantRewrites } from '../../src/assistants/rewriting/assistant-rewrites';
import { RequestedPlans } from '../../src/assistants/rewriting/requested-plans';
import { RewriteRepository } from '../../src/assistants/rewriting/rewrite.repository';
import type { AssistantChanges } from '../../src/assistants/running/public-assistants';
import { AssistantRepository } from '../../src/assistants/storage/assistant.repository';
import type { AssistantScope } from '../../src/assistants/storage/assistant-scope.repository';
import { EMPTY_DEFINITION, type RewritePlan } from '../../src/assistants/definition';
import type { OrganizationsService } from '../../src/organizations';
import { AuditLog } from '../../src/infrastructure/audit';
import { AuditRepository } from '../../src/infrastructure/audit/audit.repository';
import type { EntrySignature } from '../../src/infrastructure/audit/audit-log';
import type { Config } from '../../src/infrastructure/config';
import { Transactions } from '../../src/infrastructure/database';
import { openTestDatabase, resetDatabase } from '../support/database';

const CLASSIC = '{ "rag_processor":"simple_rag",\n "odd": {"kept": 1.0} }';
const ADMIN = {
  kind: 'api_key',
  credentialId: 'key',
  organizationId: '',
  organizationSlug: 'x',
  userId: randomUUID(),
  role: 'admin',
  systemAdmin: false,
  scopes: ['admin'],
  assistantIds: null,
} as const;

let dataSource: DataSource;
let transactions: Transactions;
let assistants: AssistantRepository;
let forgotten: number[];

beforeAll(async () => {
  dataSource = await openTestDatabase();
  transactions = new Transactions(dataSource);
  assistants = new AssistantRepository(dataSource);
});
beforeEach(async () => {
  await resetDatabase(dataSource);
  forgotten = [];
  jest.spyOn(Logger.prototype, 'log').mockImplementation();
});
afterEach(() => jest.restoreAllMocks());
afterAll(() => dataSource.destroy());

const UNUSED: MetadataMigrator = { plan: () => Promise.reject(new Error('no test asked for a plan')) };

/** Rewrites of one process. */
function rewritesOf(migrator: MetadataMigrator = UNUSED): AssistantRewrites {
  const changes = { announce: (_: string, id: number) => void forgotten.push(id) } as unknown as AssistantChanges;
  return new AssistantRewrites(
    new RewriteRepository(dataSource),
    new AuditLog(new AuditRepository(dataSource), { of: () => null } as unknown as EntrySignature),
    changes,
    migrator,
  );
}

async function organization(): Promise<{ id: string; owner: string; scope: AssistantScope }> {
  const [id, owner] = [randomUUID(), randomUUID()];
  await dataSource.query('INSERT INTO organizations (id, slug, name) VALUES ($1, $2, $2)', [id, id.slice(0, 8)]);
  await dataSource.query('INSERT INTO users (id, email) VALUES ($1, $2)', [owner, `${owner}@example.edu`]);
  return { id, owner, scope: assistants.within(id) };
}

async function classics(count: number, { scope, owner }: { scope: AssistantScope; owner: string }): Promise<number[]> {
  const ids: number[] = [];
  for (let index = 0; index < count; index += 1) {
    const definition = {
      ...EMPTY_DEFINITION,
      name: `A${index}`,
      metadata: CLASSIC,
      promptTemplate: 'Q {user_input} {context} \\frac{a}{b}',
      ragCollections: 'x,y',
    };
    ids.push((await scope.insert(owner, definition, owner, 'create')).id);
  }
  return ids;
}

type Ready = RewriteChange['plan'];

const ready = ({ definition }: RewriteSubject): Ready => ({
  status: 'ready',
  from: 1,
  to: 3,
  notes: [],
  definition: {
    ...definition,
    type: 'multi_tool',
    promptTemplate: definition.promptTemplate.replace('{context}', '{1_context}'),
    metadata: '{"_format_version":3,"assistant_type":"multi_tool"}',
  },
});

const changeOf = (subject: RewriteSubject, batchId: string | null): RewriteChange => ({
  subject,
  plan: ready(subject),
  reason: 'migrate',
  batchId,
});

const everyOne = { organizationId: null, afterId: 0, limit: 1000 };
const auditRows = (): Promise<{ id: string; action: string; target_id: string; before: any; after: any }[]> =>
  dataSource.query('SELECT * FROM audit_entries ORDER BY id');

describe('rewriting stored documents', () => {
  it('writes many at once, each with a version and an entry of the audit', async () => {
    const [own, other] = [await organization(), await organization()];
    const ids = [...(await classics(3, own)), ...(await classics(2, other))];
    const rewrites = rewritesOf();
    const subjects = await rewrites.subjects(everyOne);
    expect(subjects.map(({ id }) => id)).toEqual(ids);
    const batchId = randomUUID();
    const changes = subjects.map((subject) => changeOf(subject, batchId));
    const written = await transactions.run((tx) => rewrites.apply(tx, changes, null));
    expect(written.map((each) => [each?.id, each?.from, each?.to, each?.oldVersion, each?.newVersion])).toEqual(
      ids.map((id) => [id, 1, 3, 1, 2]),
    );
    const entries = await auditRows();
    expect(entries.map(({ id }) => id).sort()).toEqual(written.map((each) => each?.auditId).sort());
    expect(entries[0]).toMatchObject({
      action: 'assistant.migrate',
      actor_kind: 'system',
      before: { version: 1, format_version: 1, metadata: CLASSIC },
      after: {
        version: 2,
        format_version: 3,
        batch: batchId,
        prompt_template: 'Q {user_input} {1_context} \\frac{a}{b}',
      },
    });
    expect(await own.scope.find(ids[0]!)).toMatchObject({ type: 'multi_tool', version: 2, ragCollections: 'x,y' });
    expect(await other.scope.version(ids[4]!, 2)).toMatchObject({ reason: 'migrate', authorId: null, name: 'A1' });
    expect(await other.scope.version(ids[4]!, 1)).toMatchObject({ metadata: CLASSIC });
  });

  it('passes over what was changed or deleted meanwhile, and over nothing else', async () => {
    const own = await organization();
    const [edited, deleted, left] = await classics(3, own);
    const rewrites = rewritesOf();
    const subjects = await rewrites.subjects(everyOne);
    await own.scope.replace(edited!, 1, { ...subjects[0]!.definition, name: 'B' }, own.owner, 'update');
    await own.scope.remove(deleted!, null);
    await own.scope.publish(left!, 1);
    const changes = subjects.map((subject) => changeOf(subject, null));
    const written = await transactions.run((tx) => rewrites.apply(tx, changes, ADMIN));
    expect(written.map((each) => each?.id ?? null)).toEqual([null, null, left]);
    expect(await own.scope.find(edited!)).toMatchObject({ name: 'B', metadata: CLASSIC, version: 2 });
    expect(await own.scope.version(left!, 2)).toMatchObject({ authorId: ADMIN.userId });
    expect(await auditRows()).toHaveLength(1);
  });

  it('lists live assistants in pieces, of one organization or of all', async () => {
    const [own, other] = [await organization(), await organization()];
    const ids = await classics(3, own);
    const [foreign] = await classics(1, other);
    await own.scope.remove(ids[1]!, null);
    const listed = async (query: object): Promise<number[]> =>
      (await rewritesOf().subjects({ ...everyOne, ...query })).map(({ id }) => id);
    expect(await listed({ limit: 2 })).toEqual([ids[0], ids[2]]);
    expect(await listed({ afterId: ids[2] })).toEqual([foreign]);
    expect(await listed({ organizationId: own.id, afterId: ids[0] })).toEqual([ids[2]]);
    expect(await listed({ organizationId: own.id, onlyId: foreign })).toEqual([]);
  });

  it('tells this process and the log after the commit, without any document', async () => {
    const own = await organization();
    const [id] = await classics(1, own);
    const rewrites = rewritesOf();
    const [subject] = await rewrites.subjects(everyOne);
    const [written] = await transactions.run((tx) => rewrites.apply(tx, [changeOf(subject!, 'b')], null));
    const lines: unknown[] = [];
    jest
      .spyOn((rewrites as unknown as { logger: { log(line: unknown): void } }).logger, 'log')
      .mockImplementation((line) => lines.push(line));
    rewrites.committed([written!], 'b');
    expect(forgotten).toEqual([id]);
    expect(lines).toEqual([
      {
        msg: 'metadata rewritten',
        assistant_id: id,
        from: 1,
        to: 3,
        old_version: 1,
        new_version: 2,
        audit_id: written!.auditId,
        batch_id: 'b',
      },
    ]);
  });
});

describe('rolling back', () => {
  async function migrated(): Promise<{
    id: number;
    rewrites: AssistantRewrites;
    scope: AssistantScope;
    owner: string;
    request: RollbackRequest;
  }> {
    const own = await organization();
    const [id] = await classics(1, own);
    const rewrites = rewritesOf();
    const [subject] = await rewrites.subjects(everyOne);
    await transactions.run((tx) => rewrites.apply(tx, [changeOf(subject!, null)], null));
    const request = {
      assistantId: id!,
      organizationId: own.id,
      oldVersion: 1,
      newVersion: 2,
      force: false,
      batchId: 'b',
    };
    return { id: id!, rewrites, scope: own.scope, owner: own.owner, request };
  }
  const rollBack = (rewrites: AssistantRewrites, requests: RollbackRequest[]) =>
    transactions.run((tx) => rewrites.rollBack(tx, requests, null));

  it('writes the old document and template to the letter, as a version of its own, and once', async () => {
    const { id, rewrites, scope, owner, request } = await migrated();
    await scope.publish(id, 2);
    await scope.shares.replacePeople(id, [{ userId: owner, access: 'use' }]);
    expect(await rollBack(rewrites, [request])).toMatchObject([
      { status: 'done', overEdits: [], rewritten: { id, from: 3, to: 1, oldVersion: 2, newVersion: 3 } },
    ]);
    const old = await scope.version(id, 1);
    expect(await scope.find(id)).toMatchObject({
      type: 'classic',
      version: 3,
      published: true,
      metadata: old!.metadata,
      promptTemplate: old!.promptTemplate,
    });
    expect(await scope.version(id, 3)).toMatchObject({ reason: 'rollback', metadata: CLASSIC });
    expect((await auditRows()).at(-1)).toMatchObject({
      action: 'assistant.rollback',
      before: { version: 2, format_version: 3 },
      after: { version: 3, format_version: 1, metadata: CLASSIC, batch: 'b' },
    });
    expect(await rollBack(rewrites, [request])).toEqual([{ status: 'already' }]);
    expect((await scope.find(id))?.version).toBe(3);
  });

  it('stops at later edits unless it is forced, and keeps what is not the document then', async () => {
    const { id, rewrites, scope, owner, request } = await migrated();
    const row = await scope.find(id);
    const edit = { ...EMPTY_DEFINITION, ...ready({ definition: row! } as unknown as RewriteSubject).definition };
    await scope.replace(id, 2, { ...edit, name: 'B', systemPrompt: 'new', metadata: '{"x":1}' }, owner, 'update');
    await scope.replace(id, 3, { ...edit, name: 'C', systemPrompt: 'newer', ragCollections: 'z' }, owner, 'update');
    expect(await rollBack(rewrites, [request])).toEqual([{ status: 'edited', edits: [3, 4] }]);
    expect((await scope.find(id))?.version).toBe(4);
    expect(await rollBack(rewrites, [{ ...request, force: true }])).toMatchObject([
      { status: 'done', overEdits: [3, 4], rewritten: { oldVersion: 4, newVersion: 5 } },
    ]);
    expect(await scope.find(id)).toMatchObject({
      metadata: CLASSIC,
      name: 'C',
      systemPrompt: 'newer',
      ragCollections: 'z',
    });
  });

  it('of an earlier rewrite follows that of a later one, and stops at one that stands', async () => {
    const { id, rewrites, scope, request } = await migrated();
    const [subject] = await rewrites.subjects(everyOne);
    const again = { ...changeOf(subject!, null), plan: { ...ready(subject!), from: 3 as const } };
    const plan = { ...again.plan, definition: { ...again.plan.definition, metadata: '{"next":true}' } };
    await transactions.run((tx) => rewrites.apply(tx, [{ ...again, plan }], null));
    expect(await rollBack(rewrites, [request])).toEqual([{ status: 'edited', edits: [3] }]);
    expect(await rollBack(rewrites, [{ ...request, oldVersion: 2, newVersion: 3 }])).toMatchObject([
      { status: 'done' },
    ]);
    expect(await rollBack(rewrites, [request])).toMatchObject([{ status: 'done', overEdits: [] }]);
    expect(await scope.find(id)).toMatchObject({ version: 5, metadata: CLASSIC, type: 'classic' });
  });

  it('leaves alone what is deleted, foreign, or has no such version', async () => {
    const { id, rewrites, scope, request } = await migrated();
    const other = await organization();
    expect(await rollBack(rewrites, [{ ...request, organizationId: other.id }])).toEqual([{ status: 'gone' }]);
    expect(await rollBack(rewrites, [{ ...request, oldVersion: 9 }])).toEqual([{ status: 'history_missing' }]);
    expect(await rollBack(rewrites, [{ ...request, isOld: () => false }])).toEqual([{ status: 'history_missing' }]);
    await scope.remove(id, null);
    expect(await rollBack(rewrites, [request])).toEqual([{ status: 'gone' }]);
  });
});

describe('migration on access', () => {
  interface Process {
    readonly access: AccessMigration;
    readonly plans: number[];
  }

  /** One process; `plan` stands for what the migrator says. */
  function processOf(
    policy: Config['migration']['policy'],
    plan: (subject: RewriteSubject) => RewritePlan | Promise<RewritePlan>,
  ): Process {
    const plans: number[] = [];
    const rewrites = rewritesOf({
      plan: (subject) => {
        plans.push(subject.id);
        return Promise.resolve(plan(subject));
      },
    });
    const organizations = {
      runtime: (id: string) => Promise.resolve({ features: { multi_tool: id !== switchedOff } }),
    } as unknown as OrganizationsService;
    const config = { migration: { policy } } as Config;
    return {
      plans,
      access: new AccessMigration(config, organizations, rewrites, new RequestedPlans(rewrites), transactions),
    };
  }
  let switchedOff = '';

  const stored = (id: number, organizationId: string, version = 1) => ({ id, organizationId, version });

  it('happens once, however many ask in two processes at the same time', async () => {
    const own = await organization();
    const [id] = await classics(1, own);
    const processes = [processOf('on_access', ready), processOf('on_access', ready)];
    const answers = await Promise.all(
      Array.from({ length: 20 }, async (_, index) => processes[index % 2]!.access.migrate(stored(id!, own.id))),
    );
    expect(new Set(answers)).toEqual(new Set([true]));
    expect((await own.scope.versions(id!, { limit: 10, cursor: null })).items.map(({ reason }) => reason)).toEqual([
      'migrate',
      'create',
    ]);
    expect(await auditRows()).toHaveLength(1);
  });

  it('is no concern of the policy `manual`, nor of organizations without multi-tool assistants', async () => {
    const [own, off] = [await organization(), await organization()];
    const [id] = await classics(1, own);
    const [other] = await classics(1, off);
    const manual = processOf('manual', ready);
    expect(await manual.access.migrate(stored(id!, own.id))).toBe(false);
    switchedOff = off.id;
    const onAccess = processOf('on_access', ready);
    expect(await onAccess.access.migrate(stored(other!, off.id))).toBe(false);
    expect([...manual.plans, ...onAccess.plans]).toEqual([]);
    switchedOff = '';
    expect(await onAccess.access.migrate(stored(other!, off.id))).toBe(true);
  });

  it('leaves what is refused as it is and does not try that version again', async () => {
    const own = await organization();
    const [id] = await classics(1, own);
    const { access, plans } = processOf('on_access', () => ({
      status: 'refused',
      from: 1,
      problems: [{ path: 'metadata', message: 'no', code: 'metadata.invalid' }],
      differences: [],
    }));
    const warnings: unknown[] = [];
    const { logger } = access as unknown as { logger: { warn(line: unknown): void } };
    jest.spyOn(logger, 'warn').mockImplementation((line) => warnings.push(line));
    for (let round = 0; round < 3; round += 1) expect(await access.migrate(stored(id!, own.id))).toBe(false);
    expect(plans).toEqual([id]);
    expect(warnings).toEqual([
      { msg: 'cannot be migrated', assistant_id: id, version: 1, codes: ['metadata.invalid'] },
    ]);
    await own.scope.replace(id!, 1, { ...EMPTY_DEFINITION, name: 'B' }, own.owner, 'update');
    expect(await access.migrate(stored(id!, own.id, 2))).toBe(false);
    expect(plans).toEqual([id, id]);
  });

  it('leaves what was rolled back alone until somebody saves it', async () => {
    const own = await organization();
    const [id] = await classics(1, own);
    const { access } = processOf('on_access', ready);
    expect(await access.migrate(stored(id!, own.id))).toBe(true);
    const request = {
      assistantId: id!,
      organizationId: own.id,
      oldVersion: 1,
      newVersion: 2,
      force: false,
      batchId: null,
    };
    await transactions.run((tx) => rewritesOf().rollBack(tx, [request], ADMIN));
    expect(await access.migrate(stored(id!, own.id, 3))).toBe(false);
    const row = await own.scope.find(id!);
    expect(row).toMatchObject({ version: 3, metadata: CLASSIC });
    await own.scope.replace(id!, 3, { ...EMPTY_DEFINITION, name: 'B', metadata: CLASSIC }, own.owner, 'update');
    expect(await access.migrate(stored(id!, own.id, 4))).toBe(true);
  });

  it('leaves what was restored alone until somebody saves it', async () => {
    const own = await organization();
    const [id] = await classics(1, own);
    const { access } = processOf('on_access', ready);
    const [{ definition }] = (await rewritesOf().subjects(everyOne)) as [RewriteSubject];
    expect(await access.migrate(stored(id!, own.id))).toBe(true);
    await own.scope.replace(id!, 2, definition, own.owner, 'restore');
    expect(await access.migrate(stored(id!, own.id, 3))).toBe(false);
    await own.scope.replace(id!, 3, { ...definition, name: 'B' }, own.owner, 'update');
    expect(await access.migrate(stored(id!, own.id, 4))).toBe(true);
  });

  it('never makes an access fail, and does not try again for some minutes', async () => {
    const own = await organization();
    const [id] = await classics(1, own);
    const { access, plans } = processOf('on_access', () => {
      throw new Error('broken');
    });
    const { logger } = access as unknown as { logger: { error(line: unknown): void } };
    const error = jest.spyOn(logger, 'error').mockImplementation(() => undefined);
    for (let round = 0; round < 3; round += 1) expect(await access.migrate(stored(id!, own.id))).toBe(false);
    expect([plans.length, error.mock.calls.length]).toEqual([1, 1]);
    jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 10 * 60_000);
    expect(await access.migrate(stored(id!, own.id))).toBe(false);
    expect(plans).toHaveLength(2);
  });

  it('lets those go on who come while many assistants are looked at, and remembers nothing of it', async () => {
    const own = await organization();
    const ids = await classics(20, own);
    let open = (): void => undefined;
    const opened = new Promise<void>((resolve) => (open = resolve));
    let atOnce = 0;
    let most = 0;
    const { access, plans } = processOf('on_access', async (subject) => {
      most = Math.max(most, (atOnce += 1));
      await opened;
      atOnce -= 1;
      return ready(subject);
    });
    const answers = ids.map(async (id) => access.migrate(stored(id, own.id)));
    expect(await Promise.all(answers.slice(16))).toEqual([false, false, false, false]);
    open();
    expect(new Set(await Promise.all(answers.slice(0, 16)))).toEqual(new Set([true]));
    expect([plans.length, most]).toEqual([16, 1]);
    expect(await access.migrate(stored(ids[19]!, own.id))).toBe(true);
  });
});

describe('plans that requests ask for', () => {
  it('are made one after the other, with a turn for others between, and too many are sent away', async () => {
    const seen: string[] = [];
    const rewrites = rewritesOf({
      plan: async ({ id }) => {
        seen.push(`plan ${id}`);
        await Promise.resolve();
        if (id === 1) throw new Error('broken');
        return { status: 'current', from: 3 };
      },
    });
    const plans = new RequestedPlans(rewrites);
    const ask = (id: number) => plans.plan({ id } as RewriteSubject, 3);
    setImmediate(() => seen.push('somebody else'));
    const answers = await Promise.allSettled(Array.from({ length: 40 }, (_, index) => ask(index)));
    expect(seen.slice(0, 3)).toEqual(['plan 0', 'somebody else', 'plan 1']);
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(31);
    expect(answers[1]).toMatchObject({ reason: { message: 'broken' } });
    expect(answers[39]).toMatchObject({ reason: { code: 'too_many_requests', retryAfter: 5 } });
    expect(await ask(7)).toEqual({ status: 'current', from: 3 });
  });
});
