import type { ImportTarget } from '../../../src/infrastructure/database';
import { fingerprint } from '../organization-settings';
import type { Origin } from '../origin.repository';
import type { SourceItem, WriteContext } from '../plan/plan.types';
import { type ConflictCode, type ItemKind, type ItemOutcome, KIND_NAMES } from '../report-builder';

/** The relation of an item of the source to the stored items of its kind. */
export type Match =
  | { readonly status: 'new' }
  /**
   * `link`: an earlier import brought it; null: it has the same key and did not come from this source. A link of another
   * origin means that LAMB deleted that item and made this one in its place.
   */
  | { readonly status: 'stored'; readonly id: string; readonly link: Origin | null }
  /** Another item of the source has its key. */
  | { readonly status: 'duplicate' };

interface KeyedItem {
  readonly origin: string;
  /** Unique within the organization. */
  readonly key: string;
}

/**
 * Matches all items of one kind. `origins`: links that earlier imports stored. `holders`: ids of stored items by key.
 * Returns matches by origin.
 */
function matchItems(
  items: readonly KeyedItem[],
  origins: readonly Origin[],
  holders: ReadonlyMap<string, string>,
): Map<string, Match> {
  const links = new Map(origins.map((link) => [link.originId, link]));
  const present = new Set(items.map(({ origin }) => origin));
  const claimed = new Set(items.filter(({ origin }) => links.has(origin)).map(({ key }) => key));
  const linksOf = new Map<string, Origin[]>();
  for (const link of origins) linksOf.set(link.localId, [...(linksOf.get(link.localId) ?? []), link]);
  const matchKey = (key: string): Match => {
    if (claimed.has(key)) return { status: 'duplicate' };
    const id = holders.get(key);
    if (id === undefined) return { status: 'new' };
    const earlier = linksOf.get(id) ?? [];
    if (earlier.some(({ originId }) => present.has(originId))) return { status: 'duplicate' };
    return { status: 'stored', id, link: earlier.at(-1) ?? null };
  };
  return new Map(
    items.map(({ origin, key }): [string, Match] => {
      const link = links.get(origin);
      if (link !== undefined) return [origin, { status: 'stored', id: link.localId, link }];
      const match = matchKey(key);
      claimed.add(key);
      return [origin, match];
    }),
  );
}

const CHANGED = 'was changed here and at the source; the version here was kept';
const DELETED = 'was deleted here and changed at the source; it stays deleted';
const EXISTS = 'exists here and did not come from this source; the existing one was kept';
const DUPLICATE = 'has the name or key of another item of the source; it was not written';
const REFUSED = 'cannot be changed as at the source; the version here was kept';

interface Update<T> {
  readonly id: string;
  readonly item: SourceItem<T>;
  /** The value before. */
  readonly stored: T;
}

/**
 * Brings the stored items of one kind to the state of the source. An item that changed only at the source is updated. An
 * item that changed on both sides, or was here before, is a conflict and stays. An item that did not change at the source
 * stays as it is here.
 */
export class Reconciliation<T> {
  /** Ids here by origin, of all items that exist here. */
  readonly ids = new Map<string, string>();
  readonly created: SourceItem<T>[] = [];
  readonly updated: Update<T>[] = [];
  private readonly changedLinks = new Map<string, Origin>();
  /** Ids of stored items by key. */
  private holders = new Map<string, string>();
  private matches: ReadonlyMap<string, Match> = new Map();

  constructor(
    readonly kind: ItemKind,
    readonly target: ImportTarget<T>,
    private readonly context: WriteContext,
  ) {}

  get links(): readonly Origin[] {
    return [...this.changedLinks.values()];
  }

  /** Matches the items by origin and key. Other parts of their values may still change before `write`. */
  async match(items: readonly SourceItem<T>[]): Promise<ReadonlyMap<string, Match>> {
    this.context.tell(`${items.length} ${KIND_NAMES[this.kind]}`);
    if (items.length === 0) return this.matches;
    this.holders = new Map(await this.target.keys(this.context));
    const keyed = items.map(({ origin, value }) => ({ origin, key: this.target.keyOf(value) }));
    this.matches = matchItems(keyed, this.context.origins.of(this.kind), this.holders);
    return this.matches;
  }

  /** `idOf` gives the ids of new items. */
  async write(items: readonly SourceItem<T>[], idOf: (item: SourceItem<T>) => string): Promise<void> {
    const changed = items.filter((item) => !this.isUnchanged(item));
    await this.update(await this.compare(changed));
    const created = items.filter(({ origin }) => this.matches.get(origin)?.status === 'new');
    if (created.length === 0) return;
    const rows = created.map((item) => ({ ...item, id: idOf(item) }));
    await this.target.insert(this.context, rows);
    for (const row of rows) this.link(row.id, row, 'created');
    this.created.push(...created);
  }

  /** Links known items. True when the source says the same as at the last import. */
  private isUnchanged(item: SourceItem<T>): boolean {
    const match = this.matches.get(item.origin);
    if (match?.status !== 'stored' || match.link === null) return false;
    const { id, link } = match;
    this.ids.set(item.origin, id);
    if (link.originId !== item.origin) this.changedLinks.set(item.origin, { ...link, originId: item.origin });
    if (this.print(item.value) !== link.importedSha256) return false;
    this.count(item, 'unchanged');
    return true;
  }

  /** Reports conflicts, and returns the items to update. */
  private async compare(items: readonly SourceItem<T>[]): Promise<Update<T>[]> {
    const matched = items.map((item) => ({ item, match: this.matches.get(item.origin) }));
    const ids = matched.flatMap(({ match }) => (match?.status === 'stored' ? match.id : []));
    const values = ids.length === 0 ? new Map<string, T>() : await this.target.find(this.context, ids);
    return matched.flatMap(({ item, match }) => {
      if (match?.status === 'duplicate') this.conflict(item, 'exists', DUPLICATE);
      if (match?.status !== 'stored') return [];
      const { id, link } = match;
      const stored = values.get(id);
      const print = stored === undefined ? null : this.print(stored);
      if (stored !== undefined && print === link?.localSha256) return { id, item, stored };
      if (print === this.print(item.value)) this.link(id, item, 'unchanged');
      else if (link === null) this.conflict(item, 'exists', EXISTS);
      else if (stored === undefined) this.conflict(item, 'deleted_here', DELETED);
      else this.conflict(item, 'changed_on_both_sides', CHANGED);
      return [];
    });
  }

  /** An item whose new key still belongs to another one waits until that one is updated. */
  private async update(updates: readonly Update<T>[]): Promise<void> {
    const waiting: Update<T>[] = [];
    for (const update of updates) {
      const { id, item, stored } = update;
      const key = this.target.keyOf(item.value);
      const holder = this.holders.get(key);
      if (holder !== undefined && holder !== id) waiting.push(update);
      else if (await this.target.update(this.context, { ...item, id }, stored)) {
        const oldKey = this.target.keyOf(stored);
        if (this.holders.get(oldKey) === id) this.holders.delete(oldKey);
        this.holders.set(key, id);
        this.link(id, item, 'updated');
        this.updated.push(update);
      } else this.conflict(item, 'refused_here', REFUSED);
    }
    if (waiting.length === 0) return;
    if (waiting.some(({ item }) => !this.holders.has(this.target.keyOf(item.value)))) return this.update(waiting);
    for (const { item } of waiting) this.conflict(item, 'exists', DUPLICATE);
  }

  /** The stored value equals the source's: both prints are the same. */
  private link(id: string, item: SourceItem<T>, outcome: ItemOutcome): void {
    const print = this.print(item.value);
    const { origin } = item;
    this.ids.set(origin, id);
    this.changedLinks.set(origin, { originId: origin, localId: id, importedSha256: print, localSha256: print });
    this.count(item, outcome);
  }

  private print(value: T): string {
    return fingerprint(this.target.compared === undefined ? value : this.target.compared(value));
  }

  private count({ value }: SourceItem<T>, outcome: ItemOutcome): void {
    this.context.report.count(this.kind, outcome, this.target.weight?.(value) ?? 1);
  }

  private conflict({ origin, name }: SourceItem<T>, code: ConflictCode, message: string): void {
    this.context.report.conflict({ kind: this.kind, origin, name }, code, message);
  }
}
