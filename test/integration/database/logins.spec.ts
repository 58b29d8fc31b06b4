import { Logger } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { migrations } from '../../../migrations';
import {
  type DatabaseConfig,
  openDatabase,
  type OpenDatabase,
  withinOrganization,
} from '../../../src/infrastructure/postgres';
import { createScratchDatabase, type ScratchDatabase } from '../../support/scratch-database';

/** The embedded engine has one login, a superuser. */
const describeServer = process.env.TEST_DATABASE_URL ? describe : describe.skip;

const ORGANIZATION = '01900000-0000-7000-8000-0000000000aa';

describeServer('logins of a server', () => {
  const suffix = randomBytes(4).toString('hex');
  const [plain, service] = [`bw_plain_${suffix}`, `bw_service_${suffix}`] as const;
  let scratch: ScratchDatabase;
  let administrator: Client;
  const opened: OpenDatabase[] = [];

  const urlOf = (login: string): string => {
    const url = new URL(scratch.url);
    url.username = login;
    return url.href;
  };
  const open = async (config: Pick<DatabaseConfig, 'url' | 'ownerUrl'>): Promise<OpenDatabase> => {
    const database = await openDatabase(
      { ...config, dataDir: '', poolSize: 2 },
      { migrations, schema: 'migrate', bound: true },
    );
    opened.push(database);
    return database;
  };

  beforeAll(async () => {
    Logger.overrideLogger(false);
    scratch = await createScratchDatabase();
    administrator = new Client({ connectionString: process.env.TEST_DATABASE_URL ?? '' });
    await administrator.connect();
    await administrator.query(`CREATE ROLE ${plain} LOGIN; CREATE ROLE ${service} LOGIN NOINHERIT`);
    await administrator.query(`ALTER DATABASE ${new URL(scratch.url).pathname.slice(1)} OWNER TO ${plain}`);
  });
  afterAll(async () => {
    for (const database of opened) await database.close();
    await scratch.drop();
    await administrator.query(`DROP ROLE ${plain}, ${service}`);
    await administrator.end();
  });

  it('without the right to create roles start, and say what an operator has to run', async () => {
    const { rowSecurity, dataSource } = await open({ url: urlOf(plain), ownerUrl: null });
    expect(rowSecurity).toMatchObject({
      enforced: false,
      commands: [`GRANT bellwether_app, bellwether_service TO ${plain}`],
    });
    expect(await dataSource.query('SELECT id FROM organizations')).toEqual([]);
  });

  it('have row-level security from the start after that', async () => {
    await administrator.query(`GRANT bellwether_app, bellwether_service TO ${plain}`);
    const { rowSecurity } = await open({ url: urlOf(plain), ownerUrl: null });
    expect(rowSecurity).toMatchObject({ enforced: true, weaknesses: expect.arrayContaining(['owns tables']) });
  });

  it('of their own for the service can neither see rows nor change the schema outside their roles', async () => {
    await administrator.query(`GRANT bellwether_app, bellwether_service TO ${service}`);
    const { rowSecurity, dataSource, asOwner } = await open({ url: urlOf(service), ownerUrl: urlOf(plain) });
    expect(rowSecurity).toEqual({ enforced: true, weaknesses: [] });
    await asOwner((owner) =>
      owner.query(`INSERT INTO organizations (id, slug, name, settings) VALUES ($1, 'own', 'Own', '{}')`, [
        ORGANIZATION,
      ]),
    );
    const slugs = (): Promise<unknown> => dataSource.query('SELECT slug FROM organizations');
    expect(await withinOrganization(ORGANIZATION, slugs)).toEqual([{ slug: 'own' }]);
    const alone = new Client({ connectionString: urlOf(service) });
    await alone.connect();
    try {
      await expect(alone.query('SELECT slug FROM organizations')).rejects.toThrow('permission denied');
      await expect(alone.query('ALTER TABLE organizations DISABLE ROW LEVEL SECURITY')).rejects.toThrow(
        'must be owner',
      );
    } finally {
      await alone.end();
    }
  });
});
