import { Inject, Injectable } from '@nestjs/common';
import {
  classicPath,
  definitionMetadata,
  type MetadataMigrator,
  type MetadataVersion,
  migrateDefinition,
  type PromptDifference,
  type RewritePlan,
  type RewriteSubject,
  StaticChecks,
} from '../assistants';
import type { Problem } from '../kernel';
import { StrategyCatalogue } from '../orchestrators';
import { CONFIG, type Config } from '../platform/config';
import { Breath } from './batches/breath';
import { storedVersion } from './batches/stored-version';
import { compareDocuments } from './proof/compare-documents';
import { MOST_SLOTS, TOO_MANY_SLOTS } from './proof/proof-budget';
import { PromptRenderer } from './proof/prompt-renderer';

type Definition = RewriteSubject['definition'];

/**
 * Takes a definition to a metadata version and proves it: the new document could be saved, and the pipelines that answer
 * questions make the same prompts of both on the recorded inputs, runs of white space aside. Reads no database.
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
    const breath = new Breath();
    const from = storedVersion(subject);
    // What cannot be read or is current already is for the steps to say.
    const old = from === null || from >= to ? null : this.renderer.open({ id, definition });
    if (old !== null && old.slots > MOST_SLOTS) return refused(from, [TOO_MANY_SLOTS]);
    await breath.take();
    const plan = migrateDefinition(definition, to, this.checks.vocabulary);
    if (plan.status === 'refused') return refused(plan.from, plan.problems);
    if (plan.status === 'current') return plan;
    await breath.take();
    const problems = this.problems(definition, plan);
    if (problems.length > 0) return refused(plan.from, problems);
    const before = old ?? this.renderer.open({ id, definition });
    const after = this.renderer.open({ id, definition: plan.definition });
    await breath.take();
    const changed = await compareDocuments(before, after, breath);
    return changed.problems.length === 0 ? plan : refused(plan.from, changed.problems, changed.differences);
  }

  /** A tool's entry that is not as a save wants it could lose something on the way: it is looked at before and after. */
  private problems(definition: Definition, plan: RewritePlan & { readonly status: 'ready' }): readonly Problem[] {
    const of = (each: Definition): readonly Problem[] => this.checks.problems(definitionMetadata(each));
    const after = of(plan.definition);
    if (plan.from === 1) return after.map((problem) => ({ ...problem, path: classicPath(problem.path) }));
    const before = of(definition);
    return before.length > 0 ? before : after;
  }
}

const MOST_PROBLEMS = 100;

/** Problems may quote what an author wrote, cut anywhere. */
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
