import type { Problem } from '@bellwether/kernel';
import { Inject, Injectable } from '@nestjs/common';
import { type MetadataMigrator, type RewriteSubject, StaticChecks } from '../../assistants';
import {
  type MetadataVersion,
  type PromptDifference,
  type RewritePlan,
  classicPath,
  definitionMetadata,
  migrateDefinition,
  parseMetadata,
  runningVersion,
  versionProblem,
} from '../../assistants/definition';
import { CONFIG, type Config } from '../../infrastructure/config';
import { StrategyCatalogue } from '../../orchestrators';
import { compareDocuments } from './compare-documents';
import { PromptRenderer } from './prompt-renderer';
import { MOST_SLOTS, TOO_MANY_SLOTS } from './proof-budget';
import { EventLoopYield } from './yield-to-event-loop';

/** Metadata version of a stored document; null when it cannot be read or the version is unknown. */
export function storedVersion({ definition }: RewriteSubject): MetadataVersion | null {
  const parsed = parseMetadata(definition.metadata);
  return parsed.ok && versionProblem(parsed.metadata) === null ? runningVersion(parsed.metadata) : null;
}

type Definition = RewriteSubject['definition'];

/**
 * Migrates a definition and proves the result: the new document can be saved, and all recorded inputs give the same
 * prompts up to runs of white space. Reads no database.
 */
@Injectable()
export class ProvedMigrator implements MetadataMigrator {
  private readonly renderer: PromptRenderer;

  constructor(
    private readonly checks: StaticChecks,
    strategies: StrategyCatalogue,
    @Inject(CONFIG) config: Config,
  ) {
    this.renderer = new PromptRenderer(strategies, config, checks.vocabulary);
  }

  async plan(subject: RewriteSubject, to: MetadataVersion): Promise<RewritePlan> {
    const { id, definition } = subject;
    const eventLoop = new EventLoopYield();
    const from = storedVersion(subject);
    // The steps report documents that are unreadable or current.
    const old = from === null || from >= to ? null : this.renderer.open({ id, definition });
    if (old !== null && old.slots > MOST_SLOTS) return refused(from, [TOO_MANY_SLOTS]);
    await eventLoop.ifDue();
    const plan = migrateDefinition(definition, to, this.checks.vocabulary);
    if (plan.status === 'refused') return refused(plan.from, plan.problems);
    if (plan.status === 'current') return plan;
    await eventLoop.ifDue();
    const problems = this.problems(definition, plan);
    if (problems.length > 0) return refused(plan.from, problems);
    const before = old ?? this.renderer.open({ id, definition });
    const after = this.renderer.open({ id, definition: plan.definition });
    await eventLoop.ifDue();
    const changed = await compareDocuments(before, after, eventLoop);
    return changed.problems.length === 0 ? plan : refused(plan.from, changed.problems, changed.differences);
  }

  /** An invalid tool entry could lose members in a step, so entries are checked before and after. */
  private problems(definition: Definition, plan: RewritePlan & { readonly status: 'ready' }): readonly Problem[] {
    const of = (each: Definition): readonly Problem[] => this.checks.problems(definitionMetadata(each));
    const after = of(plan.definition);
    if (plan.from === 1) return after.map((problem) => ({ ...problem, path: classicPath(problem.path) }));
    const before = of(definition);
    return before.length > 0 ? before : after;
  }
}

const MOST_PROBLEMS = 100;

/** Problems may quote an author's text, cut anywhere. */
const refused = (
  from: MetadataVersion | null,
  problems: readonly Problem[],
  differences: readonly PromptDifference[] = [],
): RewritePlan => ({
  status: 'refused',
  from,
  problems: problems.slice(0, MOST_PROBLEMS).map((problem) => ({
    ...problem,
    path: problem.path.toWellFormed(),
    message: problem.message.toWellFormed(),
  })),
  differences,
});
