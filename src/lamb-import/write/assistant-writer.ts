import { Injectable } from '@nestjs/common';
import type { ImportedAssistant, ImportedShares } from '../../assistants';
import { calledAssistants, withNewNames } from '../convert/metadata-references';
import type { WriteContext } from '../plan/import-context.types';
import type { ImportPlan, PlannedAssistant, SourceItem } from '../plan/plan.types';
import type { FileNames } from './file-transfer';
import { ImportTargets } from './import-targets';
import type { Match } from './match-items';
import { Reconciliation } from './reconciliation';

/** Ids of a dry run: far above those in use, and never written. */
const DRY_IDS = 2_000_000_000;

/** Writes assistants under new ids, with references to files and assistants renamed, and their shares. */
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
    { options, tx }: WriteContext,
  ): Promise<ReadonlyMap<number, number>> {
    const ids = new Map<number, number>();
    const created: number[] = [];
    for (const { id, origin } of assistants) {
      const match = matches.get(origin);
      if (match?.status === 'stored' && match.link !== null) ids.set(id, Number(match.id));
      if (match?.status === 'new') created.push(id);
    }
    const reserved = options.dryRun ? [] : await this.targets.assistants.reserveIds(created.length, tx);
    for (const [index, id] of created.entries()) ids.set(id, reserved[index] ?? DRY_IDS + index);
    return ids;
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
