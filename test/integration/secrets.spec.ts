import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OrganizationsService, SettingsService } from '../../src/organizations';
import { SecretsService } from '../../src/infrastructure/secrets';
import { emptyDatabase, openRooms, type Rooms } from './auth.rooms';

const FIELD = 'providers.openai.api_key';
const keyOf = (kid: string): string => `${kid}:${randomBytes(32).toString('hex')}`;
const unavailable = expect.objectContaining({ code: 'secret_unavailable' });

let open: Rooms[] = [];
const rooms = async (env: Record<string, string>, dataDir?: string): Promise<Rooms> => {
  const opened = await openRooms(env, dataDir);
  open.push(opened);
  return opened;
};

beforeEach(() => emptyDatabase());
afterEach(async () => {
  for (const each of open) await each.close();
  open = [];
});

describe('secrets at rest', () => {
  it('open for the organization and field they were sealed for, and for no other', async () => {
    const { get, organization } = await rooms({ SECRETS_KEY: keyOf('k1') });
    const [one, two] = [await organization(), await organization()];
    const secrets = get(SecretsService);
    const sealed = await secrets.seal(one.id, FIELD, 'sk-canary-ü');
    await secrets.seal(two.id, FIELD, 'other');
    await expect(secrets.open(one.id, FIELD, sealed)).resolves.toBe('sk-canary-ü');
    await expect(secrets.open(two.id, FIELD, sealed)).rejects.toEqual(unavailable);
    await expect(secrets.open(one.id, 'providers.ollama.api_key', sealed)).rejects.toEqual(unavailable);
    await expect(secrets.open(one.id, FIELD, 'sk-plain')).rejects.toEqual(unavailable);
  });

  it('agree on one data key when an organization seals its first secrets at the same moment', async () => {
    const { get, organization, dataSource } = await rooms({ SECRETS_KEY: keyOf('k1') });
    const { id } = await organization();
    const secrets = get(SecretsService);
    const sealed = await Promise.all(Array.from({ length: 5 }, (_, n) => secrets.seal(id, `f${n}`, `v${n}`)));
    const opened = await Promise.all(sealed.map((text, n) => secrets.open(id, `f${n}`, text)));
    expect(opened).toEqual(['v0', 'v1', 'v2', 'v3', 'v4']);
    await expect(dataSource.query('SELECT count(*)::int AS n FROM data_keys')).resolves.toEqual([{ n: 1 }]);
  });

  it('refuse a wrong operator key under the right name, and a service without the key still serves the rest', async () => {
    const first = await rooms({ SECRETS_KEY: keyOf('k1') });
    const { id } = await first.organization();
    const body = {
      providers: { openai: { api_key: 'sk-canary' } },
      knowledge_base: { server_url: 'http://127.0.0.1:1' },
    };
    await first.get(SettingsService).patch(null, id, body, null);

    for (const keys of [keyOf('k1'), keyOf('k2')]) {
      const { get } = await rooms({ SECRETS_KEY: keys });
      const runtime = await get(OrganizationsService).runtime(id);
      expect(runtime.knowledgeBase?.serverUrl).toBe('http://127.0.0.1:1');
      expect(() => runtime.providers.get('openai')?.apiKey).toThrow(unavailable);
    }
    const { get } = await rooms({ SECRETS_KEY: keyOf('k2') });
    await expect(get(SecretsService).status()).resolves.toEqual({ available: false, missing: ['k1'] });
  });
});

describe('rotation', () => {
  it('wraps every data key anew, leaves values alone, and is nothing the second time', async () => {
    const [old, fresh] = [keyOf('k1'), keyOf('k2')];
    const before = await rooms({ SECRETS_KEY: old });
    const organizations = [await before.organization(), await before.organization(), await before.organization()];
    const sealed = await Promise.all(
      organizations.map(({ id }) => before.get(SecretsService).seal(id, FIELD, `sk-${id}`)),
    );

    const during = await rooms({ SECRETS_KEY: `${fresh},${old}` });
    const stopped = AbortSignal.abort();
    await expect(during.get(SecretsService).rotate(stopped)).resolves.toEqual({ rotated: 0, unavailable: 0 });
    await expect(during.get(SecretsService).rotate()).resolves.toEqual({ rotated: 3, unavailable: 0 });
    await expect(during.get(SecretsService).rotate()).resolves.toEqual({ rotated: 0, unavailable: 0 });

    const after = await rooms({ SECRETS_KEY: fresh });
    for (const [n, { id }] of organizations.entries()) {
      await expect(after.get(SecretsService).open(id, FIELD, sealed[n] ?? '')).resolves.toBe(`sk-${id}`);
    }
    await expect(after.get(SecretsService).status()).resolves.toEqual({ available: true, missing: [] });
  });

  it('counts the keys that it cannot unwrap and goes on with the others', async () => {
    const [lost, old, fresh] = [keyOf('lost'), keyOf('old'), keyOf('new')];
    for (const key of [lost, old]) {
      const each = await rooms({ SECRETS_KEY: key });
      await each.get(SecretsService).seal((await each.organization()).id, FIELD, 'x');
    }
    const { get } = await rooms({ SECRETS_KEY: `${fresh},${old}` });
    await expect(get(SecretsService).rotate()).resolves.toEqual({ rotated: 1, unavailable: 1 });
  });
});

describe('the key of an embedded start', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'bw-key-'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('is made once, for the owner of the process only, and opened again by the next start', async () => {
    const first = await rooms({ SECRETS_KEY: '' }, folder);
    const { id } = await first.organization();
    const sealed = await first.get(SecretsService).seal(id, FIELD, 'sk-canary');
    const file = join(folder, 'secrets-key');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const text = readFileSync(file, 'utf8');

    const second = await rooms({ SECRETS_KEY: '' }, folder);
    await expect(second.get(SecretsService).open(id, FIELD, sealed)).resolves.toBe('sk-canary');
    expect(readFileSync(file, 'utf8')).toBe(text);
  });

  it('stays readable after the operator has named keys, so that rotation can take over', async () => {
    const first = await rooms({ SECRETS_KEY: '' }, folder);
    const { id } = await first.organization();
    const sealed = await first.get(SecretsService).seal(id, FIELD, 'sk-canary');
    const second = await rooms({ SECRETS_KEY: keyOf('k1') }, folder);
    await expect(second.get(SecretsService).open(id, FIELD, sealed)).resolves.toBe('sk-canary');
    await expect(second.get(SecretsService).rotate()).resolves.toEqual({ rotated: 1, unavailable: 0 });
  });

  it('is neither guessed nor replaced when its file is damaged', async () => {
    writeFileSync(join(folder, 'secrets-key'), 'damaged');
    const { get, organization } = await rooms({ SECRETS_KEY: '' }, folder);
    const { id } = await organization();
    await expect(get(SecretsService).seal(id, FIELD, 'x')).rejects.toEqual(unavailable);
    expect(readFileSync(join(folder, 'secrets-key'), 'utf8')).toBe('damaged');
  });

  it('is not made when the operator names keys', async () => {
    await rooms({ SECRETS_KEY: keyOf('k1') }, folder);
    expect(existsSync(join(folder, 'secrets-key'))).toBe(false);
  });
});
