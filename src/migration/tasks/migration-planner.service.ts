import { Injectable } from '@nestjs/common';
import type { RewriteSubject } from '../../assistants';
import type { AssistantType, MetadataVersion } from '../../assistants/definition';
import { AppError } from '../../kernel';
import { OrganizationsService } from '../../organizations';
import { boundedDifferences, boundedProblems } from './bounded';
import { EventLoopYield } from '../proof/yield-to-event-loop';
import { Candidates, type Verdict } from './candidates.service';
import { definitionDiff } from './definition-diff';
import type {
  BatchScope,
  MigrationPlan,
  OrganizationStatus,
  PlannedRefusal,
  PlannedRewrite,
  TaskControl,
  VersionCount,
} from '../batches/batch.types';
import { storedVersion } from '../proof/stored-version';

const PAGE = 100;
const MOST_REFUSALS = 100;
const MOST_ORGANIZATIONS = 100;
/** Characters of all rewrites, and of all refusals, that a plan shows. */
const MOST_CHARACTERS = 1_000_000;

/** The first entries, up to a number and a total size. */
class Shown<T> {
  readonly list: T[] = [];
  private characters = 0;

  constructor(private readonly most: number) {}

  get isFull(): boolean {
    return this.list.length >= this.most || this.characters >= MOST_CHARACTERS;
  }

  add(entry: T): void {
    this.characters += JSON.stringify(entry).length;
    this.list.push(entry);
  }
}

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

/** Counts stored versions and plans migrations, page by page. Writes nothing. */
@Injectable()
export class MigrationPlanner {
  constructor(
    private readonly candidates: Candidates,
    private readonly organizations: OrganizationsService,
  ) {}

  /** `listed`: number of rewrites shown with their diffs. */
  async plan(scope: BatchScope, listed: number, { signal, report }: TaskControl): Promise<MigrationPlan> {
    const counts = { migrate: 0, current: 0, skipped: 0, failed: 0 };
    const census = new Census();
    const rewrites = new Shown<PlannedRewrite>(listed);
    const refusals = new Shown<PlannedRefusal>(MOST_REFUSALS);
    const eventLoop = new EventLoopYield();
    const left = new Map<string, number>();
    for await (const page of this.candidates.pages(scope, { afterId: 0, limit: PAGE, signal })) {
      for (const examined of await this.candidates.examine(page, scope.to)) {
        const { subject, verdict } = examined;
        census.add(verdict.from, subject.definition.type);
        counts[verdict.kind === 'ready' ? 'migrate' : verdict.kind === 'refused' ? 'failed' : verdict.kind] += 1;
        if (verdict.kind === 'ready' && !rewrites.isFull) rewrites.add(rewriteOf(subject, verdict));
        if (verdict.kind === 'refused' && !refusals.isFull) refusals.add(refusalOf(subject, verdict));
        if (verdict.kind === 'skipped') left.set(subject.organizationId, (left.get(subject.organizationId) ?? 0) + 1);
        await eventLoop.ifDue();
      }
      report({ done: census.total, total: null, text: 'assistants' });
    }
    return {
      ...scope,
      examined: census.total,
      ...counts,
      versions: census.list(),
      rewrites: rewrites.list,
      refusals: refusals.list,
      skippedOrganizations: [...left]
        .slice(0, MOST_ORGANIZATIONS)
        .map(([organizationId, count]) => ({ organizationId, count })),
      complete: !signal.aborted,
    };
  }

  /** Versions of the stored documents, by organization. */
  async status(organizationId: string | null, signal: AbortSignal): Promise<OrganizationStatus[]> {
    const found = new Map<string, Census>();
    if (organizationId !== null) found.set(organizationId, new Census());
    const eventLoop = new EventLoopYield();
    for await (const page of this.candidates.pages({ organizationId }, { afterId: 0, limit: PAGE, signal })) {
      for (const subject of page) {
        const census = found.get(subject.organizationId) ?? new Census();
        found.set(subject.organizationId, census);
        census.add(storedVersion(subject), subject.definition.type);
        await eventLoop.ifDue();
      }
    }
    const statuses = await Promise.all([...found].map(([id, census]) => this.statusOf(id, census)));
    return statuses.filter((status) => status !== null).sort((a, b) => (a.slug < b.slug ? -1 : 1));
  }

  private async statusOf(organizationId: string, census: Census): Promise<OrganizationStatus | null> {
    try {
      const { slug, features } = await this.organizations.runtime(organizationId);
      return { slug, migratable: features.multi_tool, total: census.total, versions: census.list() };
    } catch (error) {
      if (error instanceof AppError && error.code === 'not_found') return null;
      throw error;
    }
  }
}

const headOf = ({ id, definition }: RewriteSubject) => ({
  assistantId: id,
  name: definition.name,
});

type VerdictOf<Kind extends Verdict['kind']> = Extract<Verdict, { readonly kind: Kind }>;

const rewriteOf = (subject: RewriteSubject, { plan, from }: VerdictOf<'ready'>): PlannedRewrite => ({
  ...headOf(subject),
  from,
  diff: definitionDiff(subject.definition, plan.definition),
  notes: boundedProblems(plan.notes),
});

const refusalOf = (subject: RewriteSubject, { plan, from }: VerdictOf<'refused'>): PlannedRefusal => ({
  ...headOf(subject),
  from,
  problems: boundedProblems(plan.problems),
  differences: boundedDifferences(plan.differences),
});
