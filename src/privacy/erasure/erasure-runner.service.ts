import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '@bellwether/kernel';
import { Inject, Injectable } from '@nestjs/common';
import { FileOwnership } from '../../files';
import { AuditChainEdits, AuditLog } from '../../infrastructure/audit';
import { AcrossOrganizations, type Transaction, Transactions } from '../../infrastructure/database';
import { KnowledgeBasePurge } from '../../knowledge-bases';
import { OrganizationChanges } from '../../organizations';
import { RunsService } from '../../runs';
import { type PersonIn, PersonRowsRepository } from '../person-rows.repository';
import { PERSON_TABLES } from '../person-tables';
import { type OwnedContent, planContent } from './content-plan';
import { ContentRepository } from './content.repository';
import { erasureReport } from './erasure-report';
import type { HeldErasure } from './erasure-request.entity';
import { ErasureRepository } from './erasure.repository';
import type { ContentItem, ContentPlan, ContentType, ErasureReport } from './erasure.types';
import { OpenRunsRepository } from './open-runs.repository';
import { SETTLED_AFTER_MS } from './settled-after.token';
import { SubjectRepository } from './subject.repository';

const LOOK_MS = 250;
const REASON = 'The account was closed';

/** Ends the runs of a person who can start no new ones. */
@Injectable()
export class RunTermination {
  constructor(
    private readonly open: OpenRunsRepository,
    private readonly runs: RunsService,
    @Inject(SETTLED_AFTER_MS) private readonly settledAfterMs: number,
  ) {}

  /** Resolves when no run is going and every record is written. Rejects with the signal's reason. */
  async end(person: PersonIn, deactivatedAt: Date, signal: AbortSignal): Promise<void> {
    for (;;) {
      const going = await this.open.of(person);
      for (const { id, organizationId } of going) await this.cancel(organizationId, id);
      const isSettled = Date.now() - deactivatedAt.getTime() >= this.settledAfterMs;
      if (going.length === 0 && isSettled) break;
      await sleep(LOOK_MS, undefined, { signal });
    }
    await this.runs.flush();
  }

  private async cancel(organizationId: string, id: string): Promise<void> {
    try {
      await this.runs.cancel(organizationId, id, REASON);
    } catch (error) {
      if (!(error instanceof AppError) || (error.code !== 'run_ended' && error.code !== 'not_found')) throw error;
    }
  }
}

/** Removes addresses, names and subjects of a person from the audit log. */
@Injectable()
export class AuditRedaction {
  constructor(
    private readonly subjects: SubjectRepository,
    private readonly requests: ErasureRepository,
    private readonly audit: AuditChainEdits,
    private readonly transactions: Transactions,
  ) {}

  /** Before the rows that hold these texts are erased. A second call counts only what the first left. */
  async run(held: HeldErasure): Promise<void> {
    const { organizationId, subjectId: userId } = held;
    const texts = await this.subjects.identity(organizationId, userId);
    const redacted = await this.audit.redactPerson({ organizationId, userId, ...texts, caller: null });
    await this.transactions.run((tx) => this.requests.count(held, 'redacted', 'audit', redacted, tx));
  }
}

const BATCH = 500;

type RowType = Exclude<ContentType, 'files'>;
const ROW_TYPES: readonly RowType[] = [
  'assistants',
  'prompt_templates',
  'rubrics',
  'external_collections',
  'knowledge_bases',
];
const idsOf = (type: ContentType, items: readonly ContentItem[]): string[] =>
  items.filter((item) => item.type === type).map(({ id }) => id);

/** The steps of an erasure after the person was deactivated. Each may run again after a kill. */
@Injectable()
export class ErasureSteps {
  constructor(
    private readonly requests: ErasureRepository,
    private readonly content: ContentRepository,
    private readonly rows: PersonRowsRepository,
    private readonly files: FileOwnership,
    private readonly knowledgeBases: KnowledgeBasePurge,
    private readonly transactions: Transactions,
  ) {}

  /** Files before the assistants that refer to them: afterwards nothing tells which of them are needed. */
  async treatFiles(held: HeldErasure): Promise<void> {
    const from = personOf(held);
    for (const id of idsOf('files', (await this.planned(held)).handOver)) {
      const to = { organizationId: held.organizationId, userId: heirOf(held) };
      await this.files.handOver(from, to, id, (tx) => this.requests.handedOver(held, 'files', [id], tx));
    }
    await this.files.removeAll(from, (tx, count) => this.requests.count(held, 'deleted', 'files', count, tx));
  }

  /** Other content in one transaction. Knowledge bases that nobody uses are only marked here. */
  async treatContent(held: HeldErasure): Promise<void> {
    const { organizationId, subjectId: userId } = held;
    await this.transactions.run(async (tx) => {
      const plan = this.plan(held, await this.content.owned(organizationId, userId, tx));
      for (const type of ROW_TYPES) {
        const wanted = idsOf(type, plan.handOver);
        if (wanted.length > 0) {
          const people = { organizationId, userId, heirId: heirOf(held) };
          await this.requests.handedOver(held, type, await this.content.handOver(type, wanted, people, tx), tx);
        }
        const deleted = await this.content.delete(type, idsOf(type, plan.delete), organizationId, tx);
        await this.requests.count(held, 'deleted', type, deleted, tx);
      }
    });
  }

  /** Documents leave the search index in short transactions. */
  async purgeKnowledgeBases(held: HeldErasure, signal: AbortSignal): Promise<void> {
    const { organizationId } = held;
    for (const id of idsOf('knowledge_bases', (await this.planned(held)).delete)) {
      await this.requests.renew(held);
      await this.knowledgeBases.purgeNow({ organizationId, id }, signal);
    }
  }

  /** Rows of what the person asked belong to the organizations of the assistants. */
  @AcrossOrganizations('jobs')
  async treatRows(held: HeldErasure, signal: AbortSignal): Promise<void> {
    for (const table of PERSON_TABLES) {
      const { by } = table.erasure;
      if (by !== 'delete' && by !== 'anonymise' && by !== 'merge') continue;
      const treatment = by === 'delete' ? 'deleted' : 'anonymised';
      for (let treated = 1; treated > 0;) {
        signal.throwIfAborted();
        treated = await this.transactions.run(async (tx) => {
          const count = await this.rows.treat(table, personOf(held), BATCH, tx);
          await this.requests.count(held, treatment, table.kind, count, tx);
          return count;
        });
      }
    }
  }

  private async planned(held: HeldErasure): Promise<ContentPlan> {
    return this.plan(held, await this.content.owned(held.organizationId, held.subjectId));
  }

  private plan(held: HeldErasure, owned: readonly OwnedContent[]): ContentPlan {
    return planContent(owned, held.unshared);
  }
}

/** @throws {AppError} `conflict`: content was shared after the request, and nobody can take it over */
function heirOf({ heirId }: HeldErasure): string {
  if (heirId === null) throw new AppError('conflict', 'Others use content of this person, and there is no heir');
  return heirId;
}

const personOf = ({ organizationId, subjectId }: HeldErasure): PersonIn => ({ organizationId, userId: subjectId });

/** The first and the last step of an erasure. */
@Injectable()
export class AccountRemoval {
  constructor(
    private readonly requests: ErasureRepository,
    private readonly subjects: SubjectRepository,
    private readonly rows: PersonRowsRepository,
    private readonly transactions: Transactions,
    private readonly audit: AuditLog,
    private readonly changes: OrganizationChanges,
  ) {}

  /**
   * Ends keys and sessions; open work ends with the announcement. Returns since when the person is disabled.
   * @throws {AppError} `conflict` when the person has become the last owner or system administrator since the request
   */
  async deactivate(held: HeldErasure): Promise<Date> {
    const person = personOf(held);
    const since = await this.transactions.run(async (tx) => {
      await this.subjects.lock(person.organizationId, tx);
      await this.assertNotLast(person, tx);
      const since = await this.subjects.deactivate(person, tx);
      await this.changes.memberChanged(person, tx);
      return this.requests.deactivated(held, since, tx);
    });
    this.changes.announce(person.organizationId);
    return since;
  }

  /**
   * Removes membership and account and closes the request with its report, in one transaction.
   * @throws {Error} when a table still has rows of the person: the next try treats them
   */
  async finish(held: HeldErasure): Promise<ErasureReport> {
    const { organizationId, userId } = personOf(held);
    const auditEntries = await this.entriesLeft(personOf(held));
    const report = await this.transactions.run(async (tx) => {
      await this.subjects.lock(organizationId, tx);
      const memberships = await this.subjects.removeMembership(organizationId, userId, tx);
      const accountDeleted = await this.subjects.deleteAccount(userId, tx);
      await this.requests.count(held, 'deleted', 'account', memberships + (accountDeleted ? 1 : 0), tx);
      const treated = await this.requests.treated(held, tx);
      const made = erasureReport({ ...treated, accountDeleted, auditEntries }, new Date());
      await this.requests.finish(held, made, tx);
      const { counts, handed_over, account } = made;
      const target = { type: 'erasure', id: held.id };
      const after = { counts, handed_over, account };
      await this.audit.record({ caller: null, organizationId, action: 'person.erase', target, after }, tx);
      return made;
    });
    this.changes.announce(organizationId);
    return report;
  }

  private async assertNotLast({ organizationId, userId }: PersonIn, tx: Transaction): Promise<void> {
    const subject = await this.subjects.find(organizationId, userId, tx);
    if (subject === null || subject.disabled) return;
    if (subject.role === 'owner' && (await this.subjects.firstOtherOwner(organizationId, userId, tx)) === null) {
      throw new AppError('conflict', 'An organization keeps at least one owner', { reason: 'member.last_owner' });
    }
    if (subject.systemAdmin && !(await this.subjects.hasOtherSystemAdmin(organizationId, userId, tx))) {
      throw new AppError('conflict', 'The service keeps at least one system administrator', {
        reason: 'member.last_system_admin',
      });
    }
  }

  /** The audit entries that are left; every other table must be empty. */
  private async entriesLeft(person: PersonIn): Promise<number> {
    let entries = 0;
    for (const table of PERSON_TABLES) {
      const { by } = table.erasure;
      if (by === 'account') continue;
      const left = await this.rows.count(table, person);
      if (by === 'audit') entries += left;
      else if (left > 0) throw new Error(`The erasure left ${left} rows in ${table.table}`);
    }
    return entries;
  }
}

/** Milliseconds between two renewals of the lease of 20 s. */
const RENEW_MS = 5_000;

/** Runs the steps of one erasure. A process that dies between two of them leaves nothing half done. */
@Injectable()
export class ErasureRunner {
  constructor(
    private readonly requests: ErasureRepository,
    private readonly accounts: AccountRemoval,
    private readonly openRuns: RunTermination,
    private readonly redaction: AuditRedaction,
    private readonly steps: ErasureSteps,
  ) {}

  /** Null when the request is done, or another process holds it. */
  async run(organizationId: string, id: string, signal: AbortSignal): Promise<ErasureReport | null> {
    const held = await this.requests.claim(organizationId, id);
    if (held === null) return null;
    const lost = new AbortController();
    const renewal = setInterval(() => {
      this.requests.renew(held).catch((error: unknown) => lost.abort(error));
    }, RENEW_MS);
    try {
      return await this.erase(held, AbortSignal.any([signal, lost.signal]));
    } catch (error) {
      await this.requests.release(held, error instanceof AppError ? error.code : 'internal_error');
      throw error;
    } finally {
      clearInterval(renewal);
    }
  }

  private async erase(held: HeldErasure, signal: AbortSignal): Promise<ErasureReport> {
    const deactivatedAt = await this.accounts.deactivate(held);
    await this.openRuns.end({ organizationId: held.organizationId, userId: held.subjectId }, deactivatedAt, signal);
    await this.redaction.run(held);
    await this.steps.treatFiles(held);
    await this.steps.treatContent(held);
    await this.steps.purgeKnowledgeBases(held, signal);
    await this.steps.treatRows(held, signal);
    return this.accounts.finish(held);
  }
}
