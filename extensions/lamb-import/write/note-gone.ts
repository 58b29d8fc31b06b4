import { isJsonObject } from '../../../src/kernel';
import type { ImportTarget } from '../../../src/infrastructure/database';
import type { WriteContext } from '../plan/import-context.types';
import type { ItemKind } from '../report/report.types';

interface Reconciled {
  readonly kind: ItemKind;
  readonly target: Pick<ImportTarget<unknown>, 'find'>;
  /** Ids here by origin, of the items that the source has. */
  readonly ids: ReadonlyMap<string, string>;
}

/** Notes items of earlier imports that the source no longer has. They stay here. */
export async function noteGone({ kind, target, ids }: Reconciled, context: WriteContext): Promise<void> {
  const { origins, report } = context;
  const present = new Set(ids.values());
  const gone = origins.of(kind).filter(({ localId }) => !present.has(localId));
  if (gone.length === 0) return;
  const stored = await target.find(
    context,
    gone.map(({ localId }) => localId),
  );
  for (const { originId, localId } of gone) {
    const value = stored.get(localId);
    if (value === undefined) continue;
    const item = { kind, origin: originId, name: nameOf(value) };
    const message = kind === 'assistant' ? assistantStays(localId, value) : 'it stays here';
    if (report.extendLeftOut(item, message)) continue;
    report.note(item, 'gone_at_source', `is not at the source any more; ${message}`);
  }
}

function assistantStays(id: string, value: unknown): string {
  const isPublished = isJsonObject(value) && value['published'] === true;
  return `it stays here as lamb_assistant.${id}${isPublished ? ', and stays published' : ''}`;
}

function nameOf(value: unknown): string | null {
  if (!isJsonObject(value)) return null;
  const { name, document } = value;
  const title = isJsonObject(document) ? document['title'] : undefined;
  return [name, title].find((each) => typeof each === 'string') ?? null;
}
