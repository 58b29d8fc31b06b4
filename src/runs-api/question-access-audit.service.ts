import { type Caller, atMostFor } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { AuditLog } from '../infrastructure/audit';
import type { RunFilter, RunRecord } from '../runs';

/** A page that is read again in this time is the same reading. */
const SAME_READING_MS = 10 * 60_000;
const MOST_READINGS = 10_000;

/** Audits who reads the questions of other people. Each process counts for itself. */
@Injectable()
export class QuestionAccessAudit {
  private readonly recent = new LRUCache<string, true>(atMostFor(MOST_READINGS, SAME_READING_MS));

  constructor(private readonly audit: AuditLog) {}

  async ofOne(caller: Caller, { id, userId, assistantId, question }: RunRecord): Promise<void> {
    if (userId === caller.userId || question === null || this.isRepeated(caller, id)) return;
    const after = { assistant_id: assistantId, user_id: userId };
    await this.audit.record({ caller, action: 'run.read', target: { type: 'run', id }, after });
  }

  /** The words of a search are not recorded: they may be those of a person. */
  async ofPage(
    caller: Caller,
    { assistantId, userId, question }: Pick<RunFilter, 'assistantId' | 'userId' | 'question'>,
    records: readonly RunRecord[],
  ): Promise<void> {
    const foreign = records.filter((record) => record.userId !== caller.userId && record.question !== null);
    if (foreign.length === 0) return;
    const after = {
      ...(assistantId === undefined ? {} : { assistant_id: assistantId }),
      ...(userId === undefined ? {} : { user_id: userId }),
      searched: question !== undefined,
    };
    if (this.isRepeated(caller, JSON.stringify([after, question]))) return;
    const target = { type: 'organization', id: caller.organizationId };
    await this.audit.record({ caller, action: 'run.questions_read', target, after });
  }

  private isRepeated({ organizationId, userId }: Caller, what: string): boolean {
    const key = `${organizationId} ${userId} ${what}`;
    if (this.recent.has(key)) return true;
    this.recent.set(key, true);
    return false;
  }
}
