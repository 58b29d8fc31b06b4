import { type AppError, atMostFor } from '@bellwether/kernel';
import { createHash } from 'node:crypto';
import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { withinOrganization } from '../infrastructure/database';
import { connectionAt, secretSlots } from './settings/settings-validation';
import type { OrganizationSettings } from './settings/settings.types';
import { OrganizationRepository } from './organization.repository';
import { ConnectionHealthRepository } from './connection-health.repository';
import type { ConnectionOutcome, ConnectionState, LatestOutcome } from './connection-health.entity';

/** Between two rows about the same outcome. Milliseconds. */
const REPEAT_MS = 60_000;

/** `error` null is a success. */
export function outcomeOf(startedAt: number, error: AppError | null): ConnectionOutcome {
  return {
    at: new Date().toISOString(),
    ok: error === null,
    code: error?.code ?? null,
    status: error?.vendor?.status ?? null,
    vendor_message: error?.vendor?.message ?? null,
    duration_ms: Math.round(performance.now() - startedAt),
  };
}

/** Keeps how the last test and the last call of each vendor and server ended, for the administrators of its organization. */
@Injectable()
export class ConnectionHealth implements OnModuleDestroy {
  private readonly logger = new Logger(ConnectionHealth.name);
  /** Last outcome that this process kept, by organization and connection. */
  private readonly kept = new LRUCache<string, Pick<ConnectionOutcome, 'ok' | 'code'>>(atMostFor(5_000, REPEAT_MS));
  private readonly writing = new Set<Promise<void>>();

  constructor(
    private readonly health: ConnectionHealthRepository,
    private readonly organizations: OrganizationRepository,
  ) {}

  async onModuleDestroy(): Promise<void> {
    await Promise.all(this.writing);
  }

  async tested(organizationId: string, connection: string, outcome: ConnectionOutcome): Promise<void> {
    await this.keep(organizationId, connection, 'tested', outcome);
  }

  /** Written behind the call, once a minute while the outcome stays the same. Never throws. */
  used(organizationId: string, connection: string, outcome: ConnectionOutcome): void {
    const key = `${organizationId} ${connection}`;
    const last = this.kept.get(key);
    if (last?.ok === outcome.ok && last.code === outcome.code) return;
    this.kept.set(key, outcome);
    const written = this.keep(organizationId, connection, 'used', outcome)
      .catch((error: unknown) => this.logger.warn({ msg: 'the health of a connection was not kept', error }))
      .finally(() => this.writing.delete(written));
    this.writing.add(written);
  }

  /** Outcomes of the addresses and secrets that are stored now. */
  async of(organizationId: string): Promise<ConnectionState[]> {
    const settings = await this.settings(organizationId);
    const rows = await this.health.all(organizationId);
    return rows
      .filter(({ connection, fingerprint }) => fingerprint === fingerprintOf(settings, connection))
      .map(({ connection, tested, used }) => ({ connection, tested, used }))
      .sort((one, other) => one.connection.localeCompare(other.connection, 'en'));
  }

  /** Outcomes of every organization, for system administrators. */
  async everywhere(): Promise<LatestOutcome[]> {
    const rows = await this.health.everywhere();
    return rows.flatMap(({ slug, settings, connection, fingerprint, tested, used }) => {
      const [outcome] = [tested, used]
        .filter((each) => each !== null)
        .sort((one, other) => (one.at < other.at ? 1 : -1));
      if (outcome === undefined || fingerprint !== fingerprintOf(settings, connection)) return [];
      return [{ organization: slug, connection, url: addressOf(settings, connection).url, outcome }];
    });
  }

  private keep(
    organizationId: string,
    connection: string,
    kind: 'tested' | 'used',
    outcome: ConnectionOutcome,
  ): Promise<void> {
    return withinOrganization(organizationId, async () => {
      const fingerprint = fingerprintOf(await this.settings(organizationId), connection);
      await this.health.keep({ organizationId, connection, fingerprint }, kind, outcome);
    });
  }

  private async settings(organizationId: string): Promise<OrganizationSettings> {
    return (await this.organizations.findById(organizationId))?.settings ?? {};
  }
}

function addressOf(settings: OrganizationSettings, connection: string): { url: string | null; secret: unknown } {
  const slot = secretSlots(settings).find(({ at }) => at.join('.') === connection);
  const { [slot?.url ?? '']: url, [slot?.secret ?? '']: secret } = connectionAt(settings, slot?.at ?? ['']);
  return { url: typeof url === 'string' ? url : null, secret: secret ?? null };
}

/** The secret is hashed as it is stored: encrypted, anew at each change. */
function fingerprintOf(settings: OrganizationSettings, connection: string): string {
  const { url, secret } = addressOf(settings, connection);
  return createHash('sha256')
    .update(JSON.stringify([url, secret]))
    .digest('base64url');
}
