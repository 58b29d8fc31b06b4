import { uuidv7 } from '@bellwether/kernel';
import { randomUUID } from 'node:crypto';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { DataSource } from 'typeorm';
import { BlobSweep } from '../../src/files';
import { filesForm, startApp, type TestApp } from '../support/app';
import { type Person, person } from '../support/people';

const HOUR_MS = 60 * 60_000;
let app: TestApp;
let teacher: Person;
let outside: string;

beforeAll(async () => {
  app = await startApp();
  teacher = await person(app);
  outside = fs.mkdtempSync(join(tmpdir(), 'bw-outside-'));
});
afterAll(async () => {
  await app.stop();
  fs.rmSync(outside, { recursive: true, force: true });
});

const sweep = (): Promise<void> => app.get(BlobSweep).sweep();
const rows = <T extends object>(statement: string, parameters: unknown[] = []): Promise<T[]> =>
  app.get(DataSource).query<T[]>(statement, parameters);
const pathOf = (...parts: string[]): string => join(app.dataDir, ...parts);

function age(path: string, hours: number): string {
  const then = new Date(Date.now() - hours * HOUR_MS);
  fs.lutimesSync(path, then, then);
  return path;
}

function left(hours: number, ...parts: string[]): string {
  const path = pathOf(...parts);
  fs.mkdirSync(dirname(path), { recursive: true });
  fs.writeFileSync(path, 'left over');
  return age(path, hours);
}

/** In the folder of an organization that does not exist: what a killed first import leaves. */
const orphan = (): string => left(25, 'files', uuidv7(), uuidv7(), uuidv7());
const present = (paths: readonly string[]): string[] => paths.filter((path) => fs.existsSync(path));

it('keeps everything while the database names none of the files, and says so once', async () => {
  const path = orphan();
  await sweep();
  await sweep();
  expect(fs.existsSync(path)).toBe(true);
  expect(app.log().split('the database names none of the files')).toHaveLength(2);
  fs.rmSync(path);
});

describe('beside stored files and documents', () => {
  let stored: string[];

  beforeAll(async () => {
    const file = (await teacher.api('POST', '/api/v1/files', filesForm(['kept.md', 'A file']))).json.items[0];
    const kb = (await teacher.api('POST', '/api/v1/knowledge-bases', { name: 'Biology', language: 'en' })).json.id;
    const upload = async (content: string) =>
      (await teacher.api('POST', `/api/v1/knowledge-bases/${kb}/documents`, filesForm(['a.md', content]))).json
        .items[0];
    await upload('Mitosis splits a cell.');
    const document = await upload('\u0000\u0001 broken');
    const [row] = await rows<any>('SELECT * FROM files WHERE id = $1', [file.id]);
    const [twofold] = await rows<any>('SELECT * FROM kb_documents WHERE id = $1', [document.id]);
    const space = ['knowledge-bases', twofold.organization_id, kb] as const;
    const names = [twofold.storage_name, twofold.answering.storageName];
    stored = [
      pathOf('files', row.organization_id, row.owner_id, row.storage_name),
      ...names.map((name) => pathOf(...space, name)),
    ];
    for (const path of stored) age(path, 1_000);
  });

  it('removes what a killed upload, ingestion or first import left a day ago, and nothing else', async () => {
    const [file = '', document = ''] = stored;
    const orphans = [
      orphan(),
      left(25, 'knowledge-bases', uuidv7(), uuidv7(), uuidv7()),
      left(25, relative(app.dataDir, dirname(file)), uuidv7()),
      left(25, relative(app.dataDir, dirname(document)), uuidv7()),
      left(25, relative(app.dataDir, dirname(file)), `.${randomUUID()}.part`),
    ];
    const young = left(23, 'files', uuidv7(), uuidv7(), uuidv7());
    const foreign = [
      left(99, 'files', uuidv7(), uuidv7(), 'notes.md'),
      left(99, 'files', uuidv7(), uuidv7(), randomUUID()),
      left(99, 'files', uuidv7(), uuidv7(), '.mine.part'),
      left(99, 'files', uuidv7(), uuidv7()),
      left(99, 'files', 'elsewhere', uuidv7(), uuidv7()),
      left(99, 'other', uuidv7(), uuidv7(), uuidv7()),
    ];
    await Promise.all([sweep(), sweep()]);
    expect(present(orphans)).toEqual([]);
    expect(present([young, ...foreign, ...stored])).toEqual([young, ...foreign, ...stored]);
    expect(app.log()).toContain('stored files that no row names were removed');
  });

  it('follows no symlink', async () => {
    const target = join(outside, uuidv7());
    fs.writeFileSync(target, 'Mine');
    age(target, 99);
    const organization = pathOf('files', uuidv7());
    fs.mkdirSync(join(organization, uuidv7()), { recursive: true });
    const file = join(organization, fs.readdirSync(organization)[0] ?? '', uuidv7());
    fs.symlinkSync(outside, join(organization, uuidv7()));
    fs.symlinkSync(target, file);
    age(file, 99);
    await sweep();
    expect(fs.existsSync(target)).toBe(true);
    expect(fs.lstatSync(file).isSymbolicLink()).toBe(true);
  });

  it('waits while an import is under way, and not for one that was killed', async () => {
    const path = orphan();
    const lease = (until: string) =>
      rows(
        `INSERT INTO import_leases VALUES ('lamb', gen_random_uuid(), '{}', now() + $1::interval)
         ON CONFLICT (name) DO UPDATE SET until = excluded.until`,
        [until],
      );
    await lease('1 minute');
    await sweep();
    expect(fs.existsSync(path)).toBe(true);
    await lease('-1 minute');
    await sweep();
    expect(fs.existsSync(path)).toBe(false);
  });
});
