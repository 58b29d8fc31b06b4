import { AppError, Semaphore, SemaphoreFullError } from '@bellwether/kernel';
import { Injectable, Logger } from '@nestjs/common';
import { AuditLog } from '../../infrastructure/audit';
import { type Transaction, Transactions, withinOrganization } from '../../infrastructure/database';
import { JobQueue } from '../../infrastructure/jobs';
import { SecretsService } from '../../infrastructure/secrets';
import { OrganizationChanges } from '../../organizations';
import {
  ImportedPasswordRepository,
  NOBODY,
  type PasswordMember,
  type SealedPassword,
} from './imported-password.repository';
import { matches } from './password-comparison';

/** bcrypt with 2^12 rounds, as LAMB and Open WebUI store passwords. */
const HASH = /^\$2[aby]\$12\$[./A-Za-z0-9]{53}$/;

/** A hash of no password: its comparison takes as long as any other. */
const HASH_OF_NOTHING = `$2b$12$${'.'.repeat(53)}`;

/** Only one cost is taken: another one would tell by its time which addresses have a password. */
const isTakenHash = (text: string): boolean => HASH.test(text);

export interface ImportedPassword {
  readonly userId: string;
  /** bcrypt */
  readonly hash: string;
}

const SWEEP_MS = 10 * 60_000;
/** Requests that wait for a comparison. Further ones are refused: comparing is expensive. */
const MOST_WAITING = 20;
const RETRY_SECONDS = 10;

const fieldOf = (userId: string): string => `imported_password.${userId}`;

/**
 * Passwords that an import takes over from another installation. Each lets its member in once, until an end date, if the
 * member never signed in here. Nobody can set or change one.
 */
@Injectable()
export class ImportedPasswords {
  private readonly logger = new Logger('ImportedPasswords');
  /** One comparison at a time: guesses at one account cannot overtake the count of failures. */
  private readonly semaphore = new Semaphore(1, MOST_WAITING);

  constructor(
    private readonly passwords: ImportedPasswordRepository,
    private readonly secrets: SecretsService,
    private readonly transactions: Transactions,
    private readonly audit: AuditLog,
    jobs: JobQueue,
    changes: OrganizationChanges,
  ) {
    changes.onMember(async ({ organizationId, userId, hasEnded }, tx) => {
      if (hasEnded === true) await passwords.consume({ organizationId, userId }, tx);
    });
    jobs.sweep(SWEEP_MS, () => this.sweep());
  }

  /** Takes passwords over, in the transaction of the import. Returns the number that may be used. */
  async take(
    organizationId: string,
    given: readonly ImportedPassword[],
    expiresAt: Date,
    tx: Transaction,
  ): Promise<number> {
    const sealed: ImportedPassword[] = [];
    for (const { userId, hash } of given) {
      if (!isTakenHash(hash)) continue;
      sealed.push({ userId, hash: await this.secrets.seal(organizationId, fieldOf(userId), hash, tx) });
    }
    if (sealed.length === 0) return 0;
    const taken = await this.passwords.store(organizationId, sealed, expiresAt, tx);
    if (taken.length === 0) return 0;
    const target = { type: 'organization', id: organizationId };
    const after = { passwords: taken.length, expires_at: expiresAt.toISOString() };
    await this.audit.record({ caller: null, organizationId, action: 'passwords.import', target, after }, tx);
    return taken.length;
  }

  isAnyLeft(organization: string | null): Promise<boolean> {
    return this.passwords.isAnyLeft(organization);
  }

  /**
   * The member whose password this is; the password is removed. Null for any other address or password, after the same time.
   * @throws {AppError} `too_many_requests` while many comparisons wait
   */
  async consume(email: string, password: string): Promise<PasswordMember | null> {
    try {
      return await this.semaphore.run(() => this.compare(email.trim().toLowerCase(), password));
    } catch (error) {
      if (!(error instanceof SemaphoreFullError)) throw error;
      throw new AppError('too_many_requests', 'Many people sign in with a password at the moment', {
        retryAfter: RETRY_SECONDS,
      });
    }
  }

  /** Every path compares once and writes once. */
  private async compare(email: string, password: string): Promise<PasswordMember | null> {
    const found = await this.passwords.find(email);
    const hash = found === null ? HASH_OF_NOTHING : await this.hashOf(found);
    const isRight = await matches({ password, hash });
    if (found !== null && isRight && hash !== HASH_OF_NOTHING) return this.used(found);
    await this.passwords.countFailure(found ?? NOBODY);
    return null;
  }

  private async used({ hash: _, ...member }: SealedPassword): Promise<PasswordMember | null> {
    const isUsed = await withinOrganization(member.organizationId, () =>
      this.transactions.run((tx) => this.passwords.consume(member, tx)),
    );
    return isUsed ? member : null;
  }

  private async hashOf({ organizationId, userId, hash }: SealedPassword): Promise<string> {
    try {
      return await withinOrganization(organizationId, () => this.secrets.open(organizationId, fieldOf(userId), hash));
    } catch (error) {
      this.logger.warn({ msg: 'an imported password cannot be read', organization_id: organizationId, err: error });
      return HASH_OF_NOTHING;
    }
  }

  private async sweep(): Promise<void> {
    const removed = await this.passwords.removeSpent();
    if (removed > 0) this.logger.log({ msg: 'imported passwords removed', removed });
  }
}
