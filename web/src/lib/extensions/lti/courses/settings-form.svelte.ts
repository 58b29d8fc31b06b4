import type { Schema } from '$lib/kit/api/client';
import { fingerprint } from '$lib/kit/ui/differences';
import { Saving } from '$lib/kit/ui/saving.svelte';
import type { Activity, Window } from './course.types';
import { changeActivity } from './requests';
import { localOf, momentOf } from './times';

export interface WindowValues {
  from: string;
  until: string;
  mode: Window['mode'];
  instruction: string;
}

const HOUR_MS = 3_600_000;

/** The settings of an activity as its teacher edits them. Times are those of `datetime-local` fields. */
export class ActivitySettingsForm {
  assistants = $state<number[]>([]);
  opens = $state('');
  closes = $state('');
  teachersRead = $state(false);
  anonymous = $state(false);
  windows = $state<WindowValues[]>([]);
  readonly saving = new Saving();
  private saved = $state.raw<Activity>();

  readonly dirty = $derived.by(() => fingerprint(this.body()) !== this.unchanged);
  /** Turning the reading off ends what students agreed to. */
  readonly endsAgreements = $derived.by(() => this.saved?.teachers_read === true && !this.teachersRead);
  /** Names are more than a pseudonym. */
  readonly asksAgain = $derived.by(
    () => this.saved?.teachers_read === true && this.saved.anonymous && this.teachersRead && !this.anonymous,
  );
  private unchanged = $state('');

  constructor(activity: Activity) {
    this.show(activity);
  }

  show(activity: Activity): void {
    this.saved = activity;
    this.assistants = activity.assistants.map(({ id }) => id);
    this.opens = localOf(activity.opens_at);
    this.closes = localOf(activity.closes_at);
    this.teachersRead = activity.teachers_read;
    this.anonymous = activity.anonymous;
    this.windows = activity.windows.map(({ from, until, mode, instruction }) => ({
      from: localOf(from),
      until: localOf(until),
      mode,
      instruction,
    }));
    this.unchanged = fingerprint(this.body());
  }

  toggle(assistant: number, chosen: boolean): void {
    const others = this.assistants.filter((id) => id !== assistant);
    this.assistants = chosen ? [...others, assistant] : others;
  }

  /** Begins at the next full hour. */
  addWindow(instruction: string): void {
    const from = Math.ceil(Date.now() / HOUR_MS) * HOUR_MS;
    const until = from + 2 * HOUR_MS;
    this.windows = [...this.windows, { from: localOf(from), until: localOf(until), mode: 'strict', instruction }];
  }

  removeWindow(index: number): void {
    this.windows = this.windows.filter((_, each) => each !== index);
  }

  /** The saved activity; null where it could not be saved. */
  async save(): Promise<Activity | null> {
    const { saved } = this;
    let changed: Activity | null = null;
    await this.saving.run(async () => {
      if (saved === undefined) return;
      changed = await changeActivity(saved.id, saved.version, this.body());
      this.show(changed);
    });
    return changed;
  }

  private body(): Schema<'UpdateActivityDto'> {
    return {
      assistants: [...this.assistants],
      teachers_read: this.teachersRead,
      anonymous: this.anonymous,
      opens_at: momentOf(this.opens),
      closes_at: momentOf(this.closes),
      windows: this.windows.map(({ from, until, mode, instruction }) => ({
        from: momentOf(from) ?? '',
        until: momentOf(until) ?? '',
        mode,
        ...(mode === 'strict' && { instruction }),
      })),
    };
  }
}
