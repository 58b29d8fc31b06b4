import { uuidv7 } from '@bellwether/kernel';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DataSource } from 'typeorm';
import {
  BlobInventory,
  BlobMove,
  BlobStore,
  BlobSweep,
  BucketCheck,
  type MoveReport,
  type StorageName,
} from '../../src/files';
import { filesForm, startApp, type TestApp } from '../support/app';
import { testDatabaseUrl } from '../support/database';
import { runCommand, startCommand } from '../support/command';
import { makeAssistant, multiTool, user } from '../support/chat';
import { foreignOrganization, type Person, person } from '../support/people';
import { type S3Store, startS3Store } from '../support/s3-store';
import { until } from '../support/until';
import { startUpstream, type Upstream } from '../support/upstream';

const FILES = '/api/v1/files';
const BASES = '/api/v1/knowledge-bases';

let store: S3Store;
let upstream: Upstream;
let app: TestApp;
let teacher: Person;
let foreigner: Person;

beforeAll(async () => {
  store = await startS3Store();
  upstream = await startUpstream();
  const vendor = { OPENAI_BASE_URL: upstream.url, OPENAI_API_KEY: 'sk-canary-s3' };
  app = await startApp({ env: { ...store.env, ...vendor, FILES_STORE: 's3' } });
  teacher = await person(app);
  foreigner = await person(app, { organization: await foreignOrganization(app) });
});
beforeEach(() => upstream.reset());
afterEach(() => {
  store.fault = () => null;
  upstream.verify();
});
afterAll(async () => {
  await app.stop();
  await upstream.stop();
  await store.stop();
});

const rows = <T extends object>(statement: string, parameters: unknown[] = []): Promise<T[]> =>
  app.get(DataSource).query<T[]>(statement, parameters);
const upload = (who: Person, name: string, content: string) => who.api('POST', FILES, filesForm([name, content]));
const keys = (): string[] => [...store.objects.keys()];
const calls = (operation: string): number => store.calls.filter((call) => call.operation === operation).length;

async function uploaded(name: string, content: string): Promise<{ id: string; key: string }> {
  const before = new Set(keys());
  const { json } = await upload(teacher, name, content);
  return { id: json.items[0].id, key: keys().find((key) => !before.has(key)) ?? '' };
}

describe('files and documents in a bucket', () => {
  it('are uploaded, asked for, downloaded and deleted', async () => {
    const kb = (await teacher.api('POST', BASES, { name: 'Biology', language: 'en' })).json.id;
    const { json: documents } = await teacher.api(
      'POST',
      `${BASES}/${kb}/documents`,
      filesForm(['light.md', 'Chlorophyll absorbs light.']),
    );
    const file = (await upload(teacher, 'guide.md', 'The marking guide says be kind.')).json.items[0];
    expect(keys()).toHaveLength(2);
    expect(['files', 'knowledge-bases'].filter((room) => existsSync(join(app.dataDir, room)))).toEqual([]);

    upstream.expect({ content: 'Hello.' });
    const assistant = await makeAssistant(
      { ...app, api: teacher.api },
      {
        prompt_template: '{1_context}|{2_file}|{user_input}',
        metadata: multiTool([
          { plugin: 'simple_rag', placeholder: '1_context', enabled: true, config: { collections: [kb] } },
          { plugin: 'single_file_rag', placeholder: '2_file', enabled: true, config: { file_path: 'guide.md' } },
        ]),
      },
    );
    const answer = await teacher.api('POST', '/v1/chat/completions', {
      model: `lamb_assistant.${assistant}`,
      messages: [user('light')],
    });
    expect(answer.status).toBe(200);
    const prompt = String(upstream.requests.at(-1)?.body.messages?.at(-1)?.content);
    expect(prompt).toMatch(/Chlorophyll absorbs light\.[^]*\|[^]*The marking guide says be kind\./);

    const content = `${BASES}/${kb}/documents/${documents.items[0].id}/content`;
    expect((await teacher.api('GET', content)).text).toBe('Chlorophyll absorbs light.');
    expect((await teacher.api('GET', `${FILES}/${file.id}/content`)).text).toBe('The marking guide says be kind.');
    await teacher.api('DELETE', `${FILES}/${file.id}`);
    await teacher.api('DELETE', `${BASES}/${kb}/documents/${documents.items[0].id}`);
    expect(keys()).toEqual([]);
  });

  it('have keys of generated names only, below the prefix of their organization', async () => {
    await upload(teacher, 'canary name.md', 'mine');
    await upload(foreigner, 'canary name.md', 'theirs');
    const owners = await rows<{ key: string }>(
      `SELECT 'school/one/files/' || organization_id || '/' || owner_id || '/' || storage_name AS key FROM files`,
    );
    expect(keys().sort()).toEqual(owners.map(({ key }) => key).sort());
    expect(keys().join()).not.toContain('canary');
    const { json } = await foreigner.api('GET', FILES);
    expect((await teacher.api('GET', `${FILES}/${json.items[0].id}/content`)).status).toBe(404);
  });

  it('show only the beginning of a long text without reading the rest', async () => {
    const { id } = await uploaded('long.md', 'a'.repeat(50_000));
    const text = () => teacher.api('GET', `${FILES}/${id}/text?max_chars=10`);
    expect((await text()).json).toMatchObject({ text: 'aaaaaaaaaa', total_chars: 50_000 });
    expect((await text()).json).toMatchObject({ text: 'aaaaaaaaaa', total_chars: 50_000 });
  });
});

it('the files of one person go together, and no others', async () => {
  const blobs = app.get(BlobStore);
  const organization = uuidv7();
  const gone = ['files', organization, uuidv7()] as const;
  const kept = ['files', organization, uuidv7()] as const;
  for (let count = 0; count < 5; count += 1) await blobs.put(gone, Buffer.from('mine'));
  const other = await blobs.put(kept, Buffer.from('theirs'));
  await blobs.removeSpace(gone);
  expect(keys().filter((key) => key.includes(organization))).toEqual([`school/one/${kept.join('/')}/${other}`]);
  await blobs.removeSpace(kept);
});

describe('a store that', () => {
  it('is under load is asked again', async () => {
    let faults = 1;
    store.fault = (operation) => (operation === 'put' && faults-- > 0 ? 'slow_down' : null);
    expect((await upload(teacher, 'load.md', 'x')).status).toBe(201);
  });

  it('breaks the connection in the middle of an upload is asked again', async () => {
    let faults = 1;
    store.fault = (operation) => (operation === 'put' && faults-- > 0 ? 'die' : null);
    expect((await upload(teacher, 'broken.md', 'x')).status).toBe(201);
  });

  it.each(['refuse', 'hang', 'die'] as const)(
    'answers an upload with "%s" leaves neither row nor object',
    async (kind) => {
      const before = keys();
      store.fault = (operation) => (operation === 'put' ? kind : null);
      const { status, json, text } = await upload(teacher, `${kind}.md`, 'x');
      expect([status, json.code]).toEqual([503, 'unavailable']);
      expect(text).not.toContain('canary');
      expect(keys()).toEqual(before);
      expect(await rows('SELECT id FROM files WHERE name = $1', [`${kind}.md`])).toEqual([]);
      expect(app.log()).toContain('a request to the bucket failed');
    },
  );

  it.each(['die', 'damage'] as const)('sends a file with "%s" once is asked again', async (kind) => {
    const { id } = await uploaded(`once-${kind}.md`, 'whole');
    let faults = 1;
    store.fault = (operation) => (operation === 'get' && faults-- > 0 ? kind : null);
    expect((await teacher.api('GET', `${FILES}/${id}/content`)).text).toBe('whole');
  });

  it('keeps sending damaged bytes is not believed', async () => {
    const { id } = await uploaded('damaged.md', 'whole');
    store.fault = (operation) => (operation === 'get' ? 'damage' : null);
    expect((await teacher.api('GET', `${FILES}/${id}/content`)).status).toBe(503);
  });

  it('does not answer is left when the client leaves', async () => {
    const { id } = await uploaded('left.md', 'whole');
    const before = store.abandoned;
    store.fault = (operation) => (operation === 'get' ? 'hang' : null);
    const leaving = new AbortController();
    const asked = fetch(`${app.url}${FILES}/${id}/content`, {
      headers: { authorization: `Bearer ${teacher.key}` },
      signal: leaving.signal,
    });
    await until(() => store.calls.at(-1)?.operation === 'get');
    leaving.abort();
    await expect(asked).rejects.toThrow('aborted');
    await until(() => store.abandoned === before + 1);
    expect(app.log()).not.toContain('"operation":"read","reason":"TimeoutError"');
  });

  it('lost an object answers that it is gone', async () => {
    const { id, key } = await uploaded('lost.md', 'gone');
    store.objects.delete(key);
    expect((await teacher.api('GET', `${FILES}/${id}/content`)).status).toBe(404);
  });
});

it('the sweep removes what a killed upload left a day ago, and nothing else', async () => {
  const old = new Date(Date.now() - 25 * 60 * 60_000);
  const [{ organization_id: organization, owner_id: owner }] = (await rows('SELECT * FROM files LIMIT 1')) as [any];
  const left = (key: string, modified = old): string => {
    store.objects.set(key, { bytes: Buffer.from('left'), metadata: {}, modified });
    return key;
  };
  for (const object of store.objects.values()) object.modified = old;
  const kept = keys();
  const orphans = [
    left(`school/one/files/${organization}/${owner}/s3-${uuidv7()}`),
    left(`school/one/knowledge-bases/${uuidv7()}/${uuidv7()}/s3-${uuidv7()}`),
  ];
  const others = [
    left(`school/one/files/${organization}/${owner}/s3-${uuidv7()}`, new Date()),
    left(`school/two/files/${organization}/${owner}/s3-${uuidv7()}`),
    left(`school/one/files/${organization}/${owner}/notes.md`),
  ];
  const listed = calls('list');
  await app.get(BlobSweep).sweep();
  expect(keys().filter((key) => orphans.includes(key))).toEqual([]);
  expect(keys().sort()).toEqual([...kept, ...others].sort());
  expect(calls('list')).toBeGreaterThan(listed + 2);
});

it('the page "Health" says in words what is wrong with the bucket', async () => {
  const found = async (fault: typeof store.fault): Promise<string> => {
    store.fault = fault;
    return (await app.get(BucketCheck).check()).map(({ code, text }) => `${code}: ${text}`).join();
  };
  expect(await found(() => null)).toMatch(
    /^bucket\.ok: The service can write, read, list and delete objects in the bucket uploads/,
  );
  expect(await found((operation) => (operation === 'delete' ? 'refuse' : null))).toMatch(
    /^bucket\.refused: [^]*\(AccessDenied 403\)/,
  );
  expect(await found(() => 'die')).toMatch(/^bucket\.unreachable: [^]*\(ECONNRESET\)/);
});

describe('a move', () => {
  /** Text by address; the document has two blobs: its replacement cannot be read. */
  const texts = new Map<string, string>();
  const signal = new AbortController().signal;
  const move = (to: StorageName): Promise<MoveReport> =>
    app.get(BlobMove).move(to, { signal, report: () => undefined });
  const waiting = async (to: StorageName) => (await app.get(BlobMove).waiting(to)).files;
  const readAll = async () => {
    for (const [address, text] of texts)
      expect([address, (await teacher.api('GET', address)).text]).toEqual([address, text]);
  };
  const names = async (): Promise<string[]> =>
    (
      await rows<{ name: string }>(
        `SELECT storage_name AS name FROM files UNION ALL SELECT storage_name FROM kb_documents
       UNION ALL SELECT answering->>'storageName' FROM kb_documents WHERE answering IS NOT NULL`,
      )
    ).map(({ name }) => name);

  beforeAll(async () => {
    await rows('DELETE FROM files');
    store.objects.clear();
    for (const name of ['a', 'b', 'c', 'd', 'e']) {
      const { id } = await uploaded(`${name}.md`, `text of ${name}`);
      texts.set(`${FILES}/${id}/content`, `text of ${name}`);
    }
    const kb = (await teacher.api('POST', BASES, { name: 'Moved', language: 'en' })).json.id;
    const address = `${BASES}/${kb}/documents`;
    const { json } = await teacher.api('POST', address, filesForm(['cells.md', 'Mitosis splits a cell.']));
    await teacher.api('POST', address, filesForm(['cells.md', '\u0000\u0001 broken']));
    texts.set(`${address}/${json.items[0].id}/content`, 'Mitosis splits a cell.');
  });

  it('run twice at once moves each file once and keeps every byte', async () => {
    expect(await waiting('disk')).toBe(7);
    const reports = await Promise.all([move('disk'), move('disk')]);
    expect(reports).toMatchObject([
      { complete: true, troubles: [] },
      { complete: true, troubles: [] },
    ]);
    expect(reports.reduce((sum, { counts }) => sum + counts.moved, 0)).toBe(7);
    expect([await waiting('disk'), keys()]).toEqual([0, []]);
    await readAll();
  });

  it('in both directions at once loses nothing', async () => {
    await Promise.all([move('s3'), move('disk'), readAll()]);
    await readAll();
    expect(await app.get(BlobInventory).take(signal, () => undefined)).toMatchObject({ complete: true, missing: 0 });
    await move('disk');
    expect(keys()).toEqual([]);
  });

  it('that is killed half-way goes on where it was, and files are read from both places until then', async () => {
    const env = {
      ...store.env,
      DATABASE_URL: testDatabaseUrl(),
      DATA_DIR: app.dataDir,
      SECRETS_KEY: `1:${'0123456789abcdef'.repeat(4)}`,
    };
    let puts = 0;
    store.fault = (operation) => (operation === 'put' && ++puts > 2 ? 'hang' : null);
    const command = startCommand(env, 'files:move', '--to', 's3');
    const moved = async () => (await names()).filter((name) => name.startsWith('s3-')).length;
    await until(async () => (await moved()) === 2 && puts > 2, 20_000);
    command.child.kill('SIGKILL');
    await command.ended;
    store.fault = () => null;
    await readAll();

    const rest = await runCommand(env, 'files:move', '--to', 's3', '--json');
    expect([rest.code, rest.json]).toEqual([
      0,
      expect.objectContaining({ ok: true, complete: true, moved: 5, left: { files: 0, bytes: 0 } }),
    ]);
    expect(await moved()).toBe(7);
    await readAll();
  });

  it('names files whose bytes are missing or damaged, and leaves them where they are', async () => {
    const [lost, damaged] = keys().filter((key) => key.includes('/files/'));
    store.objects.delete(lost ?? '');
    const object = store.objects.get(damaged ?? '');
    Object.assign(object ?? {}, { bytes: Buffer.from('text of x'), metadata: {} });
    expect(await app.get(BlobInventory).take(signal, () => undefined)).toMatchObject({
      missing: 1,
      paths: [lost?.replace('school/one/', '')],
    });
    const { complete, counts, left, troubles } = await move('disk');
    expect({ complete, counts, left: left.files }).toMatchObject({
      complete: true,
      counts: { moved: 5, missing: 1, damaged: 1 },
      left: 2,
    });
    expect(troubles.map(({ outcome }) => outcome).sort()).toEqual(['damaged', 'missing']);
  });

  it('ends when the store refuses everything', async () => {
    store.fault = (operation) => (operation === 'put' ? 'refuse' : null);
    const { counts, left } = await move('s3');
    expect([counts.moved, counts.failed, left.files]).toEqual([0, 5, 5]);
  });
});
