import { AppError, type Caller, invalid, isJsonObject } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { type Transaction, Transactions } from '../../database';
import type { AuditEntryEntity } from '../audit-entry.entity';
import { AuditLog } from '../audit-log';
import { contentHash } from '../entry-hash';
import { ACCEPT, AuditChainWriter, PRUNE, REDACT, hashesNote, pruneNote } from './audit-chain-writer';
import { ChainRepository, type Redaction } from './chain.repository';

const ERASED = '[erased]';

/**
 * Members of an entry about a person that do not say who the person is. An erasure replaces every other text, so a new
 * member is erased until somebody lists it here.
 */
const KEPT_MEMBERS: ReadonlySet<string> = new Set([
  'role',
  'language',
  'source',
  'issuer',
  'lti_platform',
  'joined',
  'left',
  'erasure',
  'heir',
  'unshared',
]);

/** Content of an entry about a person without what describes the person, whatever it says. */
function withoutPerson(content: unknown): unknown {
  if (typeof content === 'string') return ERASED;
  if (Array.isArray(content)) return content.map(withoutPerson);
  if (!isJsonObject(content)) return content;
  return Object.fromEntries(
    Object.entries(content).map(([name, member]) => [name, KEPT_MEMBERS.has(name) ? member : withoutPerson(member)]),
  );
}

/**
 * Replaces the given values in texts of any depth, whatever their case. An e-mail address is also replaced inside a
 * longer text; a name only where it is the whole text: "An" is part of many words.
 */
function valueEraser(values: readonly string[]): (content: unknown) => unknown {
  const whole = new Set(values.map((value) => value.toLowerCase()));
  const inside = values.filter((value) => value.includes('@')).map((value) => value.toLowerCase());
  const erasedText = (text: string): string => {
    if (whole.has(text.toLowerCase())) return ERASED;
    return inside.reduce((left, value) => replaceAll(left, value), text);
  };
  const erased = (content: unknown): unknown => {
    if (typeof content === 'string') return erasedText(content);
    if (Array.isArray(content)) return content.map(erased);
    if (!isJsonObject(content)) return content;
    return Object.fromEntries(Object.entries(content).map(([name, member]) => [erasedText(name), erased(member)]));
  };
  return erased;
}

function replaceAll(text: string, value: string): string {
  const lower = text.toLowerCase();
  // A letter that changes its length in lower case would shift the places.
  if (lower.length !== text.length) return lower.replaceAll(value, ERASED);
  let left = '';
  let from = 0;
  for (let at = lower.indexOf(value); at >= 0; at = lower.indexOf(value, from)) {
    left += text.slice(from, at) + ERASED;
    from = at + value.length;
  }
  return left + text.slice(from);
}

export interface PersonToRedact {
  readonly organizationId: string;
  readonly userId: string;
  /**
   * Present and former addresses that nobody else has: erased from every entry. The id stays, it means nobody once the
   * person is erased.
   */
  readonly addresses: readonly string[];
  /**
   * Names and subjects: erased from entries by the person only. Administrators choose names, so the name `owner` would
   * erase that word from the whole log. Entries about the person keep no text that describes the person, listed or not.
   */
  readonly names: readonly string[];
  /** Null for an operator command. */
  readonly caller: Caller | null;
}

export interface EntriesToPrune {
  readonly organizationId: string;
  /** Entries from before this time go, as far as the chain's beginning has no younger one. */
  readonly before: Date;
  readonly caller: Caller | null;
}

export interface EntriesToAccept {
  readonly organizationId: string;
  /** Positions of the first and the last entry. Entries between them that need no acceptance stay as they are. */
  readonly from: number;
  readonly through: number;
  readonly reason: string;
  readonly caller: Caller | null;
}

export interface PruneReport {
  readonly entries: number;
  /** Position of the last pruned entry; null when nothing was old enough. */
  readonly throughSequence: number | null;
}

const REDACT_BATCH = 500;
const PRUNE_BATCH = 20_000;

const filled = (values: readonly string[]): string[] =>
  values.map((value) => value.trim()).filter((value) => value !== '');

const escaped = (value: string): string => value.replace(/[\\%_]/g, (sign) => `\\${sign}`);

/** `jsonb` shows some characters of a text escaped. */
const patternsOf = (values: readonly string[]): string[] =>
  values.flatMap((value) => [value, JSON.stringify(value).slice(1, -1)]).map((text) => `%${escaped(text)}%`);

/**
 * The only ways to change sealed entries, or what a verification says about them. Each writes an entry of its own, so
 * that the verification can tell it from tampering. All begin their own transactions.
 */
@Injectable()
export class AuditChainEdits {
  constructor(
    private readonly chains: ChainRepository,
    private readonly sealer: AuditChainWriter,
    private readonly log: AuditLog,
    private readonly transactions: Transactions,
  ) {}

  /**
   * Clears the fields of entries about a person in one organization, and removes the person's values and addresses from
   * other entries. Call it after their sessions have ended: entries written later are not covered. A second call finds
   * what the first left.
   * @returns the number of entries changed
   */
  async redactPerson(person: PersonToRedact): Promise<number> {
    const { organizationId, userId } = person;
    const [addresses, names] = [filled(person.addresses), filled(person.names)];
    const key = await this.sealer.keyOf(organizationId);
    const [eraseOwn, eraseAddresses] = [valueEraser([...addresses, ...names]), valueEraser(addresses)];
    const eraserFor = ({ actorUserId, targetId }: AuditEntryEntity): ((content: unknown) => unknown) => {
      if (targetId === userId) return (content) => eraseAddresses(withoutPerson(content));
      return actorUserId === userId ? eraseOwn : eraseAddresses;
    };
    return this.transactions.run(async (tx) => {
      await this.sealer.sealWithin(organizationId, key, tx);
      const ids = await this.chains.idsAboutPerson(organizationId, userId, patternsOf(addresses), tx);
      let changed = 0;
      for (let from = 0; from < ids.length; from += REDACT_BATCH) {
        const entries = await this.chains.byIds(organizationId, ids.slice(from, from + REDACT_BATCH), tx);
        const redacted = entries.map((entry) => ({ ...entry, ...redactionOf(entry, userId, eraserFor(entry)) }));
        const hashes = new Map<string, string>();
        redacted.forEach((entry, at) => {
          const hash = contentHash(key.key, entry);
          const before = entries[at];
          if (before !== undefined && hash !== contentHash(key.key, before)) hashes.set(entry.id, hash);
        });
        if (hashes.size === 0) continue;
        await this.chains.redact(
          organizationId,
          redacted.filter(({ id }) => hashes.has(id)),
          tx,
        );
        await this.announce(person, REDACT, { type: 'user', id: userId }, hashesNote(hashes), tx);
        changed += hashes.size;
      }
      // The announcement is sealed with the change: no moment in which the change looks like tampering.
      await this.sealer.sealWithin(organizationId, key, tx);
      return changed;
    });
  }

  /** Deletes old entries from the beginning of the chain, which goes on from the hash of the last of them. */
  async prune({ organizationId, caller, before: given }: EntriesToPrune): Promise<PruneReport> {
    if (Number.isNaN(given.getTime())) throw invalid([{ path: 'before', message: 'must be a date' }]);
    // Its own announcements are never old enough.
    const before = new Date(Math.min(given.getTime(), Date.now()));
    const key = await this.sealer.keyOf(organizationId);
    let entries = 0;
    let throughSequence: number | null = null;
    for (;;) {
      const batch = await this.transactions.run(async (tx) => {
        await this.sealer.sealWithin(organizationId, key, tx);
        const through = await this.pruneThrough(organizationId, before, tx);
        const last = through === null ? null : await this.chains.atSequence(organizationId, through, tx);
        if (through === null || last?.hash == null) return null;
        const pruned = await this.chains.prune(organizationId, through, tx);
        const note = pruneNote({ sequence: through, hash: last.hash }, before, pruned);
        await this.announce({ organizationId, caller }, PRUNE, { type: 'organization', id: organizationId }, note, tx);
        await this.sealer.sealWithin(organizationId, key, tx);
        return { pruned, through };
      });
      if (batch === null) return { entries, throughSequence };
      entries += batch.pruned;
      throughSequence = batch.through;
    }
  }

  /**
   * Puts on record that entries are known which the service did not write, for example those of an older build beside a
   * newer one. A verification then excuses their present content, and nothing else.
   * @returns the positions that were accepted
   * @throws {AppError} `not_found` without such an entry
   */
  async accept({ organizationId, caller, from, through, reason }: EntriesToAccept): Promise<readonly number[]> {
    const key = await this.sealer.keyOf(organizationId);
    return this.transactions.run(async (tx) => {
      await this.sealer.sealWithin(organizationId, key, tx);
      const entries = await this.chains.unproven(organizationId, from, through, tx);
      if (entries.length === 0) {
        throw new AppError('not_found', 'The service wrote all of these entries itself: there is nothing to accept');
      }
      const hashes = new Map(entries.map((entry) => [entry.id, contentHash(key.key, entry)]));
      const after = { ...hashesNote(hashes), reason };
      await this.announce({ organizationId, caller }, ACCEPT, { type: 'organization', id: organizationId }, after, tx);
      await this.sealer.sealWithin(organizationId, key, tx);
      return entries.flatMap(({ sequence }) => sequence ?? []);
    });
  }

  private async pruneThrough(organizationId: string, before: Date, tx: Transaction): Promise<number | null> {
    const first = await this.chains.firstSequence(organizationId, tx);
    const last = await this.chains.lastBefore(organizationId, before, tx);
    if (first === null || last === null || last < first) return null;
    return Math.min(last, first + PRUNE_BATCH - 1);
  }

  private announce(
    { organizationId, caller }: Pick<PersonToRedact, 'organizationId' | 'caller'>,
    action: string,
    target: { type: string; id: string },
    after: unknown,
    tx: Transaction,
  ): Promise<void> {
    return this.log.record({ caller, organizationId, action, target, after }, tx);
  }
}

function redactionOf(entry: AuditEntryEntity, userId: string, erase: (content: unknown) => unknown): Redaction {
  return {
    id: entry.id,
    targetId: entry.targetId === userId ? userId : String(erase(entry.targetId)),
    before: erase(entry.before),
    after: erase(entry.after),
    ip: entry.actorUserId === userId ? null : entry.ip,
  };
}
