import { isJsonObject, uuidTime } from '@bellwether/kernel';
import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { type Transaction, Transactions } from '../../database';
import { RepeatedWork } from '../../jobs';
import { type DerivedKey, SecretsService } from '../../secrets';
import type { AuditChainEntity } from '../audit-chain.entity';
import type { AuditEntryEntity } from '../audit-entry.entity';
import { type ChainHead, GENESIS, UNPROVEN, contentHash, entryHash, headMac, sameMac } from '../entry-hash';
import { EntrySignature } from '../audit-log';
import { ChainRepository, type SealedRow } from './chain.repository';

/** Actions of the entries that announce a change of the log itself. */
export const REDACT = 'audit.redact';
export const PRUNE = 'audit.prune';
export const ACCEPT = 'audit.accept';

/** Part of `after` of `audit.redact` and `audit.accept`: the content hash of each entry from then on, by its id. */
export const hashesNote = (hashes: ReadonlyMap<string, string>) => ({ entries: Object.fromEntries(hashes) });

export function announcedHashes(after: unknown): ReadonlyMap<string, string> {
  const entries = isJsonObject(after) && isJsonObject(after['entries']) ? after['entries'] : {};
  const texts = Object.entries(entries).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return new Map(texts);
}

/** Last entry that was pruned: the chain goes on from its hash. */
export interface Anchor {
  readonly sequence: number;
  readonly hash: string;
}

export const pruneNote = ({ sequence, hash }: Anchor, before: Date, entries: number) => ({
  before: before.toISOString(),
  entries,
  through_sequence: sequence,
  hash,
});

export function prunedAnchor(after: unknown): Anchor | null {
  if (!isJsonObject(after)) return null;
  const { through_sequence: sequence, hash } = after;
  return typeof sequence === 'number' && typeof hash === 'string' ? { sequence, hash } : null;
}

const EVERY_MS = 3_000;
const BATCH = 200;
const ORGANIZATIONS = 100;
/** Time in which replicas of a build without proofs may write on, after the first build with the chain has started. */
const UPGRADE_MS = 60 * 60_000;
/** End of the largest id of a millisecond (RFC 9562 §5.7). */
const LAST_OF_TIME = '-7fff-bfff-ffffffffffff';

/** The largest id that is made until then. */
function lastIdAt(time: number): string {
  const digits = time.toString(16).padStart(12, '0');
  return `${digits.slice(0, 8)}-${digits.slice(8)}${LAST_OF_TIME}`;
}

const isUpgrade = (legacyUntil: string | null): boolean => legacyUntil?.endsWith(LAST_OF_TIME) ?? false;

/** The head of a chain does not fit its key: sealing on would hide that. */
export class ChainHeadError extends Error {
  constructor(organizationId: string) {
    super(`The head of the audit chain of organization ${organizationId} was changed; run audit:verify`);
    this.name = 'ChainHeadError';
  }
}

/**
 * Appends committed entries to the hash chain of their organization, a few seconds after they were written. Chaining
 * in the transactions themselves would make all writers of an organization wait for each other (ADR-0014).
 */
@Injectable()
export class AuditChainWriter implements BeforeApplicationShutdown {
  private readonly logger = new Logger('Audit');
  private readonly background = new RepeatedWork((error) =>
    this.logger.error({ msg: 'audit entries could not be sealed, trying again', err: error }),
  );

  constructor(
    private readonly chains: ChainRepository,
    private readonly transactions: Transactions,
    private readonly secrets: SecretsService,
    private readonly writtenMac: EntrySignature,
  ) {}

  /** Called by a process that serves; later calls do nothing. */
  start(): void {
    if (!this.background.isBegun) this.background.every(EVERY_MS, () => this.sealAll());
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.background.stop();
    await this.background.settled();
  }

  /** @throws the first failure, after every other organization had its turn. */
  async sealAll(): Promise<void> {
    const failures: unknown[] = [];
    for (const organizationId of await this.chains.organizationsWithUnsealed(ORGANIZATIONS)) {
      await this.seal(organizationId).catch((error: unknown) => failures.push(error));
    }
    if (failures.length > 0) throw failures[0];
  }

  /** Seals what is committed now. */
  async seal(organizationId: string): Promise<void> {
    const key = await this.keyOf(organizationId);
    for (;;) {
      const sealed = await this.transactions.run((tx) => this.sealBatch(organizationId, key, tx));
      if (sealed < BATCH) return;
    }
  }

  /** Seals everything that `tx` sees and holds the lock of the chain until it ends. */
  async sealWithin(organizationId: string, key: DerivedKey, tx: Transaction): Promise<void> {
    while ((await this.sealBatch(organizationId, key, tx)) === BATCH);
  }

  /** Does not change with `SECRETS_KEY`: it is derived from the data key of the organization. */
  keyOf(organizationId: string): Promise<DerivedKey> {
    return this.secrets.organizationKey(organizationId, 'audit-chain');
  }

  private async sealBatch(organizationId: string, key: DerivedKey, tx: Transaction): Promise<number> {
    const chain = await this.lockedChain(organizationId, key, tx);
    if (chain.keyId === key.kid && !sameMac(headMac(key.key, chain), chain.mac)) {
      throw new ChainHeadError(organizationId);
    }
    const entries = await this.chains.unsealed(organizationId, this.writtenMac.kids, BATCH, tx);
    if (entries.length === 0) return 0;
    const isOver = isUpgrade(chain.legacyUntil) && uuidTime(chain.legacyUntil ?? '') < Date.now();
    const legacyUntil = isOver ? null : chain.legacyUntil;
    const rows: SealedRow[] = [];
    let { sequence, hash } = chain;
    for (const entry of entries) {
      const proven = this.isProven(entry, legacyUntil);
      const seal = {
        sequence: sequence + 1,
        previousHash: hash,
        contentHash: proven ? contentHash(key.key, entry) : UNPROVEN,
      };
      ({ sequence } = seal);
      hash = entryHash(key.key, entry, seal);
      rows.push({ id: entry.id, ...seal, hash, keyId: key.kid });
    }
    await this.chains.seal(organizationId, rows, tx);
    const isKept = entries.length === BATCH || isUpgrade(legacyUntil);
    const head: ChainHead = {
      organizationId,
      sequence,
      hash,
      keyId: key.kid,
      legacyUntil: isKept ? legacyUntil : null,
    };
    await this.chains.advance(head, headMac(key.key, head), tx);
    return entries.length;
  }

  private async lockedChain(organizationId: string, key: DerivedKey, tx: Transaction): Promise<AuditChainEntity> {
    const found = await this.chains.lock(organizationId, tx);
    if (found !== null) return found;
    // A deleted head must not begin a second chain.
    if (await this.chains.hasSealed(organizationId, tx)) throw new ChainHeadError(organizationId);
    const newest = await this.chains.newestWithoutMac(organizationId, tx);
    const upgraded = lastIdAt(Date.now() + UPGRADE_MS);
    const legacyUntil = newest === null || newest > upgraded ? newest : upgraded;
    const head: ChainHead = { organizationId, sequence: 0, hash: GENESIS, keyId: key.kid, legacyUntil };
    await this.chains.insertIfAbsent(head, headMac(key.key, head), tx);
    const made = await this.chains.lock(organizationId, tx);
    if (made === null) throw new ChainHeadError(organizationId);
    return made;
  }

  private isProven(entry: AuditEntryEntity, legacyUntil: string | null): boolean {
    if (entry.writtenMac !== null) return this.writtenMac.fits(entry);
    return legacyUntil !== null && entry.id <= legacyUntil;
  }
}
