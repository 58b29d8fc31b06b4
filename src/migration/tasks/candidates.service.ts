import { Injectable } from '@nestjs/common';
import { AssistantRewrites, type RewriteSubject } from '../../assistants';
import type { MetadataVersion, RewritePlan } from '../../assistants/definition';
import { AppError, type Problem } from '../../kernel';
import { OrganizationsService } from '../../organizations';
import { BatchItemRepository } from '../batches/batch-item.repository';
import type { BatchScope } from '../batches/batch.types';
import { EventLoopYield } from '../proof/yield-to-event-loop';
import { storedVersion } from '../proof/stored-version';

export type Verdict =
  | { readonly kind: 'current'; readonly from: MetadataVersion }
  | { readonly kind: 'skipped'; readonly from: MetadataVersion | null; readonly problems: readonly Problem[] }
  | { readonly kind: 'ready'; readonly from: MetadataVersion; readonly plan: Extract<RewritePlan, { status: 'ready' }> }
  | {
      readonly kind: 'refused';
      readonly from: MetadataVersion | null;
      readonly plan: Extract<RewritePlan, { status: 'refused' }>;
    };

export interface Examined {
  readonly subject: RewriteSubject;
  readonly verdict: Verdict;
}

/** Most bytes of documents in one page. History and audit store each document several times. */
const MOST_BYTES = 4_000_000;

const WITHOUT_FEATURE: readonly Problem[] = [
  { path: 'organization.features.multi_tool', message: 'is switched off', code: 'feature_disabled' },
];

@Injectable()
export class Candidates {
  constructor(
    private readonly rewrites: AssistantRewrites,
    private readonly organizations: OrganizationsService,
    private readonly items: BatchItemRepository,
  ) {}

  /** Live assistants of the scope after `afterId`, by id. Ends between pages when the signal fires. */
  async *pages(
    { organizationId }: Pick<BatchScope, 'organizationId'>,
    { afterId, limit, signal }: { afterId: number; limit: number; signal: AbortSignal },
  ): AsyncGenerator<readonly RewriteSubject[], void, void> {
    for (let last = afterId; !signal.aborted;) {
      const most = await this.items.within(MOST_BYTES, organizationId, last, limit);
      const page = await this.rewrites.subjects({ organizationId, afterId: last, limit: most });
      if (page.length > 0) yield page;
      const end = page.at(-1);
      if (end === undefined || page.length < most) return;
      last = end.id;
    }
  }

  async examine(subjects: readonly RewriteSubject[], to: BatchScope['to']): Promise<Examined[]> {
    const examined: Examined[] = [];
    const eventLoop = new EventLoopYield();
    for (const subject of subjects) {
      examined.push({ subject, verdict: await this.verdictOn(subject, to) });
      await eventLoop.ifDue();
    }
    return examined;
  }

  /** False for an organization that was removed meanwhile. */
  async mayMigrate(organizationId: string): Promise<boolean> {
    try {
      return (await this.organizations.runtime(organizationId)).features.multi_tool;
    } catch (error) {
      if (error instanceof AppError && error.code === 'not_found') return false;
      throw error;
    }
  }

  private async verdictOn(subject: RewriteSubject, to: BatchScope['to']): Promise<Verdict> {
    const from = storedVersion(subject);
    if (!(await this.mayMigrate(subject.organizationId)))
      return from !== null && from >= to
        ? { kind: 'current', from }
        : { kind: 'skipped', from, problems: WITHOUT_FEATURE };
    const plan = await this.rewrites.plan(subject, to);
    switch (plan.status) {
      case 'current':
        return { kind: 'current', from: plan.from };
      case 'ready':
        return { kind: 'ready', from: plan.from, plan };
      case 'refused':
        return { kind: 'refused', from: plan.from, plan };
    }
  }
}
