import type { ArrivalKind } from '../import.types';
import { fingerprint } from '../reading/fingerprint';
import type { Origin, OriginBook } from '../storage/origin.repository';
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
  taken(): Promise<readonly { readonly id: string; readonly key: string }[]>;
  keyOf(value: T): string;
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
  await run.create();
  await run.update();
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

  constructor(
    private readonly landing: Landing<T>,
    private readonly book: OriginBook,
    private readonly tally: Tally,
  ) {}

  async sort(arrivals: readonly Arrival<T>[]): Promise<void> {
    const known: { arrival: Arrival<T>; origin: Origin }[] = [];
    const unknown: Arrival<T>[] = [];
    for (const arrival of arrivals) {
      const origin = this.book.find(this.landing.kind, arrival.origin);
      if (origin === null) unknown.push(arrival);
      else known.push({ arrival, origin });
    }
    await this.sortKnown(known);
    await this.sortUnknown(unknown);
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

  async update(): Promise<void> {
    for (const { id, arrival } of this.changed) {
      if (await this.landing.change(id, arrival)) {
        this.meet(id, arrival);
        this.updated.push(id);
        this.tally.count(this.landing.kind, 'updated');
      } else this.conflict(arrival, 'refused_here', KEPT);
    }
  }

  async result(): Promise<Reconciled> {
    const standing = await this.standing(this.met.map(({ id }) => id));
    const origins = this.met.map(({ id, arrival }) => ({
      originId: arrival.origin,
      localId: id,
      importedSha256: fingerprint(arrival.value),
      localSha256: fingerprint(standing.get(id)),
    }));
    return { ids: this.ids, origins, created: this.created, updated: this.updated };
  }

  private async sortKnown(known: readonly { arrival: Arrival<T>; origin: Origin }[]): Promise<void> {
    const changed = known.filter(({ arrival, origin }) => fingerprint(arrival.value) !== origin.importedSha256);
    const standing = await this.standing(changed.map(({ origin }) => origin.localId));
    for (const { arrival, origin } of known) {
      this.ids.set(arrival.origin, origin.localId);
      if (fingerprint(arrival.value) === origin.importedSha256) this.tally.count(this.landing.kind, 'unchanged');
    }
    for (const { arrival, origin } of changed) {
      const ours = standing.get(origin.localId);
      if (ours === undefined) this.conflict(arrival, 'deleted_here', DELETED);
      else if (fingerprint(ours) === origin.localSha256) this.changed.push({ id: origin.localId, arrival });
      else if (fingerprint(ours) === fingerprint(arrival.value)) this.adopt(origin.localId, arrival);
      else this.conflict(arrival, 'changed_on_both_sides', CHANGED);
    }
  }

  private async sortUnknown(unknown: readonly Arrival<T>[]): Promise<void> {
    if (unknown.length === 0) return;
    const from = new Set(this.book.of(this.landing.kind).map(({ localId }) => localId));
    const taken = new Map(
      (await this.landing.taken()).filter(({ id }) => !from.has(id)).map(({ id, key }) => [key, id] as const),
    );
    const meets = unknown.map((arrival) => ({ arrival, id: taken.get(this.landing.keyOf(arrival.value)) }));
    const standing = await this.standing(meets.flatMap(({ id }) => id ?? []));
    for (const { arrival, id } of meets) {
      if (id === undefined) this.newcomers.push(arrival);
      else if (fingerprint(standing.get(id)) === fingerprint(arrival.value)) this.adopt(id, arrival);
      else this.conflict(arrival, 'exists', EXISTS);
    }
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
