import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataSource } from 'typeorm';
import { BlobStore } from '../../src/files';
import { filesForm, startApp, type TestApp } from '../support/app';
import { type Person, person } from '../support/people';
import { until } from '../support/until';

const PATH = '/api/v1/knowledge-bases';
const FIRST = 'Mitosis splits a cell.';
const SECOND = 'Meiosis halves the chromosomes.';
const BROKEN = '\u0000\u0001 broken';
let app: TestApp;
let dataDir: string;
let teacher: Person;
let kb: string;
let id: string;

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'bw-replacement-'));
  app = await startApp({ dataDir });
  teacher = await person(app);
});
afterAll(async () => {
  await app.stop();
  rmSync(dataDir, { recursive: true, force: true });
});
beforeEach(async () => {
  kb = (await teacher.api('POST', PATH, { name: 'Biology', language: 'en', chunk_size: 400 })).json.id;
  ({ id } = await upload(FIRST));
});

const upload = async (content: string): Promise<any> =>
  (await teacher.api('POST', `${PATH}/${kb}/documents`, filesForm(['a.md', content]))).json.items[0];
const document = async (): Promise<any> => (await teacher.api('GET', `${PATH}/${kb}/documents/${id}`)).json;
const original = async (): Promise<string> => (await teacher.api('GET', `${PATH}/${kb}/documents/${id}/content`)).text;
const query = async (text: string): Promise<any[]> =>
  (await teacher.api('POST', `${PATH}/${kb}/query`, { query: text })).json.results;
const found = async (): Promise<number[]> => [(await query('mitosis')).length, (await query('meiosis')).length];
const rows = <T extends object>(statement: string): Promise<T[]> => app.get(DataSource).query<T[]>(statement, [id]);
async function blobs(): Promise<string[]> {
  const [row] = await rows<{ organization_id: string }>('SELECT organization_id FROM kb_documents WHERE id = $1');
  return readdirSync(join(dataDir, 'knowledge-bases', row?.organization_id ?? '', kb));
}
describe('a replacement that cannot be read', () => {
  it('says why, while passages and their file stay those of before, until a good one takes both over', async () => {
    expect(await upload(BROKEN)).toMatchObject({
      id,
      status: 'failed',
      error_code: expect.stringMatching(/^document/),
    });
    expect([await found(), await original()]).toEqual([[1, 0], FIRST]);
    expect(await blobs()).toHaveLength(2);
    expect(await upload(SECOND)).toMatchObject({ id, status: 'completed', error: null });
    expect([await found(), await original()]).toEqual([[0, 1], SECOND]);
    await until(async () => (await blobs()).length === 1);
    const [row] = await rows<object>('SELECT storage_name, answering, unused_files FROM kb_documents WHERE id = $1');
    expect(row).toEqual({ storage_name: (await blobs())[0], answering: null, unused_files: [] });
  });

  it('leaves the one before to be taken in again when the settings change, and stays failed', async () => {
    const { error_code, sha256 } = await upload(BROKEN);
    const chunks = () =>
      rows<{ generation: string }>('SELECT DISTINCT generation FROM kb_chunks WHERE document_id = $1');
    const [old] = await chunks();
    expect((await teacher.api('PATCH', `${PATH}/${kb}`, { chunk_size: 900 })).status).toBeLessThan(300);
    await until(
      async () => (await document()).status === 'failed' && (await chunks())[0]?.generation !== old?.generation,
    );
    expect(await document()).toMatchObject({ status: 'failed', error_code, sha256 });
    expect([await found(), await original()]).toEqual([[1, 0], FIRST]);
    expect(await blobs()).toHaveLength(2);
  });

  it('goes with its document', async () => {
    await upload(BROKEN);
    const left = await blobs();
    expect(left).toHaveLength(2);
    const [row] = await rows<{ organization_id: string }>('SELECT organization_id FROM kb_documents WHERE id = $1');
    await teacher.api('DELETE', `${PATH}/${kb}/documents/${id}`);
    expect(readdirSync(join(dataDir, 'knowledge-bases', row?.organization_id ?? '', kb))).toEqual([]);
  });
});

it('leaves no file behind when its process dies between the switch and the removal', async () => {
  const [row] = await rows<{ organization_id: string }>('SELECT organization_id FROM kb_documents WHERE id = $1');
  const space = ['knowledge-bases', row?.organization_id ?? '', kb] as const;
  const left = await app.get(BlobStore).put(space, Buffer.from('old'));
  await app.get(DataSource).query('UPDATE kb_documents SET unused_files = $2 WHERE id = $1', [id, [left]]);
  expect(readdirSync(join(dataDir, ...space))).toHaveLength(2);
  await app.stop();
  app = await startApp({ reset: false, dataDir, env: { BOOTSTRAP_ADMIN_KEY: app.adminKey } });
  expect(await blobs()).not.toContain(left);
  expect(await rows('SELECT unused_files FROM kb_documents WHERE id = $1')).toEqual([{ unused_files: [] }]);
});
