import type { Caller, Role, Scope } from '@bellwether/kernel';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Test, type TestingModule } from '@nestjs/testing';
import { DataSource } from 'typeorm';
import { AuthModule } from '../../src/auth';
import { FoundingService, MembersService, OrganizationsModule } from '../../src/organizations';
import { AuditModule } from '../../src/infrastructure/audit';
import { VENDORS } from '../../src/connectors';
import { CONFIG, type Config, ConfigModule, loadConfig } from '../../src/infrastructure/config';
import { DatabaseModule } from '../../src/infrastructure/database';
import { MetricsModule } from '../../src/infrastructure/telemetry';
import { IdempotencyModule } from '../../src/infrastructure/idempotency';
import { OutboundModule } from '../../src/infrastructure/outbound';
import { SecretsModule } from '../../src/infrastructure/secrets';
import { openTestDatabase, resetDatabase, testDatabaseUrl } from '../support/database';

export interface Rooms {
  readonly module: TestingModule;
  readonly dataSource: DataSource;
  readonly dataDir: string;
  readonly get: TestingModule['get'];
  /** A new organization with one owner, and callers of any role and scope in it. */
  organization(slug?: string): Promise<TestOrganization>;
  close(): Promise<void>;
}

export interface TestOrganization {
  readonly id: string;
  readonly slug: string;
  readonly ownerId: string;
  caller(overrides?: Partial<Caller>): Caller;
  member(role: Role, email?: string): Promise<string>;
}

const EVERY_SCOPE: readonly Scope[] = ['chat', 'read', 'write', 'admin'];
let serial = 0;

export async function emptyDatabase(): Promise<void> {
  const dataSource = await openTestDatabase();
  await resetDatabase(dataSource);
  await dataSource.destroy();
}

/** The modules of identity on a real database, without a server. One call is one process: call twice for two replicas. */
export async function openRooms(env: Readonly<Record<string, string>> = {}, dataDir?: string): Promise<Rooms> {
  const folder = dataDir ?? mkdtempSync(join(tmpdir(), 'bw-auth-'));
  const config = loadConfig(
    {
      NODE_ENV: 'test',
      DATABASE_URL: testDatabaseUrl(),
      DATA_DIR: folder,
      SECRETS_KEY: `k1:${'1'.repeat(32)}${randomBytes(16).toString('hex')}`,
      OUTBOUND_ALLOW: '127.0.0.1',
      ...env,
    },
    VENDORS,
  );
  const module = await Test.createTestingModule({
    imports: [
      ConfigModule.of(config),
      MetricsModule,
      DatabaseModule.forRootAsync({
        migrations: [],
        schema: 'skip',
        inject: [CONFIG],
        useFactory: ({ database }: Config) => database,
      }),
      OutboundModule,
      SecretsModule,
      AuditModule,
      IdempotencyModule,
      OrganizationsModule,
      AuthModule,
    ],
  }).compile();
  await module.init();
  const organization = async (slug = `org-${(serial += 1)}`): Promise<TestOrganization> => {
    const email = `owner@${slug}.example`;
    const id = await module.get(FoundingService).create(null, { slug, name: slug, owner: { email, name: 'Owner' } });
    const ownerId = (await module.get(MembersService).find(id, email))?.userId ?? '';
    return {
      id,
      slug,
      ownerId,
      caller: (overrides = {}) => ({
        kind: 'api_key',
        credentialId: null,
        organizationId: id,
        organizationSlug: slug,
        userId: ownerId,
        role: 'owner',
        systemAdmin: false,
        scopes: EVERY_SCOPE,
        assistantIds: null,
        ...overrides,
      }),
      member: async (role, address = `${role}${(serial += 1)}@${slug}.example`) =>
        (await module.get(MembersService).add(null, id, { email: address, name: role, role })).user_id,
    };
  };
  return {
    module,
    dataSource: module.get(DataSource),
    dataDir: folder,
    get: module.get.bind(module),
    organization,
    close: async () => {
      await module.close();
      if (dataDir === undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
}
