import { RepeatKey } from '$lib/kit/api/repeat-key';
import { sendUpon } from '$lib/kit/api/versions';
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
