/** How close in time changes of one group are to be one step, ms. */
const JOIN_MS = 500;
const STEPS = 300;

interface Step<State> {
  readonly before: State;
  /** Text for people; null of typing. */
  readonly text: string | null;
}

/** States one after another; undo and redo give back exactly what was there. States are never changed in place. */
export class History<State> {
  private now = $state.raw() as State;
  private past = $state.raw<readonly Step<State>[]>([]);
  private future = $state.raw<readonly Step<State>[]>([]);
  private lastGroup: string | null = null;
  private lastAt = 0;

  readonly canUndo = $derived(this.past.length > 0);
  readonly canRedo = $derived(this.future.length > 0);
  readonly undoText = $derived(this.past.at(-1)?.text ?? null);
  readonly redoText = $derived(this.future.at(-1)?.text ?? null);

  constructor(initial: State) {
    this.now = initial;
  }

  get state(): State {
    return this.now;
  }

  /** A new state. Changes of one `group` that follow one another within half a second are one step. */
  push(state: State, text: string | null, group: string | null = null): void {
    const at = performance.now();
    const joins = group !== null && group === this.lastGroup && at - this.lastAt < JOIN_MS && this.past.length > 0;
    if (!joins) this.past = [...this.past.slice(1 - STEPS), { before: this.now, text }];
    this.future = [];
    this.now = state;
    this.lastGroup = group;
    this.lastAt = at;
  }

  undo(): void {
    const step = this.past.at(-1);
    if (step === undefined) return;
    this.past = this.past.slice(0, -1);
    this.future = [...this.future, { before: this.now, text: step.text }];
    this.now = step.before;
    this.lastGroup = null;
  }

  redo(): void {
    const step = this.future.at(-1);
    if (step === undefined) return;
    this.future = this.future.slice(0, -1);
    this.past = [...this.past, { before: this.now, text: step.text }];
    this.now = step.before;
    this.lastGroup = null;
  }
}
