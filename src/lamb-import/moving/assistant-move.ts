import { Injectable } from '@nestjs/common';
import { type ArrivingAssistant, AssistantArrivals } from '../../assistants';
import type { ImportOptions } from '../import.types';
import { calledAssistants, withNewNames } from '../reading/metadata-references';
import { fingerprint } from '../reading/fingerprint';
import type { OriginBook } from '../storage/origin.repository';
import type { MovedContent, PlannedContent } from './content';
import type { PackedFiles } from './file-luggage';
import type { ImportEntry } from './import-records';
import { type Ground, Landings, type SharedAssistant } from './landings';
import { meetingsOf } from './meetings';
import type { PlannedAssistant } from './plan-assistants';
import type { Arrival, Landing, Reconciled } from './reconcile';
import type { Tally } from './tally';

/** Ids of a dry run: far above those in use, and never written. */
const DRY_IDS = 2_000_000_000;

export interface AssistantWriting {
  readonly ground: Ground;
  readonly content: PlannedContent;
  readonly packed: Pick<PackedFiles, 'nameOf'>;
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
  ) {}

  async write(writing: AssistantWriting, tally: Tally): Promise<Written> {
    const { ground, content, packed, land } = writing;
    const { known, fresh, taken } = await this.ids(writing);
    const ids = new Map([...known, ...fresh]);
    const arrivals = content.assistants.map((planned) => this.renamed(planned, ids, packed, tally));
    const times = new Map(content.assistants.map(({ origin, times }) => [origin, times]));
    const reserved = new Map([...fresh].map(([origin, id]) => [String(origin), id]));
    const reconciled = await land(this.landings.assistants(ground, { ids: reserved, taken, times }), arrivals);
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
    const here = await this.assistants.taken(ground.organizationId, ground.tx);
    const taken = here.map(({ id, key }) => ({ id: String(id), key }));
    const keys = content.assistants.map(({ origin, value }) => ({ origin, key: this.assistants.keyOf(value) }));
    const meetings = meetingsOf(keys, book.of('assistant'), taken);
    const known = new Map<number, number>();
    const newcomers: PlannedAssistant[] = [];
    for (const planned of content.assistants) {
      const origin = book.find('assistant', planned.origin);
      const meeting = meetings.get(planned.origin);
      if (origin !== null) known.set(planned.id, Number(origin.localId));
      else if (meeting?.with === 'predecessor') known.set(planned.id, Number(meeting.known.localId));
      else if (meeting?.with === 'nobody') newcomers.push(planned);
    }
    const ids = options.dryRun
      ? newcomers.map((_, index) => DRY_IDS + index)
      : await this.assistants.reserve(newcomers.length, ground.tx);
    const fresh = new Map<number, number>();
    newcomers.forEach(({ id: origin }, index) => {
      const id = ids[index];
      if (id === undefined) throw new Error('Fewer ids were reserved than asked for');
      fresh.set(origin, id);
    });
    return { known, fresh, taken };
  }

  private renamed(
    { origin, id, name, value }: PlannedAssistant,
    ids: ReadonlyMap<number, number>,
    packed: Pick<PackedFiles, 'nameOf'>,
    tally: Tally,
  ): Arrival<ArrivingAssistant> {
    for (const called of calledAssistants(value.metadata)) {
      if (ids.has(called)) continue;
      const message = `called assistant ${called}, which did not come along; it calls none in its place`;
      tally.note({ kind: 'assistant', origin: id, name }, 'function.target_missing', message);
    }
    const metadata = withNewNames(value.metadata, {
      file: (path) => packed.nameOf(id, path),
      assistant: (called) => ids.get(called) ?? null,
    });
    return { origin, name, value: { ...value, metadata } };
  }

  private async share({ ground, content, book, land }: AssistantWriting, { ids }: Reconciled): Promise<void> {
    const shared = new Map([...takenBack(content, book, ids), ...content.shares]);
    const arrivals = [...shared].flatMap(([origin, users]): Arrival<SharedAssistant>[] => {
      const id = ids.get(String(origin));
      if (id === undefined) return [];
      const shares = [...new Set(users)].sort().map((userId) => ({ userId, access: 'use' as const }));
      return [{ origin: String(origin), name: id, value: { assistantId: Number(id), shares } }];
    });
    const assistantIds = arrivals.map(({ value }) => value.assistantId);
    await land(this.landings.shares(ground, assistantIds), arrivals);
  }
}

/** Those that were shared before they were made again at the source, and nobody's since. */
function takenBack(content: PlannedContent, book: OriginBook, ids: Reconciled['ids']): [number, readonly string[]][] {
  const shared = new Set(book.of('share').map(({ localId }) => localId));
  return content.assistants.flatMap(({ id, origin }): [number, readonly string[]][] => {
    const ours = ids.get(origin);
    return ours !== undefined && shared.has(ours) ? [[id, []]] : [];
  });
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
