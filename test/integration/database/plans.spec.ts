import type { DataSource } from 'typeorm';
import { migrations } from '../../../migrations';
import { AssistantAliasRepository } from '../../../src/assistants/storage/assistant-alias.repository';
import { AssistantRepository } from '../../../src/assistants/storage/assistant.repository';
import { ApiKeyRepository } from '../../../src/auth/api-key.repository';
import { MemberRepository } from '../../../src/organizations/member.repository';
import {
  acrossOrganizations,
  type Crossing,
  currentReach,
  openDatabase,
  type OpenDatabase,
  type Reach,
  withinOrganization,
} from '../../../src/infrastructure/postgres';
import { RunLines } from '../../../src/runs/run-lines';
import { RunRepository } from '../../../src/runs/run.repository';
import { RunSegmentRepository } from '../../../src/runs/run-segment.repository';
import { KeysInMemory, signedReceipts } from '../../../src/runs/testing/signed-receipts';
import { createScratchDatabase, type ScratchDatabase } from '../../support/scratch-database';

/** The plans of the embedded engine are those of an older planner without statistics; nobody keeps so many rows there. */
const describeServer = process.env.TEST_DATABASE_URL ? describe : describe.skip;

const idOf = (kind: string, n: number): string => `${kind}-0000-7000-8000-${n.toString(16).padStart(12, '0')}`;
const sqlId = (kind: string, n: string): string => `('${kind}-0000-7000-8000-' || lpad(to_hex(${n}), 12, '0'))::uuid`;

const [ORGANIZATIONS, PEOPLE, ASSISTANTS, RUNS] = [40, 2_000, 20_000, 60_000];
const ORGANIZATION = idOf('0a000000', 1);
const PERSON = idOf('0b000000', 1);
/** Tables that grow with use. A page of them must be read from an index. */
const LARGE = ['assistants', 'assistant_versions', 'assistant_aliases', 'runs', 'members', 'users', 'api_keys'];

const FILL = `
  INSERT INTO organizations (id, slug, name)
  SELECT ${sqlId('0a000000', 'n')}, 'school-' || n, 'School' FROM generate_series(0, ${ORGANIZATIONS - 1}) n;
  INSERT INTO users (id, email)
  SELECT ${sqlId('0b000000', 'n')}, n || '@example.edu' FROM generate_series(0, ${PEOPLE - 1}) n;
  INSERT INTO members (organization_id, user_id, name, role)
  SELECT ${sqlId('0a000000', `n % ${ORGANIZATIONS}`)}, ${sqlId('0b000000', 'n')}, 'Person', 'member'
  FROM generate_series(0, ${PEOPLE - 1}) n;
  INSERT INTO api_keys (id, organization_id, user_id, name, hash, public_id, scopes)
  SELECT gen_random_uuid(), organization_id, user_id, 'Key', md5(user_id::text), md5(user_id::text), '{chat}' FROM members;
  INSERT INTO assistants (id, organization_id, owner_id, type, name, system_prompt, metadata, published, live_version, version)
  SELECT n, ${sqlId('0a000000', `n % ${ORGANIZATIONS}`)}, ${sqlId('0b000000', `n % ${PEOPLE}`)}, 'classic', md5(n::text),
    repeat('Answer as a tutor. ', 20), '{}', n % 7 = 0, CASE WHEN n % 7 = 0 THEN 1 END, CASE WHEN n % 21 = 0 THEN 2 ELSE 1 END
  FROM generate_series(1, ${ASSISTANTS}) n;
  INSERT INTO assistant_versions (assistant_id, version, organization_id, reason, type, name, description, system_prompt,
    prompt_template, metadata, rag_collections, rag_top_k)
  SELECT id, v, organization_id, 'create', type, name, '', system_prompt, '', metadata, '', 3
  FROM assistants, generate_series(1, version) v;
  INSERT INTO assistant_aliases (organization_id, source, number, assistant_id)
  SELECT organization_id, 'lamb', id + 7, id FROM assistants;
  INSERT INTO runs (id, organization_id, user_id, assistant_id, assistant_name, assistant_type, stream, status, created_at,
    tools, sources, events, problems, rating, pruned_at)
  SELECT ('${idOf('019a0000', 0).slice(0, 23)}-' || lpad(to_hex(n), 12, '0'))::uuid,
    ${sqlId('0a000000', `n % ${ORGANIZATIONS}`)}, ${sqlId('0b000000', `n % ${PEOPLE}`)}, 1 + n % ${ASSISTANTS}, 'A', 'classic',
    true, CASE WHEN n % 50 = 1 THEN 'failed' ELSE 'completed' END, now() - make_interval(mins => ${RUNS} - n),
    '[]', '[]', '[]', (n % 50 = 1)::int, CASE WHEN n % 100 = 1 THEN 'down' END, NULL
  FROM generate_series(1, ${RUNS}) n`;

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly Plans?: readonly PlanNode[];
}

const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

describeServer('hot statements over many rows', () => {
  let scratch: ScratchDatabase;
  let database: OpenDatabase;
  let dataSource: DataSource;
  const asked: { sql: string; parameters: unknown[] | undefined; reach: Reach }[] = [];

  beforeAll(async () => {
    scratch = await createScratchDatabase();
    const config = { url: scratch.url, dataDir: '', poolSize: 2 };
    database = await openDatabase(config, { migrations, schema: 'migrate', bound: true });
    await database.asOwner(async (owner) => {
      for (const statement of FILL.split(';')) await owner.query(statement);
      await owner.query('ANALYZE');
    });
    ({ dataSource } = database);
    dataSource.logger.logQuery = (sql, parameters) =>
      void asked.push({ sql, parameters: parameters as unknown[] | undefined, reach: currentReach() });
    dataSource.setOptions({ logging: ['query'] });
  }, 120_000);
  afterAll(async () => {
    await database.close();
    await scratch.drop();
  });

  /** Large tables that the plans of these statements read from end to end, planned as the service's own role. */
  const readWhole = async (work: () => Promise<unknown>): Promise<string[]> => {
    asked.length = 0;
    await work();
    const statements = asked.splice(0);
    expect(statements.length).toBeGreaterThan(0);
    const found: string[] = [];
    for (const { sql, parameters, reach } of statements) {
      if (!/^\s*(?:SELECT|WITH)/i.test(sql)) continue;
      const explain = () =>
        dataSource.query<[{ 'QUERY PLAN': [{ Plan: PlanNode }] }]>(`EXPLAIN (FORMAT JSON) ${sql}`, parameters);
      const isAcross = reach !== null && 'crossing' in reach;
      const [row] = await (isAcross ? acrossOrganizations(reach.crossing as Crossing, explain) : explain());
      const scans = nodesOf(row['QUERY PLAN'][0].Plan).filter((node) => node['Node Type'] === 'Seq Scan');
      found.push(...scans.map((node) => node['Relation Name'] ?? '').filter((name) => LARGE.includes(name)));
    }
    asked.length = 0;
    return found;
  };
  const inOrganization = (work: () => Promise<unknown>): Promise<string[]> =>
    withinOrganization(ORGANIZATION, () => readWhole(work));

  const page = { limit: 20, cursor: null };
  const everyone = { visibleTo: null, onlyIds: null };
  const mine = { visibleTo: PERSON, onlyIds: null };
  const assistants = () => new AssistantRepository(dataSource).within(ORGANIZATION);
  const runRows = () =>
    new RunRepository(
      dataSource,
      new RunLines(new RunSegmentRepository(dataSource), signedReceipts(new KeysInMemory())),
    );
  const runs = () => runRows().within(ORGANIZATION);

  it.each([
    ['assistants of an administrator', () => assistants().page(everyone, page)],
    ['assistants of a teacher', () => assistants().page(mine, page)],
    ['assistants of a type', () => assistants().page({ ...mine, type: 'multi_tool' }, page)],
    ['assistants by a part of their name', () => assistants().page({ ...everyone, text: 'c4ca42' }, page)],
    ['assistants of a teacher by a part', () => assistants().page({ ...mine, searcher: PERSON, text: 'c4ca42' }, page)],
    ['own assistants', () => assistants().page({ ...mine, ownerId: PERSON }, page)],
    ['assistants of a key', () => assistants().page({ ...mine, onlyIds: [41, 81] }, page)],
    ['models', () => assistants().next({ ...mine, onlyPublished: true }, 400, 100)],
    ['an assistant by its id', () => assistants().find(41)],
    ['assistants by their name', () => assistants().idsNamed('tutor')],
    ['shares of assistants', () => assistants().shares.rightsOf(PERSON, [41, 81])],
    ['assistants that a person edits', () => assistants().editableBy(PERSON)],
    ['numbers of imported assistants', () => new AssistantAliasRepository(dataSource).withNumbers(ORGANIZATION, [48])],
    ['a member', () => new MemberRepository(dataSource).within(ORGANIZATION).find(PERSON)],
    ['owners of a page', () => new MemberRepository(dataSource).within(ORGANIZATION).findAll([PERSON])],
    ['an API key', () => new ApiKeyRepository(dataSource).findByPublicId('x')],
    ['runs', () => runs().page({}, page)],
    ['runs of a teacher', () => runs().page({ visibleTo: { userId: PERSON, assistantIds: [41, 81] } }, page)],
    ['runs asked elsewhere, too', () => runs().page({ asker: PERSON }, page)],
    ['runs of an assistant', () => runs().page({ assistantId: 41 }, page)],
    ['runs of a person', () => runs().page({ userId: PERSON }, page)],
    ['runs of a status', () => runs().page({ status: 'failed' }, page)],
    ['runs with problems', () => runs().page({ hasProblems: true }, page)],
    ['runs with a rating', () => runs().page({ rating: 'down' }, page)],
    ['runs of a day', () => runs().page({ from: Date.now() - 86_400_000, to: Date.now() }, page)],
    ['a run', () => runs().record(idOf('019a0000', 1))],
    ['nested runs', () => runs().nested(idOf('019a0000', 1))],
    ['statistics of an assistant', () => runs().stats(41)],
    ['retention', () => runRows().prune(90, 500)],
  ])('read no large table from end to end: %s', async (_, work) => {
    expect(await inOrganization(work)).toEqual([]);
  });
});
