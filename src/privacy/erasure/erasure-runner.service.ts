import { Injectable } from '@nestjs/common';
import { AppError } from '../../kernel';
import { AccountRemoval } from './account-removal.service';
import { AuditRedaction } from './audit-redaction.service';
import { ErasureRepository } from './erasure.repository';
import { ErasureSteps } from './erasure-steps.service';
import type { ErasureReport, HeldErasure } from './erasure.types';
import { OpenRuns } from './open-runs.service';

/** Milliseconds between two renewals of the lease of 20 s. */
const RENEW_MS = 5_000;

/** Runs the steps of one erasure. A process that dies between two of them leaves nothing half done. */
@Injectable()
export class ErasureRunner {
  constructor(
    private readonly requests: ErasureRepository,
    private readonly accounts: AccountRemoval,
    private readonly openRuns: OpenRuns,
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
