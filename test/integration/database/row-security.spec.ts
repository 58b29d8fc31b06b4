import { Client } from 'pg';
import type { DataSource } from 'typeorm';
import { SERVICE_ROLE, TENANT_ROLE, unplacedTables } from '../../../src/infrastructure/postgres';
import { openTestDatabase, resetDatabase, testDatabaseUrl } from '../../support/database';

const ORGANIZATIONS = ['01900000-0000-7000-8000-000000000001', '01900000-0000-7000-8000-000000000002'] as const;

describe('row-level security', () => {
  let dataSource: DataSource;

  beforeAll(async () => {
    dataSource = await openTestDatabase();
  });
  afterAll(() => dataSource.destroy());

  describe('in the catalogue', () => {
    it('covers every table with an organization', async () => {
      const open = await dataSource.query<object[]>(`
        SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'organization_id'
        WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')
          AND NOT (c.relrowsecurity AND EXISTS (
            SELECT FROM pg_policy p WHERE p.polrelid = c.oid AND p.polroles = ARRAY['${TENANT_ROLE}'::regrole::oid]))`);
      expect(open).toEqual([]);
    });

    /** A table listed here needs `organization_id`, or a line in src/infrastructure/postgres/connection/enforce.ts. */
    it('knows to whom the rows of every other table belong', async () => {
      expect(await unplacedTables(dataSource)).toEqual([]);
    });

    it('gives the roles no way around the policies', async () => {
      const roles = await dataSource.query<object[]>(
        `SELECT rolname, rolsuper, rolbypassrls, rolcreaterole, rolcreatedb, rolcanlogin,
           EXISTS (SELECT FROM pg_class WHERE relowner = r.oid) AS owns,
           EXISTS (SELECT FROM pg_auth_members m WHERE m.member = r.oid) AS inherits
         FROM pg_roles r WHERE rolname = ANY ($1) ORDER BY rolname`,
        [[TENANT_ROLE, SERVICE_ROLE]],
      );
      const harmless = {
        rolsuper: false,
        rolbypassrls: false,
        rolcreaterole: false,
        rolcreatedb: false,
        rolcanlogin: false,
        owns: false,
        inherits: false,
      };
      expect(roles).toEqual([
        { rolname: TENANT_ROLE, ...harmless },
        { rolname: SERVICE_ROLE, ...harmless },
      ]);
    });
  });

  describe('for the tenant role', () => {
    let client: Client;

    const as = async (organization: string | null, statement: string): Promise<unknown[]> => {
      await client.query('BEGIN');
      try {
        await client.query(`SELECT set_config('role', $1, true), set_config('bellwether.organization', $2, true)`, [
          TENANT_ROLE,
          organization ?? '',
        ]);
        return (await client.query<object>(statement)).rows;
      } finally {
        await client.query('ROLLBACK');
      }
    };

    beforeAll(async () => {
      client = new Client({ connectionString: testDatabaseUrl() });
      await client.connect();
      await resetDatabase(dataSource);
      for (const [index, id] of ORGANIZATIONS.entries()) {
        await dataSource.query(`INSERT INTO organizations (id, slug, name, settings) VALUES ($1, $2, $2, '{}')`, [
          id,
          `school-${index}`,
        ]);
        await dataSource.query(`INSERT INTO oidc_issuers (id, organization_id, key, name, url, client_id, settings)
          VALUES (gen_random_uuid(), '${id}', 'key-${index}', 'One', 'https://one.test', 'client', '{}')`);
      }
    });
    afterAll(async () => {
      await client.end();
      await resetDatabase(dataSource);
    });

    it('shows the rows of the current organization only', async () => {
      expect(await as(ORGANIZATIONS[0], 'SELECT key FROM oidc_issuers')).toEqual([{ key: 'key-0' }]);
      expect(await as(ORGANIZATIONS[1], 'SELECT slug FROM organizations')).toEqual([{ slug: 'school-1' }]);
    });

    it('shows no row without an organization', async () => {
      expect(await as(null, 'SELECT key FROM oidc_issuers')).toEqual([]);
    });

    it('refuses rows for another organization', async () => {
      const foreign = `UPDATE oidc_issuers SET organization_id = '${ORGANIZATIONS[1]}'`;
      await expect(as(ORGANIZATIONS[0], foreign)).rejects.toThrow('violates row-level security policy');
    });

    it('refuses to change people, who may be members elsewhere', async () => {
      for (const statement of [
        'UPDATE users SET system_admin = true',
        `UPDATE users SET email = 'mine@example.edu'`,
        `INSERT INTO users (id, email) VALUES (gen_random_uuid(), 'new@example.edu')`,
        'DELETE FROM users',
      ]) {
        await expect(as(ORGANIZATIONS[0], statement)).rejects.toThrow('permission denied for table users');
      }
      await expect(as(ORGANIZATIONS[0], 'SELECT email FROM users')).resolves.toEqual([]);
    });

    it('may not read tables of the installation or change the schema', async () => {
      await expect(as(ORGANIZATIONS[0], 'SELECT * FROM import_leases')).rejects.toThrow('permission denied');
      await expect(as(ORGANIZATIONS[0], 'ALTER TABLE oidc_issuers DISABLE ROW LEVEL SECURITY')).rejects.toThrow(
        'owner',
      );
    });
  });
});
