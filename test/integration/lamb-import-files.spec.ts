import { AppError } from '@bellwether/kernel';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataSource } from 'typeorm';
import { BlobStore, FilesService } from '../../src/files';
import { NO_CHOICES } from '../../extensions/lamb-import';
import { lambImports } from '../support/lamb-imports';
import { assistant, place, user } from '../support/lamb-source';

const { app, rows, runOne } = lambImports();

describe('files of single-file assistants', () => {
  const reading = (id: number, path: string, changes = {}) =>
    assistant(id, { metadata: JSON.stringify({ rag_processor: 'single_file_rag', file_path: path }), ...changes });
  let folder: string;

  beforeEach(() => {
    folder = fs.mkdtempSync(join(tmpdir(), 'bw-lamb-'));
    fs.mkdirSync(join(folder, '1'));
    fs.writeFileSync(join(folder, '1', 'notes.md'), 'Notes of one');
  });
  afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

  const ownerOf = async (id: number | null | undefined) => {
    const [row] = await rows<{ organization_id: string; owner_id: string }>('SELECT * FROM assistants WHERE id = $1', [
      id,
    ]);
    return { organizationId: row?.organization_id ?? '', userId: row?.owner_id ?? '' };
  };

  const textOf = async (id: number | null | undefined, path: string): Promise<string> =>
    (
      await app()
        .get(FilesService)
        .readText(await ownerOf(id), path, 1000)
    ).text;
  const blobs = () =>
    fs.readdirSync(join(app().dataDir, 'files'), { recursive: true, withFileTypes: true }).filter((e) => e.isFile())
      .length;

  it('are copied into the space of whoever owns the assistant, and again when they changed there', async () => {
    const { organizations, sourceName } = place();
    const assistants = [
      reading(1, '1/notes.md'),
      reading(2, './1//notes.md'),
      reading(3, '1/notes.md', { ownerEmail: 'user2@biology.example', published: true }),
      reading(4, '1/bad\\name.md'),
    ];
    fs.writeFileSync(join(folder, '1', 'bad\\name.md'), 'Odd');
    const parts = { organizations, assistants };
    const listed = await runOne(parts, { sourceName });
    expect(listed.missingFiles).toEqual([
      { path: '1/notes.md', assistants: [1, 2, 3], reason: 'no folder of files was given' },
      { path: '1/bad\\name.md', assistants: [4], reason: 'no folder of files was given' },
    ]);
    const before = fs.existsSync(join(app().dataDir, 'files')) ? blobs() : 0;
    const dry = await runOne(parts, { sourceName, files: folder, dryRun: true });
    expect(dry).toMatchObject({ missingFiles: [], counts: { file: { created: 3 } } });
    const first = await runOne(parts, { sourceName, files: folder });
    expect(first.counts.file.created).toBe(3);
    expect(first.counts.assistant).toMatchObject({ unchanged: 4 });
    expect(blobs()).toBe(before + 3);
    const [one, two, three, four] = first.assistants.map(({ id }) => id);
    for (const id of [one, two, three]) expect(await textOf(id, '1/notes.md')).toBe('Notes of one');
    expect(await textOf(four, '1/bad_name.md')).toBe('Odd');
    const [odd] = await rows<{ metadata: string }>('SELECT metadata FROM assistants WHERE id = $1', [four]);
    expect(JSON.parse(odd?.metadata ?? '')).toMatchObject({ file_path: '1/bad_name.md' });
    fs.writeFileSync(join(folder, '1', 'notes.md'), 'Newer');
    await app()
      .get(FilesService)
      .store(
        await ownerOf(three),
        {
          ...(await ownerOf(three)),
          kind: 'system',
          credentialId: null,
          organizationSlug: '',
          role: 'teacher',
          systemAdmin: false,
          scopes: [],
          assistantIds: null,
        },
        [{ name: '1/notes.md', size: 4, bytes: Buffer.from('Mine'), sha256: 'f'.repeat(64) }],
      );
    const second = await runOne(parts, { sourceName, files: folder });
    expect(second.counts.file).toMatchObject({ unchanged: 1, updated: 1, conflict: 1 });
    expect(await textOf(one, '1/notes.md')).toBe('Newer');
    expect(await textOf(three, '1/notes.md')).toBe('Mine');
    expect(blobs()).toBe(before + 3);
    expect((await runOne(parts, { sourceName })).counts.file).toMatchObject({ unchanged: 3 });
  });

  it('keep their bytes when the answer to the commit of the import is lost', async () => {
    const { organizations, sourceName } = place();
    const parts = { organizations, assistants: [reading(1, '1/notes.md')] };
    const known = 'SELECT organization_id, owner_id, storage_name FROM files';
    const before = (await rows(known)).length;
    const dataSource = app().get(DataSource);
    const transaction = dataSource.transaction.bind(dataSource) as (...given: unknown[]) => Promise<unknown>;
    const lossy = jest.spyOn(dataSource, 'transaction').mockImplementation(async (...given: unknown[]) => {
      const value = await transaction(...given);
      if ((await rows(known)).length === before) return value;
      lossy.mockRestore();
      throw new Error('Connection terminated unexpectedly');
    });
    await runOne(parts, { sourceName, files: folder }).catch(() => undefined);
    const stored = await rows<{ organization_id: string; owner_id: string; storage_name: string }>(known);
    expect(stored).toHaveLength(before + 1);
    for (const { organization_id, owner_id, storage_name } of stored) {
      expect(fs.existsSync(join(app().dataDir, 'files', organization_id, owner_id, storage_name))).toBe(true);
    }
  });

  it('are listed when they are missing, lead out of the folder, or are not what they seem', async () => {
    const { organizations, sourceName } = place();
    const outside = fs.mkdtempSync(join(tmpdir(), 'bw-outside-'));
    fs.writeFileSync(join(outside, 'secret.md'), 'CANARY');
    fs.mkdirSync(join(folder, '40'));
    fs.writeFileSync(join(folder, '40', 'theirs.md'), 'Theirs');
    fs.symlinkSync(outside, join(folder, '2'));
    fs.symlinkSync(join(outside, 'secret.md'), join(folder, '1', 'link.md'));
    fs.linkSync(join(outside, 'secret.md'), join(folder, '1', 'hard.md'));
    fs.mkdirSync(join(folder, '1', 'folder.md'));
    const paths = [
      '1/gone.md',
      '../x.md',
      '/etc/passwd',
      '2/secret.md',
      '1/link.md',
      '1/hard.md',
      '1/folder.md',
      '40/theirs.md',
    ];
    const result = await runOne(
      {
        organizations,
        users: [user(1), user(2), user(40, { organizationId: 3 })],
        assistants: paths.map((path, index) => reading(index + 1, path, { published: true })),
      },
      { sourceName, files: folder },
    );
    fs.rmSync(outside, { recursive: true });
    expect(result.missingFiles.map(({ path, reason }) => [path, reason])).toEqual([
      ['../x.md', 'its path leaves the file space'],
      ['/etc/passwd', 'its path is absolute'],
      ['40/theirs.md', 'its folder belongs to no member of this organization'],
      ['1/gone.md', 'is not there'],
      ['2/secret.md', 'is reached by a symbolic link'],
      ['1/link.md', 'is reached by a symbolic link'],
      ['1/hard.md', 'is a hard link'],
      ['1/folder.md', 'is not a plain file'],
    ]);
    expect(result.counts.assistant.created).toBe(8);
    expect(result.counts.file.created).toBe(0);
  });

  it('come out of a colleague’s folder only where colleagues could see the assistant, and out of no foreign one', async () => {
    const { organizations, sourceName } = place();
    for (const name of ['2', '40', '41', 'docs']) fs.mkdirSync(join(folder, name));
    for (const name of ['2', '40', '41', 'docs']) fs.writeFileSync(join(folder, name, 'a.md'), `Of ${name}`);
    const users = [user(1), user(2), user(40, { organizationId: null }), user(41, { organizationId: 3 })];
    const roles = [
      { organizationId: 2, userId: 1, role: 'owner' as const },
      { organizationId: 3, userId: 40, role: 'member' as const },
    ];
    const assistants = [
      reading(1, '2/a.md'),
      reading(2, '2/a.md', { published: true }),
      ...['40/a.md', '41/a.md', '77/a.md', 'docs/a.md'].map((path, n) => reading(n + 3, path, { published: true })),
      reading(7, '2/a.md'),
      reading(8, '2/b.md'),
    ];
    const shares = [{ assistantId: 7, userId: 2 }];
    const result = await runOne({ organizations, users, roles, assistants, shares }, { sourceName, files: folder });
    expect(result.missingFiles.map(({ assistants: [id], path }) => [id, path])).toEqual([
      [3, '40/a.md'],
      [4, '41/a.md'],
      [5, '77/a.md'],
      [6, 'docs/a.md'],
      [8, '2/b.md'],
    ]);
    // The first assistant was not visible to colleagues. Another one of its owner brought the copy that it reads.
    expect(await textOf(result.assistants[0]?.id, '2/a.md')).toBe('Of 2');
    expect(result.notes.map(({ origin, code }) => [origin, code])).toEqual([
      ['2', 'file.of_colleague'],
      ['7', 'file.of_colleague'],
      ['1', 'file.of_colleague'],
    ]);
    expect(result.counts.file.created).toBe(1);
  });

  it('of disabled people come along to whoever gets their assistants', async () => {
    const { organizations, sourceName } = place();
    fs.mkdirSync(join(folder, '2'));
    fs.writeFileSync(join(folder, '2', 'a.md'), 'Of 2');
    const users = [user(1), user(2, { enabled: false })];
    const assistants = [reading(1, '2/a.md', { ownerEmail: 'user2@biology.example' })];
    const choices = { ...NO_CHOICES, disabledOwnersTo: 'user1@biology.example' };
    const result = await runOne({ organizations, users, assistants }, { sourceName, files: folder, choices });
    expect([result.missingFiles, result.notes.map(({ code }) => code)]).toEqual([[], ['owner.disabled_replaced']]);
    expect(await textOf(result.assistants[0]?.id, '2/a.md')).toBe('Of 2');
  });

  it('that would have one name here: the one that has it there comes, the other keeps its path', async () => {
    const { organizations, sourceName } = place();
    fs.writeFileSync(join(folder, '1', 'a\\b.md'), 'Odd');
    fs.writeFileSync(join(folder, '1', 'a_b.md'), 'Plain');
    const assistants = [reading(1, '1/a\\b.md'), reading(2, '1/a_b.md')];
    const result = await runOne({ organizations, assistants }, { sourceName, files: folder });
    expect(result.missingFiles).toEqual([
      { path: '1/a\\b.md', assistants: [1], reason: 'another file is called 1/a_b.md here' },
    ]);
    const [odd, even] = result.assistants.map(({ id }) => id);
    const stored = await rows<{ metadata: string }>('SELECT metadata FROM assistants WHERE id = $1', [odd]);
    expect(stored[0]?.metadata).toBe(assistants[0]?.metadata);
    expect(await textOf(even, '1/a_b.md')).toBe('Plain');
  });

  it('leave no bytes behind when their organization does not come', async () => {
    const { organizations, sourceName, slug } = place();
    fs.writeFileSync(join(folder, '1', 'more.md'), 'More');
    const before = fs.existsSync(join(app().dataDir, 'files')) ? blobs() : 0;
    const parts = { organizations, assistants: [reading(1, '1/notes.md'), reading(2, '1/more.md')] };
    const store = app().get(BlobStore);
    const put = store.put.bind(store);
    const full = new AppError('insufficient_storage', 'No space left for uploaded files');
    const spy = jest.spyOn(store, 'put').mockImplementationOnce(put).mockRejectedValueOnce(full);
    const failed = await runOne(parts, { sourceName, files: folder });
    spy.mockRestore();
    expect(failed).toMatchObject({ outcome: 'failed', leftOut: [{ code: 'insufficient_storage' }] });
    expect(await rows('SELECT 1 FROM organizations WHERE slug = $1', [slug])).toEqual([]);
    await runOne({ organizations }, { sourceName: `${sourceName}-other` });
    expect((await runOne(parts, { sourceName, files: folder })).outcome).toBe('conflict');
    expect(blobs()).toBe(before);
  });

  it('show how far a large organization has come', async () => {
    const { organizations, sourceName, slug } = place();
    fs.writeFileSync(join(folder, '1', 'more.md'), 'More');
    const told: string[] = [];
    const progress = { report: ({ done, text }: { done: number; text: string }) => void told.push(`${done} ${text}`) };
    const assistants = [reading(1, '1/notes.md'), reading(2, '1/more.md')];
    await runOne({ organizations, assistants }, { sourceName, files: folder, progress });
    const steps = [
      `0 ${slug}: file 1 of 2`,
      `0 ${slug}: file 2 of 2`,
      `0 ${slug}: 2 assistants`,
      `2 checked in ${slug}`,
    ];
    expect(told.filter((each) => steps.includes(each))).toEqual(steps);
  });

  it('need a folder that is there', async () => {
    await expect(runOne({}, { files: join(folder, 'no') })).rejects.toMatchObject({ code: 'bad_request' });
  });
});
