import { received } from '$lib/kit/api/client';
import { type ProblemError, toProblem } from '$lib/kit/api/problem';
import { batchesOf, changed, sentShares } from './upload-batches';
import type { FileToSend } from './send-files';

export interface Upload extends FileToSend {
  readonly key: number;
  readonly size: number;
  readonly state: 'waiting' | 'sending' | 'received' | 'failed' | 'too_large' | 'not_accepted' | 'cancelled';
  /** 0..1 */
  readonly sent: number;
  readonly problem: ProblemError | null;
}

/** Files that documents are read from, as the service names them; value of an input's `accept`. */
export const DOCUMENT_FILES = '.pdf,.docx,.pptx,.xlsx,.epub,.ipynb,.html,.htm,.md,.markdown,.txt,.csv,.json,.vtt,.srt';

interface UploadRules {
  /** Endings of the names that are sent; absent: all. */
  readonly accept?: string;
  /** Bytes of one file; a larger one is not sent at all. */
  readonly fileBytes: number;
  /** Files of one request. */
  readonly files: number;
  /** Bytes of one request. */
  readonly bytes: number;
}

/** States of files that were not sent, or that the service refused. */
const FAILED: ReadonlySet<Upload['state']> = new Set(['failed', 'too_large', 'not_accepted']);

const isAccepted = (name: string, accept: string | undefined): boolean =>
  accept === undefined || accept.split(',').some((ending) => name.toLowerCase().endsWith(ending));

/** Files on their way to the service: sent a few at a time, one request after the other. */
export class Uploads<Answer> {
  items = $state.raw<readonly Upload[]>([]);
  readonly active = $derived.by(() => this.items.filter(({ state }) => state === 'waiting' || state === 'sending'));
  readonly failed = $derived.by(() => this.items.filter(({ state }) => FAILED.has(state)));
  /** Progress of everything that is shown, 0..1. */
  readonly progress = $derived.by(() => {
    const total = this.items.reduce((sum, { size }) => sum + size, 0);
    return total === 0 ? 1 : this.items.reduce((sum, { size, sent }) => sum + size * sent, 0) / total;
  });
  private nextKey = 1;
  private running: Promise<void> | null = null;
  private stop = new AbortController();

  constructor(
    /** Asked before each request; it may make the place first. */
    private readonly url: () => string | Promise<string>,
    readonly rules: UploadRules,
    private readonly onanswer: (answer: Answer) => void,
    /** Place of a file, under another name. */
    private readonly place: (file: FileToSend) => FileToSend = (file) => file,
  ) {}

  add(files: readonly FileToSend[]): Promise<void> {
    const added = files
      .map((file) => this.place(file))
      .map(({ name, file }): Upload => ({
        key: this.nextKey++,
        name,
        file,
        size: file.size,
        state: this.stateOf({ name, file }),
        sent: 0,
        problem: null,
      }));
    this.items = [...this.items, ...added];
    return this.run();
  }

  retry(): Promise<void> {
    this.items = this.items.map((item) => (item.state === 'failed' ? { ...item, state: 'waiting', sent: 0 } : item));
    return this.run();
  }

  /** Stops what is on its way; what has arrived stays there. */
  cancel(): void {
    this.items = this.items.map((item) => (item.state === 'waiting' ? { ...item, state: 'cancelled' } : item));
    this.stop.abort();
    this.stop = new AbortController();
  }

  /** Takes everything that is over off the list. */
  clear(): void {
    this.items = this.active;
  }

  /** A file that the service would refuse is not sent at all: dropped files and folders hold any kind. */
  private stateOf({ name, file }: FileToSend): Upload['state'] {
    if (!isAccepted(name, this.rules.accept)) return 'not_accepted';
    return file.size > this.rules.fileBytes ? 'too_large' : 'waiting';
  }

  private run(): Promise<void> {
    this.running ??= this.sendAll().finally(() => {
      this.running = null;
    });
    return this.running;
  }

  private async sendAll(): Promise<void> {
    for (let batch = this.nextBatch(); batch.length > 0; batch = this.nextBatch()) await this.send(batch);
  }

  private nextBatch(): Upload[] {
    return (
      batchesOf(
        this.items.filter(({ state }) => state === 'waiting'),
        this.rules,
      )[0] ?? []
    );
  }

  private async send(batch: readonly Upload[]): Promise<void> {
    const sizes = batch.map(({ size }) => size);
    const { signal } = this.stop;
    this.change(batch, () => ({ state: 'sending' }));
    try {
      const { sendFiles } = await received(import('./send-files'));
      signal.throwIfAborted();
      const answer = await sendFiles<Answer>(await this.url(), batch, {
        signal,
        onprogress: (sent, total) => {
          const shares = sentShares(sizes, sent, total);
          this.change(batch, (index) => ({ sent: shares[index] ?? 0 }));
        },
      });
      this.change(batch, () => ({ state: 'received', sent: 1 }));
      this.onanswer(answer);
    } catch (error) {
      const isCancelled = error instanceof DOMException && error.name === 'AbortError';
      const problem = isCancelled ? null : toProblem(error);
      this.change(batch, () => ({ state: isCancelled ? 'cancelled' : 'failed', problem }));
    }
  }

  private change(batch: readonly Upload[], changes: (index: number) => Partial<Upload>): void {
    this.items = changed(this.items, batch, changes);
  }
}
