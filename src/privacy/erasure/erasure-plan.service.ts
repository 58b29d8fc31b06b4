import { type Caller, existing } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import type { DataKind } from '../person-table.types';
import { PersonRowsRepository } from '../person-rows.repository';
import { PERSON_TABLES } from '../person-tables';
import { planContent } from './content-plan';
import { ContentRepository } from './content.repository';
import { keptData } from './erasure-report';
import type { ContentPlan, ErasurePlan, ErasureProblem, Subject, Unshared } from './erasure.types';
import { SubjectRepository } from './subject.repository';

export interface ErasureWish {
  readonly organizationId: string;
  /** User id or e-mail address. */
  readonly member: string;
  /** User id or e-mail address; the owner with the oldest membership when absent. */
  readonly heir?: string;
  readonly unshared: Unshared;
}

/** Answers what an erasure would do, and what stands in its way. */
@Injectable()
export class ErasurePlans {
  constructor(
    private readonly subjects: SubjectRepository,
    private readonly content: ContentRepository,
    private readonly rows: PersonRowsRepository,
  ) {}

  /** @throws {AppError} `not_found` */
  async plan(
    caller: Caller | null,
    { organizationId, member, heir: named, unshared }: ErasureWish,
  ): Promise<ErasurePlan> {
    const subject = existing(await this.subjects.find(organizationId, member), 'Member');
    const { userId } = subject;
    const heir =
      named === undefined
        ? await this.subjects.firstOtherOwner(organizationId, userId)
        : await this.subjects.find(organizationId, named);
    const content = planContent(await this.content.owned(organizationId, userId), unshared);
    const problems = [
      ...(await this.membershipProblems(caller, organizationId, subject)),
      ...(await this.heirProblems(organizationId, subject, heir, content)),
    ];
    const counts = await this.counts(organizationId, userId);
    const kept = keptData({
      auditEntries: null,
      runs: counts.runs === undefined ? 0 : null,
      content: content.handOver.length,
      accountDeleted: subject.elsewhere === 0,
    });
    return { subject, heir, unshared, content, counts, kept, problems };
  }

  private async membershipProblems(
    caller: Caller | null,
    organizationId: string,
    { userId, role, disabled, systemAdmin }: Subject,
  ): Promise<ErasureProblem[]> {
    const problems: ErasureProblem[] = [];
    const isOwner = role === 'owner';
    if (isOwner && caller?.userId === userId) {
      problems.push({ code: 'own_account', message: 'Owners cannot erase themselves; another owner does it' });
    }
    if (isOwner && !disabled && (await this.subjects.firstOtherOwner(organizationId, userId)) === null) {
      problems.push({ code: 'last_owner', message: 'An organization keeps at least one owner' });
    }
    if (systemAdmin && !disabled && !(await this.subjects.hasOtherSystemAdmin(organizationId, userId))) {
      problems.push({ code: 'last_system_admin', message: 'The service keeps at least one system administrator' });
    }
    return problems;
  }

  private async heirProblems(
    organizationId: string,
    { userId }: Subject,
    heir: Subject | null,
    { handOver }: ContentPlan,
  ): Promise<ErasureProblem[]> {
    if (handOver.length === 0) return [];
    if (heir === null) {
      return [{ code: 'no_heir', message: 'Others use content of this person: name a member who takes it over' }];
    }
    if (heir.userId === userId || heir.disabled || heir.role === null || heir.role === 'member') {
      return [{ code: 'heir_unfit', message: 'The heir must be another enabled member who may own content' }];
    }
    const files = handOver.filter(({ type }) => type === 'files');
    if (files.length === 0) return [];
    const taken = await this.content.filesWithTakenNames(organizationId, userId, heir.userId);
    return files
      .filter(({ id }) => taken.has(id))
      .map(({ name }) => ({
        code: 'file_name_taken',
        message: `The heir has another file named ${name}: choose another heir, or have the file renamed`,
      }));
  }

  private async counts(organizationId: string, userId: string): Promise<ErasurePlan['counts']> {
    const counts: Partial<Record<DataKind, number>> = {};
    for (const table of PERSON_TABLES) {
      const count = await this.rows.count(table, { organizationId, userId });
      if (count > 0) counts[table.kind] = (counts[table.kind] ?? 0) + count;
    }
    return counts;
  }
}
