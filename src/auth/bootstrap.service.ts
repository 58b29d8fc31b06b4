import { type Scope, uuidv7 } from '@bellwether/kernel';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AuditLog } from '../infrastructure/audit';
import { CONFIG, type Config, keepPrivate } from '../infrastructure/config';
import { AcrossOrganizations, type Transaction, Transactions } from '../infrastructure/database';
import { FoundingService, type SystemOrganization } from '../organizations';
import { hashOf, newApiKey, publicIdOf } from './api-key';
import { ApiKeyRepository } from './api-key.repository';

export const ADMIN_KEY_FILE = 'admin-key';

export interface BootstrapReport extends SystemOrganization {
  /** File with the new key of the administrator; null when none was made. */
  readonly adminKeyFile: string | null;
}

const ADMIN_SCOPES: readonly Scope[] = ['chat', 'read', 'write', 'admin'];

/** First start: makes an organization, an administrator and a key. Later starts change nothing. */
@Injectable()
export class BootstrapService {
  private readonly logger = new Logger('Bootstrap');

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly founding: FoundingService,
    private readonly keys: ApiKeyRepository,
    private readonly transactions: Transactions,
    private readonly audit: AuditLog,
  ) {}

  /** Replicas that start at once are serialised; the first makes everything. */
  @AcrossOrganizations('start')
  async run(): Promise<BootstrapReport> {
    const file = join(this.config.database.dataDir, ADMIN_KEY_FILE);
    keepPrivate(file);
    let written = false;
    try {
      const system = await this.transactions.run(async (tx) => {
        const found = await this.founding.ensureSystem(tx);
        const { adminKey } = this.config.bootstrap;
        if (adminKey !== null) await this.admit(found, adminKey, tx);
        else if (found.founded) {
          const { key } = newApiKey();
          await this.insert(found, key, 'First start', tx);
          // Before the commit: an unsaved key would be lost.
          writePrivately(file, `${key}\n`);
          written = true;
        }
        return found;
      });
      return { ...system, adminKeyFile: written ? file : null };
    } catch (error) {
      if (written) rmSync(file, { force: true });
      throw error;
    }
  }

  /** Makes the key of the environment once. Changing it adds the new key; the old one stays until it is revoked. */
  private async admit(system: SystemOrganization, key: string, tx: Transaction): Promise<void> {
    const row = await this.keys.stateOf(hashOf(key), tx);
    if (row === 'absent') await this.insert(system, key, 'BOOTSTRAP_ADMIN_KEY', tx);
    if (row === 'revoked') this.logger.warn('BOOTSTRAP_ADMIN_KEY names a key that was revoked; it stays revoked');
  }

  private async insert(system: SystemOrganization, key: string, name: string, tx: Transaction): Promise<void> {
    const { organizationId, administratorId: userId } = system;
    const id = uuidv7();
    await this.keys
      .within(organizationId, tx)
      .insert({ id, userId, name, publicId: publicIdOf(key), hash: hashOf(key), scopes: [...ADMIN_SCOPES] });
    const after = { name, owner_id: userId, scopes: ADMIN_SCOPES };
    const target = { type: 'api_key', id };
    await this.audit.record({ caller: null, organizationId, action: 'api_key.create', target, after }, tx);
  }
}

/** Private from its first byte. Replaces the file of a failed start. */
function writePrivately(file: string, text: string): void {
  const draft = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`;
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(draft, text, { mode: 0o600, flag: 'wx' });
  renameSync(draft, file);
}
