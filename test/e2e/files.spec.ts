import { execFileSync } from 'node:child_process';
import { linkSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FilesService } from '../../src/files';
import type { Caller, Principal } from '../../src/kernel';
import { filesForm, startApp, type TestApp } from '../support/app';
import { foreignOrganization, type Person, person } from '../support/people';

type Upload = readonly [name: string, content: string | Buffer, type?: string];

let app: TestApp;
let teacher: Person;
let colleague: Person;
let foreigner: Person;
let owner: Principal;
let files: FilesService;

beforeAll(async () => {
  app = await startApp();
  teacher = await person(app);
  colleague = await person(app);
  foreigner = await person(app, { organization: await foreignOrganization(app) });
  const me = await teacher.api('POST', '/api/v1/files', filesForm(['first.md', 'x']));
  expect(me.status).toBe(201);
  const [organizationId = ''] = readdirSync(join(app.dataDir, 'files'));
  owner = { organizationId, userId: teacher.userId };
  files = app.get(FilesService);
});
afterAll(() => app.stop());

const path = '/api/v1/files';
const upload = (who: Person, ...list: Upload[]) => who.api('POST', path, filesForm(...list));
const space = (): string => join(app.dataDir, 'files', owner.organizationId, owner.userId);

describe('uploading', () => {
  it('keeps name, bytes and their description', async () => {
    const { json } = await upload(teacher, ['guía..v2.txt', 'Sé amable.\n']);
    expect(json.items).toMatchObject([{ path: 'guía..v2.txt', size: 12, content_type: 'text/plain' }]);
    const { id } = json.items[0];
    expect((await teacher.api('GET', `${path}/${id}`)).json.path).toBe('guía..v2.txt');
    const download = await teacher.api('GET', `${path}/${id}/content`);
    expect(download.text).toBe('Sé amable.\n');
    expect(download.headers.get('content-disposition')).toMatch(/^attachment;/);
    expect(download.headers.get('x-content-type-options')).toBe('nosniff');
  });

  it('replaces a file of the same name, keeps its id and leaves no old bytes behind', async () => {
    const first = (await upload(teacher, ['same.md', 'old'])).json.items[0];
    const before = readdirSync(space()).length;
    const second = (await upload(teacher, ['same.md', 'new'])).json.items[0];
    expect(second.id).toBe(first.id);
    expect((await files.readText(owner, 'same.md', 100)).text).toBe('new');
    expect(readdirSync(space())).toHaveLength(before);
  });

  it('survives many first uploads of one name at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, n) => upload(teacher, ['race.md', `version ${n}`])),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set(answers.map(({ json }) => json.items[0].id)).size).toBe(1);
    expect((await files.readText(owner, 'race.md', 100)).text).toMatch(/^version \d$/);
  });

  it('stores all or nothing: one bad name refuses the request', async () => {
    const before = readdirSync(space()).length;
    const answer = await upload(teacher, ['good.md', 'x'], ['..', 'y'], ['good.md', 'z']);
    expect(answer.status).toBe(400);
    expect(answer.json.errors).toHaveLength(2);
    expect(await files.exists(owner, 'good.md')).toBe(false);
    expect(readdirSync(space())).toHaveLength(before);
  });

  it('lists by name, page by page', async () => {
    await upload(colleague, ['b.md', '2'], ['a.md', '1'], ['c.md', '3']);
    const first = await colleague.api('GET', `${path}?limit=2`);
    expect(first.json).toMatchObject({ total: 3, items: [{ path: 'a.md' }, { path: 'b.md' }] });
    const second = await colleague.api('GET', `${path}?limit=2&cursor=${first.json.next_cursor}`);
    expect(second.json).toMatchObject({ items: [{ path: 'c.md' }], next_cursor: null });
    expect((await colleague.api('GET', `${path}?cursor=nonsense`)).status).toBe(400);
  });
});

describe('files that a member of another organization causes', () => {
  it('are in the audit of the organization that gets them', async () => {
    const slug = await foreignOrganization(app);
    const foreign = (await app.api('GET', `/api/v1/organizations/${slug}`)).json;
    const stranger = await person(app, { organization: slug });
    const actor: Caller = {
      kind: 'api_key',
      credentialId: null,
      organizationId: foreign.id,
      organizationSlug: slug,
      userId: stranger.userId,
      role: 'teacher',
      systemAdmin: false,
      scopes: ['chat'],
      assistantIds: null,
    };
    const bytes = Buffer.from('made for the owner');
    const [file] = await files.store(owner, actor, [
      { name: 'made.txt', bytes, size: bytes.length, sha256: '0'.repeat(64) },
    ]);
    const entriesOf = async (organization: string): Promise<{ target: { id: string }; actor: object }[]> =>
      (await app.api('GET', `/api/v1/organizations/${organization}/audit?limit=100`)).json.items;
    const mine = (await entriesOf('default')).filter(({ target }) => target.id === file?.id);
    expect(mine).toMatchObject([{ action: 'file.create', actor: { user_id: stranger.userId } }]);
    expect((await entriesOf(slug)).filter(({ target }) => target.id === file?.id)).toEqual([]);
  });
});

describe('other people', () => {
  it('see neither the file nor whether it exists', async () => {
    const { id } = (await upload(teacher, ['mine.md', 'secret'])).json.items[0];
    for (const stranger of [colleague, foreigner]) {
      for (const [method, suffix] of [
        ['GET', ''],
        ['GET', '/content'],
        ['DELETE', ''],
      ] as const) {
        expect((await stranger.api(method, `${path}/${id}${suffix}`)).status).toBe(404);
      }
    }
    await expect(files.readText({ ...owner, userId: colleague.userId }, id, 10)).rejects.toMatchObject({
      code: 'not_found',
    });
    await expect(files.readText({ ...owner, userId: colleague.userId }, 'mine.md', 10)).rejects.toMatchObject({
      code: 'not_found',
    });
  });
});

describe('reading text', () => {
  it('cuts at max_chars without halving a character and says so', async () => {
    await upload(teacher, ['long.md', 'ab😀cd']);
    expect(await files.readText(owner, 'long.md', 3)).toEqual({
      path: 'long.md',
      text: 'ab',
      chars: 2,
      totalChars: 6,
      truncated: true,
    });
    expect(await files.readText(owner, 'long.md', 6)).toMatchObject({ text: 'ab😀cd', truncated: false });
  });

  it('finds a file by its id and by either spelling of its accents', async () => {
    const { id } = (await upload(teacher, ['cafe\u0301.md', 'espresso'])).json.items[0];
    for (const ref of [id, 'café.md', 'cafe\u0301.md'])
      expect((await files.readText(owner, ref, 100)).text).toBe('espresso');
  });

  it('refuses what is not text', async () => {
    await upload(
      teacher,
      ['picture.png', Buffer.from('89504e470d0a1a0a00', 'hex')],
      ['latin.txt', Buffer.from('é', 'latin1')],
    );
    for (const name of ['picture.png', 'latin.txt']) {
      await expect(files.readText(owner, name, 100)).rejects.toMatchObject({ code: 'unsupported_media_type' });
    }
  });

  it.each(['../first.md', '/etc/passwd', '..\\first.md', 'a/../first.md', 'first.md\0', './first.md'])(
    'refuses the path %j',
    async (ref) => {
      await expect(files.readText(owner, ref, 100)).rejects.toMatchObject({ code: 'bad_request' });
      expect(await files.exists(owner, ref)).toBe(false);
    },
  );

  it.each(['．．/first.md', '%2e%2e/first.md', '..%2ffirst.md', 'FIRST.MD', 'first.md '])(
    'does not find %j',
    async (ref) => expect(files.readText(owner, ref, 100)).rejects.toMatchObject({ code: 'not_found' }),
  );

  /** Puts something else where the bytes of a file were, as somebody with access to the disk might. */
  async function tampered(name: string, put: (path: string) => void): Promise<unknown> {
    const before = new Set(readdirSync(space()));
    await upload(teacher, [name, 'innocent']);
    const blob = readdirSync(space()).find((entry) => !before.has(entry)) ?? '';
    rmSync(join(space(), blob));
    put(join(space(), blob));
    return files.readText(owner, name, 100).then(
      ({ text }) => text,
      (error: { code?: string }) => error.code,
    );
  }

  it('follows no symlink, hard link or FIFO on the disk, and does not hang', async () => {
    const outside = join(app.dataDir, 'outside.txt');
    writeFileSync(outside, 'outside');
    expect(await tampered('symlink.md', (blob) => symlinkSync(outside, blob))).toBe('not_found');
    expect(await tampered('hardlink.md', (blob) => linkSync(outside, blob))).toBe('not_found');
    expect(await tampered('fifo.md', (blob) => execFileSync('mkfifo', [blob]))).toBe('not_found');
    expect(await tampered('folder.md', (blob) => execFileSync('mkdir', [blob]))).toBe('not_found');
    expect(await tampered('device.md', (blob) => symlinkSync('/dev/zero', blob))).toBe('not_found');
    expect(await tampered('gone.md', () => undefined)).toBe('not_found');
    expect((await app.api('GET', '/health/ready')).status).toBe(200);
  });
});
