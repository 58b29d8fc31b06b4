import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { AppError } from '../../kernel';
import { FoundingService } from '../../organizations';
import { AuditLog } from '../../infrastructure/audit';
import { FailedAttempts, type FailedMinute, type FailureKind } from './failed-attempts';
import { withinOrganization } from '../../infrastructure/database';

const SWEEP_MS = 5_000;

/** Rate-limits failed sign-ins and unknown keys per address. Writes one audit entry per address and minute. */
@Injectable()
export class FailedCredentials implements OnApplicationShutdown {
  private readonly logger = new Logger('Auth');
  private readonly writing = new Set<Promise<void>>();
  private readonly attempts = new FailedAttempts({ report: (minute) => this.record(minute) });
  private readonly sweeping = setInterval(() => this.attempts.sweep(), SWEEP_MS).unref();

  constructor(
    private readonly founding: FoundingService,
    private readonly audit: AuditLog,
  ) {}

  /**
   * Returns the result of `attempt`. Valid credentials are never limited: one guesser locks nobody out.
   * @throws {AppError} `too_many_requests` instead of `unauthenticated` after too many failures
   */
  async watch<T>(
    { address, kind, credential }: { address: string | null; kind: FailureKind; credential: string },
    attempt: () => Promise<T>,
  ): Promise<T> {
    try {
      return await attempt();
    } catch (error) {
      if (error instanceof AppError && error.code === 'unauthenticated') {
        this.attempts.count(address ?? 'unknown', kind, credential);
      }
      throw error;
    }
  }

  /** For attempts that are expensive. @throws {AppError} `too_many_requests` */
  assertBelow(address: string | null): void {
    this.attempts.assertBelow(address ?? 'unknown');
  }

  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.sweeping);
    this.attempts.clear();
    await Promise.all(this.writing);
  }

  private record(minute: FailedMinute): void {
    const write = this.write(minute)
      .catch((error: unknown) => this.logger.warn({ msg: 'failed sign-ins were not recorded', err: error }))
      .finally(() => this.writing.delete(write));
    this.writing.add(write);
  }

  /** No caller is known, so the system organization gets the entry. */
  private async write({ address, signIns, keys }: FailedMinute): Promise<void> {
    const organizationId = await this.founding.systemId();
    if (organizationId === null) return;
    const target = { type: 'address', id: address };
    const after = { failed_sign_ins: signIns, unknown_keys: keys };
    const origin = { requestId: null, ip: address === 'unknown' ? null : address };
    await withinOrganization(organizationId, () =>
      this.audit.record({ caller: null, origin, organizationId, action: 'sign_in.failed', target, after }),
    );
  }
}
