export interface Toast {
  readonly id: number;
  readonly kind: 'success' | 'info' | 'error';
  readonly text: string;
  readonly action?: { readonly label: string; readonly run: () => void };
}

const SHOWN_MS = 6_000;

/** Short notes at the edge of the screen, also announced. Errors stay until they are closed. */
class Toasts {
  items = $state<readonly Toast[]>([]);
  private next = 1;

  success(text: string, action?: Toast['action']): void {
    this.show('success', text, action);
  }

  info(text: string, action?: Toast['action']): void {
    this.show('info', text, action);
  }

  error(text: string): void {
    this.show('error', text);
  }

  close(id: number): void {
    this.items = this.items.filter((toast) => toast.id !== id);
  }

  private show(kind: Toast['kind'], text: string, action?: Toast['action']): void {
    const id = this.next++;
    this.items = [...this.items, { id, kind, text, ...(action === undefined ? {} : { action }) }];
    if (kind !== 'error') setTimeout(() => this.close(id), SHOWN_MS);
  }
}

export const toasts = new Toasts();
