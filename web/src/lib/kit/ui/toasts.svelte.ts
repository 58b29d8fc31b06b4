import { toProblem } from '$lib/kit/api/problem';

export interface Toast {
  readonly id: number;
  readonly kind: 'success' | 'info' | 'error';
  readonly text: string;
  /** Language of words that are not in the reader's. */
  readonly lang?: string;
  /** Id of the request that was answered, to tell who runs the service. */
  readonly requestId?: string;
  readonly action?: { readonly label: string; readonly run: () => void };
}

const SHOWN_MS = 6_000;
/** A note that asks for a decision is read slower. */
const SHOWN_WITH_ACTION_MS = 15_000;

/** Short notes at the edge of the screen, also announced. Errors stay until they are closed. */
class Toasts {
  items = $state<readonly Toast[]>([]);
  private next = 1;
  private readonly timers = new Map<number, ReturnType<typeof setTimeout>>();
  private readonly holds = new Set<'pointer' | 'focus'>();

  success(text: string, action?: Toast['action']): void {
    this.show({ kind: 'success', text, ...(action === undefined ? {} : { action }) });
  }

  info(text: string, action?: Toast['action']): void {
    this.show({ kind: 'info', text, ...(action === undefined ? {} : { action }) });
  }

  error(text: string): void {
    this.show({ kind: 'error', text });
  }

  /** An earlier word of success beside a failure reads as if the failure had gone well. */
  closeSuccess(): void {
    for (const { id, kind, action } of this.items) if (kind === 'success' && action === undefined) this.close(id);
  }

  /** Whatever was thrown. */
  problem(error: unknown): void {
    const { text, isForeign, requestId } = toProblem(error);
    const lang = isForeign ? { lang: 'en' } : {};
    this.show({ kind: 'error', text, ...lang, ...(requestId === null ? {} : { requestId }) });
  }

  /** Does it; what it throws becomes a note. For what has no place of its own on the page. */
  async attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.problem(error);
    }
  }

  close(id: number): void {
    clearTimeout(this.timers.get(id));
    this.timers.delete(id);
    this.items = this.items.filter((toast) => toast.id !== id);
    // A button that goes with its note says nothing of the focus that it had.
    this.release('focus');
  }

  /** While they are pointed at or hold the focus none goes by itself. */
  hold(by: 'pointer' | 'focus'): void {
    this.holds.add(by);
    for (const timer of this.timers.values()) clearTimeout(timer);
    this.timers.clear();
  }

  release(by: 'pointer' | 'focus'): void {
    if (this.items.length === 0) this.holds.clear();
    if (!this.holds.delete(by) || this.holds.size > 0) return;
    for (const toast of this.items) this.await(toast);
  }

  private show(given: Omit<Toast, 'id'>): void {
    if (this.holds.size === 0) this.closeSame(given);
    const toast = { ...given, id: this.next++ };
    this.items = [...this.items, toast];
    if (this.holds.size === 0) this.await(toast);
  }

  /** One word of success is enough; what one can still decide or has to read stays. */
  private closeSame({ kind, text }: Omit<Toast, 'id'>): void {
    if (kind !== 'success') return;
    for (const each of this.items) {
      if (each.kind === kind && each.text === text && each.action === undefined) this.close(each.id);
    }
  }

  private await({ id, kind, action }: Toast): void {
    if (kind === 'error') return;
    const ms = action === undefined ? SHOWN_MS : SHOWN_WITH_ACTION_MS;
    this.timers.set(
      id,
      setTimeout(() => this.close(id), ms),
    );
  }
}

export const toasts = new Toasts();
