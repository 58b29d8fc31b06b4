import { AppError, type Problem, orNull } from '@bellwether/kernel';
import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { AssistantRewrites, type RewriteSubject } from '../../assistants';
import type { AssistantType, MetadataVersion, RewritePlan } from '../../assistants/definition';
import { OrganizationsService } from '../../organizations';
import { BatchItemRepository } from '../batches/batch-item.repository';
import type {
  BatchScope,
  MigrationPlan,
  OrganizationStatus,
  PlannedRefusal,
  PlannedRewrite,
  TaskControl,
  VersionCount,
} from '../batches/batch.types';
import { storedVersion } from '../proof/proved-migrator';
import { EventLoopYield } from '../proof/yield-to-event-loop';
import { boundedDifferences, boundedProblems } from './bounded';

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
export class MigrationCandidates {
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

/** Longer texts are compared as a whole: the table grows with the product of both lengths. */
const MOST_LINES = 400;
const CONTEXT = 2;
const MOST_WIDTH = 200;

interface DiffLine {
  readonly mark: ' ' | '-' | '+';
  readonly text: string;
}

/** Indents JSON, so that a change is a line; other text stays unchanged. */
function pretty(metadata: string): string {
  if (metadata.trim() === '') return '{}';
  try {
    return JSON.stringify(JSON.parse(metadata), null, 2);
  } catch {
    return metadata;
  }
}

/** A unified diff of metadata and template with two lines of context, at most `limit` lines. */
export function definitionDiff(before: Documents, after: Documents, limit = 120): string[] {
  const lines = [
    ...section('metadata', pretty(before.metadata), pretty(after.metadata)),
    ...section('prompt_template', before.promptTemplate, after.promptTemplate),
  ];
  return lines.length <= limit ? lines : [...lines.slice(0, limit), `… ${lines.length - limit} more lines`];
}

function section(name: string, before: string, after: string): string[] {
  if (before === after) return [];
  return [`--- ${name}`, `+++ ${name}`, ...hunks(diffLines(before.split('\n'), after.split('\n')))];
}

function hunks(lines: readonly DiffLine[]): string[] {
  const shown: string[] = [];
  let hidden = false;
  for (const [n, { mark, text }] of lines.entries()) {
    const near = lines.slice(Math.max(0, n - CONTEXT), n + CONTEXT + 1).some((line) => line.mark !== ' ');
    if (near) {
      if (hidden) shown.push('@@');
      shown.push(`${mark}${text.length > MOST_WIDTH ? `${text.slice(0, MOST_WIDTH).toWellFormed()}…` : text}`);
    }
    hidden = !near;
  }
  return shown;
}

/** Differences by the longest common subsequence of lines (Wagner–Fischer). */
function diffLines(before: readonly string[], after: readonly string[]): DiffLine[] {
  const removed = before.map((text): DiffLine => ({ mark: '-', text }));
  const added = after.map((text): DiffLine => ({ mark: '+', text }));
  if (before.length > MOST_LINES || after.length > MOST_LINES) return [...removed, ...added];
  const common = commonLines(before, after);
  const lines: DiffLine[] = [];
  let [b, a] = [0, 0];
  while (b < before.length && a < after.length) {
    if (before[b] === after[a]) {
      lines.push({ mark: ' ', text: before[b] ?? '' });
      b += 1;
      a += 1;
    } else if (common(b + 1, a) >= common(b, a + 1)) lines.push(...removed.slice(b, (b += 1)));
    else lines.push(...added.slice(a, (a += 1)));
  }
  return [...lines, ...removed.slice(b), ...added.slice(a)];
}

/** Length of the longest common subsequence from line `b` of one text and line `a` of the other. */
function commonLines(before: readonly string[], after: readonly string[]): (b: number, a: number) => number {
  const width = after.length + 1;
  const table = new Uint16Array((before.length + 1) * width);
  const at = (b: number, a: number): number => table[b * width + a] ?? 0;
  for (let b = before.length - 1; b >= 0; b--) {
    for (let a = after.length - 1; a >= 0; a--)
      table[b * width + a] = before[b] === after[a] ? 1 + at(b + 1, a + 1) : Math.max(at(b + 1, a), at(b, a + 1));
  }
  return at;
}

type Documents = Pick<RewriteSubject['definition'], 'metadata' | 'promptTemplate'>;

/** SHA-256 of the stored metadata and template. */
export const definitionHash = ({ metadata, promptTemplate }: Documents): string =>
  createHash('sha256')
    .update(JSON.stringify([metadata, promptTemplate]))
    .digest('hex');

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
    private readonly candidates: MigrationCandidates,
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

  private statusOf(organizationId: string, census: Census): Promise<OrganizationStatus | null> {
    return orNull('not_found', async () => {
      const { slug, features } = await this.organizations.runtime(organizationId);
      return { slug, migratable: features.multi_tool, total: census.total, versions: census.list() };
    });
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
