import { Injectable } from '@nestjs/common';
import { type ArrivingAssistant, AssistantArrivals } from '../../assistants';
import type { ImportOptions } from '../import.types';
import { calledAssistants, withNewNames } from '../reading/metadata-references';
import { fingerprint } from '../reading/fingerprint';
import type { OriginBook } from '../storage/origin.repository';
import type { MovedContent, PlannedContent } from './content';
import { FileLuggage } from './file-luggage';
import type { ImportEntry } from './import-records';
import { type Ground, Landings, type SharedAssistant } from './landings';
import type { PlannedAssistant } from './plan-assistants';
import type { Arrival, Landing, Reconciled } from './reconcile';
import type { Tally } from './tally';

/** Ids of a dry run: far above those in use, and never written. */
const DRY_IDS = 2_000_000_000;

export interface AssistantWriting {
  readonly ground: Ground;
  readonly content: PlannedContent;
  readonly book: OriginBook;
  readonly options: ImportOptions;
  readonly land: <T>(landing: Landing<T>, arrivals: readonly Arrival<T>[]) => Promise<Reconciled>;
}

type Written = Pick<MovedContent, 'assistants' | 'createdAssistants' | 'entries'>;

/** Assistants under new ids, calling each other by them, and with whom they are shared. */
@Injectable()
export class AssistantMove {
  constructor(
    private readonly assistants: AssistantArrivals,
    private readonly landings: Landings,
    private readonly luggage: FileLuggage,
  ) {}

  async write(writing: AssistantWriting, tally: Tally): Promise<Written> {
    const { ground, content, land } = writing;
    const { known, fresh } = await this.ids(writing);
    const ids = new Map([...known, ...fresh]);
    const arrivals = content.assistants.map((planned) => this.renamed(planned, ids, tally));
    const times = new Map(content.assistants.map(({ origin, times }) => [origin, times]));
    const reserved = new Map([...fresh].map(([origin, id]) => [String(origin), id]));
    const reconciled = await land(this.landings.assistants(ground, { ids: reserved, times }), arrivals);
    await this.share(writing, reconciled);
    const assistants = content.assistants.flatMap(({ id: origin, origin: key, name }) => {
      const id = reconciled.ids.get(key);
      return id === undefined ? [] : [{ origin, id: Number(id), name: name ?? '' }];
    });
    return {
      assistants,
      createdAssistants: reconciled.created.map(Number),
      entries: entriesOf(reconciled, arrivals),
    };
  }

  /** Ours by the source's: of those that came before, and of those that will be made now. */
  private async ids({ ground, content, book, options }: AssistantWriting) {
    const known = new Map<number, number>();
    const newcomers: PlannedAssistant[] = [];
    const taken = new Set((await this.assistants.taken(ground.organizationId, ground.tx)).map(({ key }) => key));
    for (const planned of content.assistants) {
      const origin = book.find('assistant', planned.origin);
      if (origin !== null) known.set(planned.id, Number(origin.localId));
      else if (!taken.has(this.assistants.keyOf(planned.value))) newcomers.push(planned);
    }
    const ids = options.dryRun
      ? newcomers.map((_, index) => DRY_IDS + index)
      : await this.assistants.reserve(newcomers.length, ground.tx);
    return { known, fresh: new Map(newcomers.map(({ id }, index) => [id, ids[index] ?? 0])) };
  }

  private renamed(
    { origin, id, name, value }: PlannedAssistant,
    ids: ReadonlyMap<number, number>,
    tally: Tally,
  ): Arrival<ArrivingAssistant> {
    for (const called of calledAssistants(value.metadata)) {
      if (ids.has(called)) continue;
      const message = `called assistant ${called}, which did not come along; it calls none in its place`;
      tally.note({ kind: 'assistant', origin: id, name }, 'function.target_missing', message);
    }
    const metadata = withNewNames(value.metadata, {
      file: (path) => this.luggage.nameOf(path),
      assistant: (called) => ids.get(called) ?? null,
    });
    return { origin, name, value: { ...value, metadata } };
  }

  private async share({ ground, content, land }: AssistantWriting, { ids }: Reconciled): Promise<void> {
    const arrivals = [...content.shares].flatMap(([origin, users]): Arrival<SharedAssistant>[] => {
      const id = ids.get(String(origin));
      if (id === undefined) return [];
      const shares = [...new Set(users)].sort().map((userId) => ({ userId, access: 'use' as const }));
      return [{ origin: String(origin), name: id, value: { assistantId: Number(id), shares } }];
    });
    const assistantIds = arrivals.map(({ value }) => value.assistantId);
    await land(this.landings.shares(ground, assistantIds), arrivals);
  }
}

function entriesOf(
  { ids, created, updated }: Reconciled,
  arrivals: readonly Arrival<ArrivingAssistant>[],
): ImportEntry[] {
  const written = new Set([...created, ...updated]);
  return arrivals.flatMap(({ origin, value }) => {
    const id = ids.get(origin);
    if (id === undefined || !written.has(id)) return [];
    const after = { origin, ...value, sha256: fingerprint(value) };
    return [{ action: 'assistant.import', target: { type: 'assistant', id }, after }];
  });
}
