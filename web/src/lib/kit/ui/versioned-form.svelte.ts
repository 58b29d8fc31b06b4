import { RepeatKey } from '$lib/kit/api/repeat-key';
import { sendUpon } from '$lib/kit/api/versions';
import { type Difference, differenceOf, overwritesNothing, same } from './differences';
import { fieldWords } from './field-problems';
import type { Wording } from './wording';

/**
 * A form over a resource with versions. Creating repeats the idempotency key until it is answered; saving sends
 * `If-Match`. A conflict shows up in `theirs`, and a person chooses.
 */
export abstract class VersionedForm<Resource extends { readonly version: number }, Body> {
  /** Last read or saved; null until a new one is created. */
  saved = $state.raw<Resource | null>(null);
  saving = $state(false);
  /** Why the last save failed. */
  error = $state.raw<unknown>(null);
  /** The newer version of another person, which the last save did not overwrite. */
  theirs = $state.raw<Resource | null>(null);
  private readonly key = new RepeatKey();
  abstract readonly dirty: boolean;

  protected abstract body(): Body;
  protected abstract create(body: Body, key: string): Promise<Resource>;
  /** `version` is newer than `base` where another person saved a version that `losesNothing`. */
  protected abstract update(base: Resource, version: number, body: Body): Promise<Resource>;
  protected abstract read(resource: Resource): Promise<Resource>;
  /** Whether `body` overwrites nothing that changed from `base` to `theirs`. */
  protected abstract losesNothing(base: Resource, theirs: Resource, body: Body): boolean;
  /** Starts the form anew from a resource. */
  protected abstract show(resource: Resource): void;
  /** Runs after a save; input typed since `body` was taken stays unsaved. */
  protected abstract settle(resource: Resource, body: Body): void;

  /** Null when it was not saved: `error` or `theirs` says why. */
  save(): Promise<Resource | null> {
    return this.write(this.saved);
  }

  /** Saves this form over the version of another person. */
  overwrite(): Promise<Resource | null> {
    const base = this.theirs ?? this.saved;
    this.theirs = null;
    return this.write(base);
  }

  /** Discards this form's content for the version of another person. */
  takeTheirs(): void {
    const { theirs } = this;
    this.theirs = null;
    if (theirs !== null) this.show(theirs);
  }

  keepEditing(): void {
    this.theirs = null;
  }

  /** The service's complaint about a field. */
  problemAt(...paths: readonly string[]): Wording | null {
    return fieldWords(this.error, ...paths);
  }

  protected async write(base: Resource | null): Promise<Resource | null> {
    if (this.saving) return null;
    this.saving = true;
    this.error = null;
    const body = this.body();
    try {
      const resource = base === null ? await this.create(body, this.key.for(body)) : await this.replace(base, body);
      if (resource !== null) this.settle(resource, body);
      return resource;
    } catch (error) {
      this.error = error;
      this.key.failed(error);
      return null;
    } finally {
      this.saving = false;
    }
  }

  private async replace(base: Resource, body: Body): Promise<Resource | null> {
    const outcome = await sendUpon<Resource>(base.version, {
      send: (version) => this.update(base, version, body),
      read: () => this.read(base),
      losesNothing: (theirs) => this.losesNothing(base, theirs, body),
    });
    if ('saved' in outcome) return outcome.saved;
    this.theirs = outcome.theirs;
    return null;
  }
}

/** How the content of a form becomes a change of its resource, and back. */
interface Fields<Resource, Values, Change> {
  /** Content of the form of a new one. */
  fresh(): Values;
  valuesOf(resource: Resource): Values;
  /** Members that differ from `before`; all of them without it. */
  changeOf(before: Resource | null, values: Values): Change;
  /** A member in the words of the form. */
  textOf(value: unknown): string;
}

/** A form whose content is one object of values; saving sends the members that they change. */
export abstract class ValuesForm<
  Resource extends { readonly version: number },
  Values extends object,
  Change extends object,
> extends VersionedForm<Resource, Change> {
  values = $state({} as Values);
  readonly dirty = $derived.by(() => !this.gone && this.isChanged());
  readonly differences = $derived.by((): readonly Difference[] => this.differencesFrom(this.theirs));
  private gone = $state(false);
  /** Values of the request that is on its way. */
  protected sent: Values;

  constructor(
    protected readonly fields: Fields<Resource, Values, Change>,
    resource: Resource | null,
  ) {
    super();
    this.sent = fields.fresh();
    this.values = fields.fresh();
    if (resource !== null) this.show(resource);
  }

  /** The resource was deleted: nothing is unsaved any more. */
  discard(): void {
    this.gone = true;
  }

  protected isChanged(): boolean {
    const { saved, values, fields } = this;
    return saved === null ? !same(values, fields.fresh()) : Object.keys(fields.changeOf(saved, values)).length > 0;
  }

  protected differenceAt(name: string, theirs: Resource, mine: unknown): readonly Difference[] {
    const other = theirs[name as keyof Resource];
    return same(other, mine) ? [] : [differenceOf(name, this.fields.textOf(other), this.fields.textOf(mine))];
  }

  private differencesFrom(theirs: Resource | null): readonly Difference[] {
    if (theirs === null) return [];
    const change = this.fields.changeOf(this.saved, this.values);
    return Object.entries(change).flatMap(([name, mine]) => this.differenceAt(name, theirs, mine));
  }

  protected body(): Change {
    this.sent = $state.snapshot(this.values) as Values;
    return this.fields.changeOf(this.saved, this.sent);
  }

  protected losesNothing(base: Resource, theirs: Resource, change: Change): boolean {
    return overwritesNothing(base, theirs, change);
  }

  /** Shows the resource as the service stored it, and keeps fields that changed during the request. */
  protected settle(resource: Resource): void {
    const now = $state.snapshot(this.values) as Values;
    const typed = Object.entries(now).filter(([name, value]) => !same(value, this.sent[name as keyof Values]));
    this.show(resource);
    this.values = { ...this.values, ...(Object.fromEntries(typed) as Partial<Values>) };
  }

  protected show(resource: Resource): void {
    this.saved = resource;
    this.values = this.fields.valuesOf(resource);
  }
}
