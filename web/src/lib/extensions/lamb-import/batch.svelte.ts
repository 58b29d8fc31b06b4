import { isBusy, pauseBefore } from './batches';
import { type Batch, type BatchItem, type ItemStatus, readBatch, startVerification } from './requests';

/** One batch, followed while the server works on it, and what became of its assistants. */
export class BatchView {
  batch = $state.raw<Batch | null>(null);
  items = $state.raw<readonly BatchItem[]>([]);
  total = $state(0);
  status = $state<ItemStatus | null>(null);
  loading = $state(true);
  error = $state.raw<unknown>(null);
  private cursor = $state.raw<string | null>(null);
  private timer: ReturnType<typeof setTimeout> | undefined;
  private turn = 0;
  /** Answers that come after a newer question are dropped. */
  private asked = 0;
  private stopped = false;

  readonly hasMore = $derived.by(() => this.cursor !== null);
  readonly busy = $derived.by(() => this.batch !== null && isBusy(this.batch));

  constructor(readonly id: string) {}

  /** Reads it, and again and again while it is worked on. */
  async follow(): Promise<void> {
    clearTimeout(this.timer);
    this.turn = 0;
    await this.read();
  }

  /** Leaving the page ends the asking, not the work. */
  stop(): void {
    this.stopped = true;
    clearTimeout(this.timer);
  }

  async show(status: ItemStatus | null): Promise<void> {
    this.status = status;
    await this.follow();
  }

  async more(): Promise<void> {
    if (this.cursor === null) return;
    await this.attempt(async (isLatest) => {
      const { items } = await readBatch(this.id, this.status, this.cursor ?? undefined);
      if (!isLatest()) return;
      this.items = [...this.items, ...items.items];
      this.cursor = items.next_cursor;
    });
  }

  async verify(): Promise<void> {
    clearTimeout(this.timer);
    await this.attempt(async () => {
      this.batch = await startVerification(this.id);
    });
    if (this.error === null) await this.follow();
  }

  private async read(isRepeated = false): Promise<void> {
    let isLast = true;
    await this.attempt(async (isLatest) => {
      const { items, ...batch } = await readBatch(this.id, this.status);
      isLast = isLatest();
      if (!isLast) return;
      this.batch = batch;
      this.items = items.items;
      this.total = items.total;
      this.cursor = items.next_cursor;
    }, isRepeated);
    if (!isLast || this.stopped || !this.busy) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.read(true), pauseBefore(this.turn++));
  }

  /** `keepsError`: what went wrong before stays on the screen until it goes well, so that its button can be pressed. */
  private async attempt(action: (isLatest: () => boolean) => Promise<void>, keepsError = false): Promise<void> {
    const asked = ++this.asked;
    const isLatest = (): boolean => asked === this.asked;
    this.loading = true;
    if (!keepsError) this.error = null;
    try {
      await action(isLatest);
      if (isLatest()) this.error = null;
    } catch (error) {
      if (isLatest()) this.error = error;
    } finally {
      if (isLatest()) this.loading = false;
    }
  }
}
