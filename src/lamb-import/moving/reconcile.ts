import type { ArrivalKind } from '../import.types';
import { fingerprint } from '../reading/fingerprint';
import type { Origin, OriginBook } from '../storage/origin.repository';
import { type Meeting, meetingsOf, type Taken } from './meetings';
import type { Tally } from './tally';

/** One thing of the source as it should be here. */
export interface Arrival<T> {
  /** Its primary key there. */
  readonly origin: string;
  readonly name: string | null;
  readonly value: T;
}

/** How things of one kind are found and written, within one transaction and one organization. */
export interface Landing<T> {
  readonly kind: ArrivalKind;
  /** Ours by id, as far as the source has a say in them; those that are gone are missing. */
  standing(ids: readonly string[]): Promise<ReadonlyMap<string, unknown>>;
  /** Everything of the kind that is here, with what nothing else may have beside it. */
  taken(): Promise<readonly Taken[]>;
  keyOf(value: T): string;
  /** What of a value is written to those that are here; everything when absent. */
  readonly lasting?: (value: T) => unknown;
  /** Returns their ids, in order. */
  arrive(arrivals: readonly Arrival<T>[]): Promise<readonly string[]>;
  /** False when it cannot be done any more. */
  change(id: string, arrival: Arrival<T>): Promise<boolean>;
}

export interface Reconciled {
  /** Ours by the source's key: whatever has a counterpart here, whoever wrote it last. */
  readonly ids: ReadonlyMap<string, string>;
  /** To be remembered. */
  readonly origins: readonly Origin[];
  /** What was written. */
  readonly created: readonly string[];
  readonly updated: readonly string[];
}

const CHANGED = 'was changed here and at the source; what is here was kept';
const DELETED = 'was deleted here and changed at the source; it stays deleted';
const EXISTS = 'is here already and did not come from this source; what is here was kept';
const ANOTHER = 'would be here what another one of the source is already; nothing was done';
const KEPT = 'cannot be changed as at the source; what is here was kept';

/**
 * What is new is made; what changed at the source and not here is changed; what changed on both sides, or was here before,
 * is a conflict and stays. What did not change at the source is not looked at, whatever became of it here.
 */
export async function reconcile<T>(
  landing: Landing<T>,
  arrivals: readonly Arrival<T>[],
  book: OriginBook,
  tally: Tally,
): Promise<Reconciled> {
  const run = new Reconciliation(landing, book, tally);
  await run.sort(arrivals);
  await run.update();
  await run.create();
  return run.result();
}

class Reconciliation<T> {
  private readonly ids = new Map<string, string>();
  private readonly newcomers: Arrival<T>[] = [];
  private readonly changed: { id: string; arrival: Arrival<T> }[] = [];
  /** Written or adopted: their prints are taken when all is done. */
  private readonly met: { id: string; arrival: Arrival<T> }[] = [];
  private readonly created: string[] = [];
  private readonly updated: string[] = [];
  /** Strangers that stand for what came under another key of the source. */
  private readonly linked: Origin[] = [];
  /** Whose each key is here. */
  private readonly holders = new Map<string, string>();

  constructor(
    private readonly landing: Landing<T>,
    private readonly book: OriginBook,
    private readonly tally: Tally,
  ) {}

  async sort(arrivals: readonly Arrival<T>[]): Promise<void> {
    if (arrivals.length === 0) return;
    const known: { arrival: Arrival<T>; origin: Origin }[] = [];
    const strangers: Arrival<T>[] = [];
    for (const arrival of arrivals) {
      const origin = this.book.find(this.landing.kind, arrival.origin);
      if (origin === null) strangers.push(arrival);
      else known.push({ arrival, origin });
    }
    const taken = await this.landing.taken();
    for (const { id, key } of taken) this.holders.set(key, id);
    const keys = arrivals.map(({ origin, value }) => ({ origin, key: this.landing.keyOf(value) }));
    const meetings = meetingsOf(keys, this.book.of(this.landing.kind), taken);
    for (const arrival of strangers) {
      const meeting = meetings.get(arrival.origin);
      if (meeting?.with !== 'predecessor') continue;
      known.push({ arrival, origin: meeting.known });
      this.linked.push({ ...prints(meeting.known), originId: arrival.origin });
    }
    await this.sortKnown(known);
    await this.sortStrangers(strangers, meetings);
  }

  async create(): Promise<void> {
    if (this.newcomers.length === 0) return;
    const ids = await this.landing.arrive(this.newcomers);
    this.newcomers.forEach((arrival, index) => {
      const id = ids[index];
      if (id === undefined) throw new Error('An arrival got no id');
      this.meet(id, arrival);
      this.created.push(id);
      this.tally.count(this.landing.kind, 'created');
    });
  }

  /** Who waits for the name of another that is changed too goes after it. */
  async update(): Promise<void> {
    const waiting: { id: string; arrival: Arrival<T> }[] = [];
    for (const { id, arrival } of this.changed.splice(0)) {
      const key = this.landing.keyOf(arrival.value);
      const holder = this.holders.get(key);
      if (holder !== undefined && holder !== id) waiting.push({ id, arrival });
      else if (await this.landing.change(id, arrival)) {
        for (const [held, by] of this.holders) if (by === id) this.holders.delete(held);
        this.holders.set(key, id);
        this.meet(id, arrival);
        this.updated.push(id);
        this.tally.count(this.landing.kind, 'updated');
      } else this.conflict(arrival, 'refused_here', KEPT);
    }
    const free = waiting.filter(({ arrival }) => !this.holders.has(this.landing.keyOf(arrival.value)));
    for (const each of waiting) {
      if (free.length === 0) this.conflict(each.arrival, 'exists', ANOTHER);
      else this.changed.push(each);
    }
    if (free.length > 0) await this.update();
  }

  async result(): Promise<Reconciled> {
    const standing = await this.standing(this.met.map(({ id }) => id));
    const met = this.met.map(({ id, arrival }) => ({
      originId: arrival.origin,
      localId: id,
      importedSha256: this.print(arrival),
      localSha256: fingerprint(standing.get(id)),
    }));
    const told = new Set(met.map(({ originId }) => originId));
    const origins = [...met, ...this.linked.filter(({ originId }) => !told.has(originId))];
    return { ids: this.ids, origins, created: this.created, updated: this.updated };
  }

  private async sortKnown(known: readonly { arrival: Arrival<T>; origin: Origin }[]): Promise<void> {
    const changed = known.filter(({ arrival, origin }) => this.print(arrival) !== origin.importedSha256);
    const standing = await this.standing(changed.map(({ origin }) => origin.localId));
    for (const { arrival, origin } of known) {
      this.ids.set(arrival.origin, origin.localId);
      if (this.print(arrival) === origin.importedSha256) this.tally.count(this.landing.kind, 'unchanged');
    }
    for (const { arrival, origin } of changed) {
      const ours = standing.get(origin.localId);
      if (ours === undefined) this.conflict(arrival, 'deleted_here', DELETED);
      else if (fingerprint(ours) === origin.localSha256) this.changed.push({ id: origin.localId, arrival });
      else if (fingerprint(ours) === this.print(arrival)) this.adopt(origin.localId, arrival);
      else this.conflict(arrival, 'changed_on_both_sides', CHANGED);
    }
  }

  private async sortStrangers(strangers: readonly Arrival<T>[], meetings: ReadonlyMap<string, Meeting>): Promise<void> {
    const ours = [...meetings.values()].flatMap((meeting) => (meeting.with === 'ours' ? [meeting.id] : []));
    const standing = await this.standing(ours);
    for (const arrival of strangers) {
      const meeting = meetings.get(arrival.origin);
      if (meeting?.with === 'nobody') this.newcomers.push(arrival);
      else if (meeting?.with === 'another') this.conflict(arrival, 'exists', ANOTHER);
      else if (meeting?.with === 'ours') {
        if (fingerprint(standing.get(meeting.id)) === this.print(arrival)) this.adopt(meeting.id, arrival);
        else this.conflict(arrival, 'exists', EXISTS);
      }
    }
  }

  private print({ value }: Arrival<T>): string {
    return fingerprint(this.landing.lasting === undefined ? value : this.landing.lasting(value));
  }

  /** The same thing stands here already. */
  private adopt(id: string, arrival: Arrival<T>): void {
    this.meet(id, arrival);
    this.tally.count(this.landing.kind, 'unchanged');
  }

  private meet(id: string, arrival: Arrival<T>): void {
    this.ids.set(arrival.origin, id);
    this.met.push({ id, arrival });
  }

  private conflict({ origin, name }: Arrival<T>, code: string, message: string): void {
    this.tally.conflict({ kind: this.landing.kind, origin, name }, code, message);
  }

  private standing(ids: readonly string[]): Promise<ReadonlyMap<string, unknown>> {
    return ids.length === 0 ? Promise.resolve(new Map<string, unknown>()) : this.landing.standing(ids);
  }
}

const prints = ({ localId, importedSha256, localSha256 }: Origin) => ({ localId, importedSha256, localSha256 });
