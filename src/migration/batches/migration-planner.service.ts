import { Injectable } from '@nestjs/common';
import type { AssistantType, MetadataVersion, RewriteSubject } from '../../assistants';
import { AppError } from '../../kernel';
import { OrganizationsService } from '../../organizations';
import type { BatchScope, TaskControl } from './batch.types';
import { Candidates, type Examined } from './candidates.service';
import { definitionDiff } from './definition-diff';
import type {
  MigrationPlan,
  OrganizationStatus,
  PlannedRefusal,
  PlannedRewrite,
  VersionCount,
} from './migration-plan.types';
import { storedVersion } from './stored-version';

const PAGE = 100;
const MOST_REFUSALS = 100;
const MOST_ORGANIZATIONS = 100;

/** How many documents there are of each version and type. */
class Census {
  private readonly counts = new Map<string, { version: MetadataVersion | null; type: AssistantType; count: number }>();
  total = 0;

  add(version: MetadataVersion | null, type: AssistantType): void {
    const key = `${version ?? ''}/${type}`;
    const entry = this.counts.get(key) ?? { version, type, count: 0 };
    this.counts.set(key, entry);
    entry.count += 1;
    this.total += 1;
  }

  list(): VersionCount[] {
    return [...this.counts.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, entry]) => entry);
  }
}

/** Says what there is and what a migration would do, page by page, without a word written. */
@Injectable()
export class MigrationPlanner {
  constructor(
    private readonly candidates: Candidates,
    private readonly organizations: OrganizationsService,
  ) {}

  /** `listed`: how many rewrites are shown with their diffs. */
  async plan(scope: BatchScope, listed: number, { signal, report }: TaskControl): Promise<MigrationPlan> {
    const counts = { migrate: 0, current: 0, skipped: 0, failed: 0 };
    const census = new Census();
    const rewrites: PlannedRewrite[] = [];
    const refusals: PlannedRefusal[] = [];
    const left = new Map<string, number>();
    for await (const page of this.candidates.pages(scope, { afterId: 0, limit: PAGE, signal })) {
      for (const examined of await this.candidates.examine(page, scope.to)) {
        const { subject, verdict } = examined;
        census.add(verdict.from, subject.definition.type);
        counts[verdict.kind === 'ready' ? 'migrate' : verdict.kind === 'refused' ? 'failed' : verdict.kind] += 1;
        if (rewrites.length < listed) rewrites.push(...rewriteOf(examined));
        if (refusals.length < MOST_REFUSALS) refusals.push(...refusalOf(examined));
        if (verdict.kind === 'skipped') left.set(subject.organizationId, (left.get(subject.organizationId) ?? 0) + 1);
      }
      report({ done: census.total, total: null, text: 'assistants' });
    }
    return {
      ...scope,
      examined: census.total,
      ...counts,
      versions: census.list(),
      rewrites,
      refusals,
      skippedOrganizations: [...left]
        .slice(0, MOST_ORGANIZATIONS)
        .map(([organizationId, count]) => ({ organizationId, count })),
      complete: !signal.aborted,
    };
  }

  /** Per organization, which versions its documents have. */
  async status(organizationId: string | null, signal: AbortSignal): Promise<OrganizationStatus[]> {
    const found = new Map<string, Census>();
    if (organizationId !== null) found.set(organizationId, new Census());
    for await (const page of this.candidates.pages({ organizationId }, { afterId: 0, limit: PAGE, signal })) {
      for (const subject of page) {
        const census = found.get(subject.organizationId) ?? new Census();
        found.set(subject.organizationId, census);
        census.add(storedVersion(subject), subject.definition.type);
      }
    }
    const statuses = await Promise.all([...found].map(([id, census]) => this.statusOf(id, census)));
    return statuses.filter((status) => status !== null).sort((a, b) => (a.slug < b.slug ? -1 : 1));
  }

  private async statusOf(organizationId: string, census: Census): Promise<OrganizationStatus | null> {
    try {
      const { slug, features } = await this.organizations.runtime(organizationId);
      return { organizationId, slug, migratable: features.multi_tool, total: census.total, versions: census.list() };
    } catch (error) {
      if (error instanceof AppError && error.code === 'not_found') return null;
      throw error;
    }
  }
}

const headOf = ({ id, organizationId, definition }: RewriteSubject) => ({
  assistantId: id,
  organizationId,
  name: definition.name,
});

function rewriteOf({ subject, verdict }: Examined): PlannedRewrite[] {
  if (verdict.kind !== 'ready') return [];
  const { plan, from } = verdict;
  return [{ ...headOf(subject), from, diff: definitionDiff(subject.definition, plan.definition), notes: plan.notes }];
}

function refusalOf({ subject, verdict }: Examined): PlannedRefusal[] {
  if (verdict.kind !== 'refused') return [];
  const { problems, differences } = verdict.plan;
  return [{ ...headOf(subject), from: verdict.from, problems, differences }];
}
