import type { LambSource } from '@bellwether/lamb-reader';
import { Injectable } from '@nestjs/common';
import type { ImportedAssistant, ImportedShares } from '../../../src/assistants';
import type { Transaction } from '../../../src/infrastructure/database';
import { calledAssistants, withNewNames } from '../metadata-references';
import type { ImportPlan, PlannedAssistant, SourceItem, WriteContext } from '../plan/plan.types';
import type { FileNames } from './file-transfer';
import { ImportTargets } from './organization-writer';
import { type Match, Reconciliation } from './reconciliation';

/** Ids of a dry run: far above those in use, and never written. */
const DRY_IDS = 2_000_000_000;

/** Writes assistants under their ids where those are free, with references to files and assistants renamed, and their shares. */
@Injectable()
export class AssistantWriter {
  constructor(private readonly targets: ImportTargets) {}

  async write(
    { assistants }: ImportPlan,
    nameOf: FileNames,
    context: WriteContext,
  ): Promise<Reconciliation<ImportedAssistant>> {
    const reconciliation = new Reconciliation('assistant', this.targets.assistants, context);
    const ids = await this.idsOf(assistants, await reconciliation.match(assistants), context);
    const items = assistants.map((assistant) => renamed(assistant, ids, nameOf, context));
    await reconciliation.write(items, ({ origin }) => String(ids.get(Number(origin))));
    await this.keepAliases(reconciliation, context);
    return reconciliation;
  }

  async share(
    { assistants, shares }: ImportPlan,
    ids: ReadonlyMap<string, string>,
    context: WriteContext,
  ): Promise<Reconciliation<ImportedShares>> {
    const sharedBefore = new Set(context.origins.of('share').map(({ localId }) => localId));
    const items = assistants.flatMap(({ id: origin, origin: key }): SourceItem<ImportedShares>[] => {
      const id = ids.get(key);
      const users = shares.get(origin) ?? [];
      // An assistant that was shared before gets the list although it is empty now.
      if (id === undefined || (users.length === 0 && !sharedBefore.has(id))) return [];
      const list = [...new Set(users)].sort().map((userId) => ({ userId, access: 'use' as const }));
      return [{ origin: key, name: id, value: { assistantId: Number(id), shares: list } }];
    });
    const reconciliation = new Reconciliation('share', this.targets.shares, context);
    await reconciliation.match(items);
    await reconciliation.write(items, ({ value }) => String(value.assistantId));
    return reconciliation;
  }

  /** Ids here by the source's, of known assistants and of those that will be created. */
  private async idsOf(
    assistants: readonly PlannedAssistant[],
    matches: ReadonlyMap<string, Match>,
    context: WriteContext,
  ): Promise<ReadonlyMap<number, number>> {
    const ids = new Map<number, number>();
    const created: number[] = [];
    for (const { id, origin } of assistants) {
      const match = matches.get(origin);
      if (match?.status === 'stored' && match.link !== null) ids.set(id, Number(match.id));
      if (match?.status === 'new') created.push(id);
    }
    for (const [id, given] of await this.newIds(created, context)) ids.set(id, given);
    return ids;
  }

  /** Ids here of new assistants, by the source's. */
  private async newIds(
    created: readonly number[],
    { options, source, tx }: WriteContext,
  ): Promise<ReadonlyMap<number, number>> {
    if (options.dryRun) return new Map(created.map((id, index) => [id, DRY_IDS + index]));
    const kept = options.choices.newIds ? new Set<number>() : await this.keptIds(created, source, tx);
    const others = created.filter((id) => !kept.has(id));
    const reserved = await this.targets.assistants.reserveIds(others.length, tx);
    return new Map([
      ...[...kept].map((id) => [id, id] as const),
      ...others.map((id, index) => [id, reserved[index] ?? 0] as const),
    ]);
  }

  /** The ids of all organizations of the source are kept free: the next one may need them. */
  private async keptIds(
    created: readonly number[],
    { assistants }: LambSource,
    tx: Transaction,
  ): Promise<ReadonlySet<number>> {
    const all = assistants.map(({ id }) => id);
    await this.targets.assistants.advanceIds(all, tx);
    return this.targets.assistants.freeIds(created, tx);
  }

  private async keepAliases({ ids }: Reconciliation<ImportedAssistant>, context: WriteContext): Promise<void> {
    if (context.options.dryRun) return;
    const aliases = [...ids].map(([origin, id]) => [Number(origin), Number(id)] as const);
    await this.targets.assistants.keepAliases(context, context.options.sourceName, aliases);
  }
}

function renamed(
  { id, value, ...item }: PlannedAssistant,
  ids: ReadonlyMap<number, number>,
  nameOf: FileNames,
  { report }: WriteContext,
): SourceItem<ImportedAssistant> {
  for (const called of calledAssistants(value.metadata)) {
    if (ids.has(called)) continue;
    const message = `called assistant ${called}, which was not imported; it calls none now`;
    report.note({ kind: 'assistant', origin: id, name: item.name }, 'function.target_missing', message);
  }
  const metadata = withNewNames(value.metadata, {
    file: (path) => nameOf(id, path),
    assistant: (called) => ids.get(called) ?? null,
  });
  return { ...item, value: { ...value, metadata } };
}
