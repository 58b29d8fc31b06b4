import { type Component, type ComponentProps, tick } from 'svelte';
import type Confirm from './Confirm.svelte';

/** A function gives properties that may change while the dialog is open, as by a conflict. */
type Given<Props> = Omit<Props, 'open'> | (() => Omit<Props, 'open'>);
type Load<Props extends object> = () => Promise<{ readonly default: Component<Props, object, 'open' & keyof Props> }>;

/** One dialog from the click that asked for it until it has closed and given the focus back. */
class Shown {
  open = $state(true);
  arrived = false;
  readonly load: Load<{ open: boolean }>;

  constructor(
    load: Load<{ open: boolean }>,
    private readonly given: object | (() => object),
  ) {
    this.load = async () => {
      const part = await load();
      this.arrived = true;
      return part;
    };
  }

  get props(): object {
    return typeof this.given === 'function' ? (this.given() as object) : this.given;
  }
}

/** Dialogs by call: whoever opens one keeps no flag for it, and each opening begins anew. */
class Dialogs {
  shown = $state.raw<readonly Shown[]>([]);

  /** One that is still on the way, or could not come, gives way: a second click asks anew. */
  open<Props extends { open: boolean }>(load: Load<Props>, props: Given<Props>): void {
    const arrived = this.shown.filter((each) => each.arrived);
    this.shown = [...arrived, new Shown(load as unknown as Load<{ open: boolean }>, props)];
  }

  /** Asks before something ends. */
  confirm(props: Omit<ComponentProps<typeof Confirm>, 'open'>): void {
    this.open(() => import('./Confirm.svelte'), props);
  }

  async close(closed: Shown): Promise<void> {
    closed.open = false;
    // The element closes first: only then the browser gives the focus back.
    await tick();
    this.shown = this.shown.filter((each) => each !== closed);
  }

  closeAll(): void {
    this.shown = [];
  }
}

export const dialogs = new Dialogs();
