import { api, must } from '$lib/kit/api/client';
import { ProblemError } from '$lib/kit/api/problem';
import { ifMatch, isStale } from '$lib/kit/api/versions';
import { forgetCatalogues } from '$lib/app/catalogues/fetched';
import type { Organization, SettingsPatch } from './organization.types';
import { completed, isEmpty, type Overlap, overlaps, shownAfter, unitsOf } from './overlap';

type Choice = 'keep' | 'take' | 'overwrite';

/** Somebody else changed what a form wants to save. */
export interface SettingsConflict {
  readonly theirs: Organization;
  readonly overlaps: readonly Overlap[];
  readonly choose: (choice: Choice) => void;
}

const overtaken = (): ProblemError =>
  new ProblemError(412, 'precondition_failed', 'Somebody else changed it meanwhile');

/** The settings of one organization, as its administrators see them. */
export class OrganizationState {
  /** Settings as the forms show them: what somebody else changed comes in with the next save of its form. */
  value = $state.raw<Organization | null>(null);
  error = $state.raw<unknown>(null);
  conflict = $state.raw<SettingsConflict | null>(null);
  /** The newest that was read or saved. */
  private newest: Organization | null = null;
  /** Units that theirs was taken of, and how often: their forms begin anew. */
  private taken = $state.raw<Readonly<Record<string, number>>>({});
  /** The version since which somebody else may have entered a secret, and units that were saved since. */
  private doubtful = 0;
  private settled: Readonly<Record<string, number>> = {};
  /** Done when the patches before are: two at once would ask two questions, and only one can be seen. */
  private before: Promise<unknown> = Promise.resolve();

  constructor(readonly slug: string) {}

  async load(): Promise<void> {
    this.error = null;
    try {
      this.newest = await this.read();
      this.value = this.newest;
    } catch (error) {
      this.error = error;
    }
  }

  /** Changes when the form of these units has to show what somebody else saved. */
  turn(...units: readonly string[]): number {
    return units.reduce((sum, unit) => sum + (this.taken[unit] ?? 0), 0);
  }

  /**
   * Changes what the patch names and leaves the rest. Where somebody else changed the same meanwhile, a person is asked;
   * what others changed elsewhere stays. Patches are sent one after another; one that names no value is not. Rejects with
   * the service's problem.
   */
  async patch(body: SettingsPatch): Promise<void> {
    if (isEmpty(body)) return;
    const done = this.before.then(() => this.save(body));
    this.before = done.catch(() => undefined);
    await done;
  }

  private async save(body: SettingsPatch): Promise<void> {
    const units = unitsOf(body);
    const saved = await this.send(body, units);
    this.newest = saved;
    this.seen(units, saved.version);
    this.value = this.value === null ? saved : shownAfter(this.value, saved, units);
    // Forms offer providers and models from there.
    forgetCatalogues();
  }

  private async send(body: SettingsPatch, units: readonly string[]): Promise<Organization> {
    let now = this.newest ?? (await this.read());
    let agreed = 0;
    for (;;) {
      const whole = completed(this.value ?? now, now, body);
      if (agreed !== now.version) {
        await this.settle(now, whole, units);
        agreed = now.version;
      }
      try {
        const params = { path: { slug: this.slug }, header: ifMatch(now.version) };
        return must(await api.PATCH('/api/v1/organizations/{slug}', { params, body: whole }));
      } catch (error) {
        if (!isStale(error)) throw error;
        now = await this.read();
        this.newest = now;
        this.doubtful = now.version;
      }
    }
  }

  /** Asks where the patch would overwrite what nobody here has seen. */
  private async settle(now: Organization, body: SettingsPatch, units: readonly string[]): Promise<void> {
    const doubt = units.some((unit) => (this.settled[unit] ?? 0) < this.doubtful);
    const found = overlaps(this.value, now, body, doubt);
    if (found.length === 0) return;
    const choice = await new Promise<Choice>((choose) => {
      this.conflict = { theirs: now, overlaps: found, choose };
    });
    this.conflict = null;
    if (choice === 'overwrite') return;
    if (choice === 'take' && this.value !== null) {
      this.seen(units, now.version);
      this.value = shownAfter(this.value, now, units);
      this.taken = { ...this.taken, ...Object.fromEntries(units.map((unit) => [unit, (this.taken[unit] ?? 0) + 1])) };
    }
    throw overtaken();
  }

  private seen(units: readonly string[], version: number): void {
    this.settled = { ...this.settled, ...Object.fromEntries(units.map((unit) => [unit, version])) };
  }

  private async read(): Promise<Organization> {
    const params = { path: { slug: this.slug } };
    return must(await api.GET('/api/v1/organizations/{slug}', { params })) as Organization;
  }
}
