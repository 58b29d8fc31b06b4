import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { Caller } from '../../../src/kernel';
import { AuditLog } from '../../../src/infrastructure/audit';

/** Insights that are read again in this time are the same reading. */
const SAME_READING_MS = 10 * 60_000;
const MOST_READINGS = 10_000;

/** Audits who reads what a class asks. Each process counts for itself. */
@Injectable()
export class InsightReadings {
  private readonly recent = new LRUCache<string, true>({ max: MOST_READINGS, ttl: SAME_READING_MS });

  constructor(private readonly audit: AuditLog) {}

  async of(caller: Caller, assistantId: number): Promise<void> {
    const key = `${caller.organizationId} ${caller.userId} ${assistantId}`;
    if (this.recent.has(key)) return;
    this.recent.set(key, true);
    const target = { type: 'assistant', id: String(assistantId) };
    await this.audit.record({ caller, action: 'assistant.insights_read', target });
  }
}
