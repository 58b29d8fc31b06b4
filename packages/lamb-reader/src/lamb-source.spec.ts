import { AppError } from '@bellwether/kernel';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Database } from 'node-sqlite3-wasm';
import { openLambSource } from './lamb-source';
import type { LambSource } from './lamb-source.types';
import { withSqliteFile } from './sqlite-file';
import {
  LAMB_ASSISTANTS,
  LAMB_RUBRIC_DOCUMENT,
  LAMB_RUBRIC_UUID,
  lambContent,
} from '../../../test/support/lamb-content';
import { buildLambDatabase, type LambRow } from '../../../test/support/lamb-database';

const sha = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex');

function refusal(work: () => unknown): AppError {
  try {
    work();
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error('It was not refused');
}

describe('reading a LAMB database', () => {
  let folder: string;
  let whole: string;
  let temporary: string;
  const usual = process.env['TMPDIR'];

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'bw-lamb-spec-'));
    temporary = mkdtempSync(join(tmpdir(), 'bw-lamb-temporary-'));
    process.env['TMPDIR'] = temporary;
    whole = join(folder, 'lamb_v4.db');
    buildLambDatabase(whole, lambContent());
  });
  afterAll(() => {
    if (usual === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = usual;
    for (const path of [folder, temporary]) rmSync(path, { recursive: true, force: true });
  });
  afterEach(() => expect(readdirSync(temporary)).toEqual([]));

  const fileOf = (name: string): string => join(folder, name);
  const refusalOf = (file: string): string => {
    const { code, detail, problems } = refusal(() => openLambSource(file));
    expect(code).toBe('validation_failed');
    return [detail, ...problems.map(({ path, message }) => `${path} ${message}`)].join('\n');
  };

  describe('with every shape in it', () => {
    let found: LambSource;
    let before: readonly string[];
    beforeAll(() => {
      before = state();
      found = openLambSource(whole);
    });

    const state = (): string[] => [sha(whole), ...readdirSync(folder), ...readdirSync(temporary)];
    const assistant = (name: keyof typeof LAMB_ASSISTANTS) =>
      found.assistants.find(({ id }) => id === LAMB_ASSISTANTS[name]);

    it('gives every row of the documented tables, and writes nothing beside it', () => {
      expect(state()).toEqual(before);
      expect(found.prefix).toBe('LAMB_');
      const content = lambContent();
      expect(found.organizations).toHaveLength(4);
      expect(found.users).toHaveLength(7);
      expect(found.roles).toHaveLength(6);
      expect(found.assistants).toHaveLength(content.assistants?.length ?? 0);
      expect(found.shares).toHaveLength(3);
      expect(found.rubrics).toHaveLength(3);
      expect(found.promptTemplates).toHaveLength(2);
      expect(found.collections).toEqual([
        { collectionId: '3', name: 'Course notes', ownerUserId: 2, organizationId: 2, isShared: true },
        { collectionId: '4', name: 'Private notes', ownerUserId: 3, organizationId: 2, isShared: false },
      ]);
    });

    it('reads metadata to the letter, whatever stands there', () => {
      expect(assistant('emptyMetadata')?.metadata).toBe('');
      expect(assistant('nullMetadata')).toMatchObject({ metadata: '', description: '', ragCollections: '' });
      expect(assistant('brokenJson')?.metadata).toBe('{"prompt_processor": "simple_augment", ');
      expect(assistant('proto')?.metadata).toContain('"__proto__":{"admin":true}');
      expect(assistant('nul')?.systemPrompt).toBe('before\0after');
    });

    it('reads columns as they are, out of range or absent', () => {
      expect(assistant('topKZero')?.ragTopK).toBe(0);
      expect(assistant('topKFifty')?.ragTopK).toBe(50);
      expect(assistant('topKNull')?.ragTopK).toBeNull();
      expect(assistant('knowledgeBase')?.ragCollections).toBe('3, 4');
    });

    it('takes an assistant for published only while it has a consumer', () => {
      const published = found.assistants.filter((row) => row.published);
      expect(published.map(({ id }) => id)).toEqual([LAMB_ASSISTANTS.noRag]);
    });

    it('knows deleted assistants by their owner', () => {
      const deleted = found.assistants.filter((row) => row.deleted);
      expect(deleted.map(({ id }) => id)).toEqual([LAMB_ASSISTANTS.deleted]);
    });

    it('says which config and rubric could not be read', () => {
      expect(found.organizations.map(({ status }) => status)).toEqual(['active', 'active', 'active', 'suspended']);
      expect(found.organizations[3]?.config).toEqual({});
      expect(found.rubrics.map(({ document }) => document)).toEqual([
        LAMB_RUBRIC_DOCUMENT,
        { ...LAMB_RUBRIC_DOCUMENT, criteria: [] },
        null,
      ]);
      expect(found.rubrics[0]).toMatchObject({ rubricId: LAMB_RUBRIC_UUID, isPublic: true, isShowcase: false });
      expect(found.problems).toEqual([
        { code: 'value.ignored', table: 'organizations', row: '4', path: 'config', message: 'is not JSON' },
        { code: 'value.ignored', table: 'rubrics', row: '3', path: 'rubric_data', message: 'is not JSON' },
      ]);
    });

    it('tells people by role and type', () => {
      const { users, roles } = found;
      expect(users.find(({ id }) => id === 1)).toMatchObject({ isSystemAdmin: true, userType: 'creator' });
      expect(users.find(({ id }) => id === 4)).toMatchObject({ isSystemAdmin: false, userType: 'end_user' });
      expect(users.find(({ id }) => id === 5)?.enabled).toBe(false);
      expect(users.find(({ id }) => id === 6)?.organizationId).toBeNull();
      expect(roles[1]).toEqual({ organizationId: 2, userId: 2, role: 'owner' });
    });
  });

  it.each(['', 'lamb_', 'Uni "1" '])('finds the tables behind the prefix “%s”', (prefix) => {
    const file = fileOf('prefix.db');
    buildLambDatabase(file, lambContent(), { prefix });
    const source = openLambSource(file);
    expect([source.prefix, source.organizations.length]).toEqual([prefix, 4]);
  });

  it('counts what no import takes', () => {
    const file = fileOf('left.db');
    const { organizations = [], ...content } = lambContent();
    const [first, ...others] = organizations;
    const signup = { features: { signup_key: 'KEY' }, limits: { usage: { max_assistants: 100 } } };
    buildLambDatabase(file, {
      ...content,
      organizations: [{ ...first, config: signup }, ...others] as LambRow[],
      Creator_users: [
        ...(content.Creator_users ?? []),
        { id: 20, user_email: 'lti_creator_2_x@lamb-lti.local', user_name: 'L', auth_provider: 'lti_creator' },
      ],
      lti_activities: [{ resource_link_id: 'a' }],
      lti_activity_users: [1, 2].map((activity_id) => ({ user_email: 'a@x', activity_id })),
      lti_users: [{ user_email: 'b@x', assistant_id: '1' }],
      lti_global_config: [{ id: 1, oauth_consumer_key: 'k' }],
      libraries: [{ id: 'l' }],
      assistant_test_scenarios: [{ id: 1 }, { id: 2 }],
      aac_sessions: [{ id: 's' }],
    });
    expect(openLambSource(file).notTaken).toEqual({
      lti_activities: 1,
      lti_keys: 1,
      lti_students: 2,
      lti_teachers: 1,
      chats: 1,
      libraries: 1,
      test_scenarios: 2,
      aac_sessions: 1,
      signup_keys: 1,
      assistant_quotas: 1,
      assistant_defaults: 1,
      organization_limits: 1,
    });
  });

  it('refuses a file with two LAMBs in it', () => {
    const file = fileOf('two.db');
    buildLambDatabase(file, lambContent());
    const database = new Database(file);
    for (const { name } of database.all(`SELECT name FROM sqlite_schema WHERE name LIKE 'LAMB!_%' ESCAPE '!'`)) {
      database.exec(`CREATE TABLE "other_${(name as string).slice(5)}" AS SELECT * FROM "${name as string}"`);
    }
    database.close();
    expect(refusalOf(file)).toMatch(/several LAMB databases.*LAMB_.*other_|several.*other_.*LAMB_/);
  });

  it('does without tables and columns that came later, and says so', () => {
    const file = fileOf('old.db');
    const without = ['assistant_shares', 'rubrics', 'prompt_templates', 'kb_registry'];
    const columns = ['Creator_users.enabled', 'Creator_users.role', 'organizations.status', 'assistants.description'];
    const { assistants = [], Creator_users: users = [], organizations = [], ...rest } = lambContent();
    const drop = (rows: readonly LambRow[], ...names: string[]): LambRow[] =>
      rows.map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => !names.includes(name))));
    const content = {
      ...rest,
      assistants: drop(assistants, 'description'),
      Creator_users: drop(users, 'enabled', 'role'),
      organizations: drop(organizations, 'status'),
    };
    buildLambDatabase(file, content, { without: [...without, ...columns] });
    const source = openLambSource(file);
    expect(source.problems.filter(({ code }) => code === 'table.absent').map(({ table }) => table)).toEqual(without);
    expect(source.users.every(({ enabled, isSystemAdmin }) => enabled && !isSystemAdmin)).toBe(true);
    expect(source.organizations.every(({ status }) => status === 'active')).toBe(true);
    expect([source.rubrics, source.collections]).toEqual([[], []]);
  });

  it('names every table and column of another schema at once', () => {
    const file = fileOf('other-schema.db');
    const without = ['assistant_publish', 'assistants.api_callback', 'assistants.RAG_Top_k', 'rubrics.rubric_data'];
    buildLambDatabase(file, {}, { without });
    expect(refusalOf(file).split('\n')).toEqual([
      'The file is not a LAMB database of a version that can be read',
      'LAMB_assistants.api_callback is missing',
      'LAMB_assistants.RAG_Top_k is missing',
      'LAMB_assistant_publish is missing',
      'LAMB_rubrics.rubric_data is missing',
    ]);
    const foreign = new Database(fileOf('foreign.db'));
    foreign.exec('CREATE TABLE songs(id INTEGER)');
    foreign.close();
    expect(refusalOf(fileOf('foreign.db'))).toContain('LAMB_organizations is missing');
  });

  describe('that is none, or not whole', () => {
    it.each<[string, (file: string) => unknown, RegExp]>([
      ['absent', () => undefined, /^There is no file /],
      ['a directory', (file) => mkdirSync(file), /is a directory/],
      ['empty', (file) => writeFileSync(file, ''), /is empty$/],
      ['text', (file) => writeFileSync(file, 'id,name\n1,Essay\n'.repeat(1000)), /is not a SQLite database$/],
      ['only a beginning', (file) => writeFileSync(file, readFileSync(whole).subarray(0, 50)), /is cut off: 50 bytes/],
      [
        'half',
        (file) => {
          copyFileSync(whole, file);
          truncateSync(file, Math.floor(statSync(whole).size / 2));
        },
        /is cut off: \d+ of \d+ bytes/,
      ],
      [
        'overwritten in the middle',
        (file) => {
          const bytes = Buffer.from(readFileSync(whole));
          bytes.fill(0xff, 4096);
          writeFileSync(file, bytes);
        },
        /is damaged/,
      ],
      [
        'in UTF-16',
        (file) => {
          const bytes = Buffer.from(readFileSync(whole));
          bytes.writeUInt32BE(2, 56);
          writeFileSync(file, bytes);
        },
        /UTF-16/,
      ],
    ])('refuses what is %s, in one sentence', (name, make, expected) => {
      const file = fileOf(`bad-${name.replaceAll(' ', '-')}`);
      make(file);
      expect(refusalOf(file)).toMatch(expected);
    });
  });

  describe('that LAMB has open', () => {
    it('reads a file in WAL mode whose log is empty, from a copy', () => {
      const file = fileOf('wal.db');
      copyFileSync(whole, file);
      const bytes = readFileSync(file);
      bytes.fill(2, 18, 20);
      writeFileSync(file, bytes);
      writeFileSync(`${file}-wal`, '');
      const before = sha(file);
      expect(openLambSource(file).assistants.length).toBeGreaterThan(20);
      expect(sha(file)).toBe(before);
    });

    it('refuses while changes lie in a log or a journal beside it, and says what to do', () => {
      const file = fileOf('busy.db');
      copyFileSync(whole, file);
      writeFileSync(`${file}-wal`, 'x');
      expect(refusalOf(file)).toMatch(/Stop LAMB, or run sqlite3 .*wal_checkpoint/);
      rmSync(`${file}-wal`);
      writeFileSync(`${file}-journal`, Buffer.alloc(512));
      expect(openLambSource(file).organizations).toHaveLength(4);
      writeFileSync(`${file}-journal`, Buffer.from('d9d505f920a163d700000001', 'hex'));
      expect(refusalOf(file)).toMatch(/a change that has not ended\. Stop LAMB/);
    });

    it('believes nothing of a file that changed meanwhile', () => {
      const file = fileOf('changing.db');
      copyFileSync(whole, file);
      const refused = refusal(() => withSqliteFile(file, () => appendFileSync(file, Buffer.alloc(4096))));
      expect(refused.detail).toMatch(/changed while it was read; stop LAMB and try again$/);
      copyFileSync(whole, file);
      const started = refusal(() => withSqliteFile(file, () => writeFileSync(`${file}-wal`, 'x')));
      expect(started.detail).toContain('changing.db-wal holds changes');
    });

    it('looks beside the file itself where it was named by a link', () => {
      const file = fileOf('behind.db');
      copyFileSync(whole, file);
      writeFileSync(`${file}-wal`, 'x');
      symlinkSync(file, fileOf('link.db'));
      expect(refusalOf(fileOf('link.db'))).toContain('behind.db-wal');
    });

    it('reads what SQLite itself wrote in WAL mode', () => {
      const file = fileOf('native.db');
      copyFileSync(whole, file);
      const database = new Database(file);
      database.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL');
      database.run('UPDATE LAMB_organizations SET name = ? WHERE id = 2', 'Künste');
      expect(refusalOf(file)).toContain('native.db-wal');
      database.close();
      expect(readFileSync(file).subarray(18, 20)).toEqual(Buffer.from([2, 2]));
      expect(openLambSource(file).organizations[1]?.name).toBe('Künste');
    });
  });

  describe('with rows that cannot be believed', () => {
    const build = (assistants: readonly LambRow[]): ReturnType<typeof openLambSource> => {
      const file = fileOf('rows.db');
      buildLambDatabase(file, { organizations: [{ id: 1, slug: 'a', name: 'A', config: {} }], assistants });
      return openLambSource(file);
    };
    const row = (more: LambRow): LambRow => ({
      organization_id: 1,
      name: 'x',
      owner: 'a@uni.example',
      api_callback: '{}',
      system_prompt: '',
      prompt_template: '',
      RAG_collections: '',
      ...more,
    });

    it('leaves out a row without a key, and keeps one whose document cannot be read, with the reason', () => {
      const source = build([
        row({ id: 1 }),
        row({ id: 2, organization_id: 'one' }),
        row({ id: 3, name: '  ' }),
        row({ id: 4, system_prompt: 'x'.repeat(1_048_577) }),
        row({ id: 5, api_callback: Buffer.from([0xff, 0xfe]) }),
        row({ id: 9007199254740993n, name: 'far' }),
        row({ id: 6, owner: 'o'.repeat(5_000) }),
      ]);
      expect(
        source.assistants.map(({ id, name, ownerEmail, unreadable }) => [id, name, ownerEmail, unreadable]),
      ).toEqual([
        [1, 'x', 'a@uni.example', null],
        [3, '  ', 'a@uni.example', null],
        [4, 'x', 'a@uni.example', 'system_prompt is 1048577 bytes long, over the limit of 1048576'],
        [5, 'x', 'a@uni.example', 'api_callback is not UTF-8'],
        [6, 'x', '', null],
      ]);
      expect(source.problems.map(({ code, row: key, path, message }) => [code, key, path, message])).toEqual([
        ['row.left_out', '2', 'organization_id', 'is text where a number is needed'],
        ['value.ignored', '6', 'owner', 'is 5000 bytes long, over the limit of 4096'],
        ['row.left_out', '9007199254740993', 'id', 'is out of range'],
      ]);
    });

    it('keeps a row whose lesser values cannot be believed, and says which', () => {
      const source = build([row({ id: 1, RAG_Top_k: 'many', description: Buffer.from([0xff]), created_at: 1.5 })]);
      expect(source.assistants[0]).toMatchObject({ ragTopK: null, description: '', createdAt: null });
      expect(source.problems.map(({ code, path }) => `${code} ${path}`)).toEqual([
        'value.ignored description',
        'value.ignored RAG_Top_k',
        'value.ignored created_at',
      ]);
    });

    it('takes the first of two rows with one key, and lists many problems without drowning in them', () => {
      const twice = fileOf('twice.db');
      buildLambDatabase(twice, {
        organizations: [{ id: 1, slug: 'a', name: 'A', config: {} }],
        organization_roles: [
          { organization_id: 1, user_id: 1, role: 'owner' },
          { organization_id: 1, user_id: 1, role: 'member' },
          { organization_id: 1, user_id: 2, role: 'emperor' },
        ],
      });
      const { roles, problems } = openLambSource(twice);
      expect(roles.map(({ role }) => role)).toEqual(['owner', 'member']);
      expect(problems.map(({ message }) => message)).toEqual([
        'is none of owner, admin, member; read as member',
        'exists twice',
      ]);
      const many = build(Array.from({ length: 1_500 }, (_, index) => row({ id: index + 1, organization_id: 'one' })));
      expect(many.problems).toHaveLength(1_001);
      expect(many.problems.at(-1)?.message).toBe('500 more problems in this table are not listed');
    });

    it('does not take a document deeper than anybody writes one', () => {
      const file = fileOf('deep.db');
      const deep = `{"a":${'['.repeat(5_000)}${']'.repeat(5_000)}}`;
      buildLambDatabase(file, {
        organizations: [
          { id: 1, slug: 'a', name: 'A', config: deep },
          { id: 2, slug: 'b', name: 'B', config: '[1]' },
          { id: 3, slug: 'c', name: 'C', config: '{"__proto__":{"admin":true}}', status: 'deleted' },
        ],
      });
      const { organizations, problems } = openLambSource(file);
      expect(organizations.map(({ status }) => status)).toEqual(['active', 'active', 'suspended']);
      expect(problems.map(({ row: key, message }) => `${key} ${message}`)).toEqual([
        '1 nests deeper than 64 levels',
        '2 is not a JSON object',
        '3 is none of active, suspended, trial',
      ]);
      expect(({} as { admin?: boolean }).admin).toBeUndefined();
    });
  });

  it('does not look at chats, damaged or not', () => {
    const file = fileOf('chats.db');
    buildLambDatabase(file, lambContent());
    const size = statSync(file).size;
    const database = new Database(file);
    database.exec('BEGIN');
    const text = 'x'.repeat(4_000);
    for (let index = 0; index < 2_000; index++) database.run('INSERT INTO LAMB_lamb_chats(chat) VALUES (?)', text);
    database.exec('COMMIT');
    database.close();
    const bytes = readFileSync(file);
    // Pages at the end belong to the chats alone.
    bytes.fill(0xff, size + 40 * 4_096, bytes.length - 4_096);
    writeFileSync(file, bytes);
    expect(openLambSource(file).assistants.length).toBeGreaterThan(20);
  });
});
