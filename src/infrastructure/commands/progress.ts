import { terminalLine } from '@bellwether/kernel';

/** Progress of a command; `total` null while it is unknown. */
export interface ProgressReport {
  readonly done: number;
  readonly total: number | null;
  readonly text: string;
}

/** Call it for every item: output is throttled. */
export interface Progress {
  report(progress: ProgressReport): void;
}

export interface ProgressOutput {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

export const SILENT: Progress = { report: () => undefined };

const LINE_INTERVAL_MS = 1_000;
const BAR_INTERVAL_MS = 50;
const BAR_CELLS = 24;
const CLEAR_LINE = '\r\u001b[2K';

const share = ({ done, total }: ProgressReport): number =>
  total === null || total <= 0 ? 0 : Math.min(1, done / total);

const counts = ({ done, total }: ProgressReport): string => (total === null ? `${done}` : `${done}/${total}`);

const line = (progress: ProgressReport): string => `${counts(progress)} ${terminalLine(progress.text)}`.trimEnd();

function bar(progress: ProgressReport, columns: number): string {
  const filled = Math.round(share(progress) * BAR_CELLS);
  const percent = progress.total === null ? '' : ` ${Math.floor(share(progress) * 100)} %`;
  const cells = `${'#'.repeat(filled)}${'.'.repeat(BAR_CELLS - filled)}`;
  return `[${cells}]${percent} ${line(progress)}`.slice(0, Math.max(1, columns - 1));
}

/**
 * Progress on standard error: one redrawn line on a terminal, else one line a second. The last report (`done` equal to
 * `total`) always shows.
 */
export class ShownProgress implements Progress {
  private shownAt = -Infinity;
  private drawn = false;

  constructor(
    private readonly output: ProgressOutput,
    private readonly now: () => number = () => performance.now(),
  ) {}

  report(progress: ProgressReport): void {
    const finished = progress.total !== null && progress.done >= progress.total;
    const interval = this.output.isTTY === true ? BAR_INTERVAL_MS : LINE_INTERVAL_MS;
    if (!finished && this.now() - this.shownAt < interval) return;
    this.shownAt = this.now();
    if (this.output.isTTY !== true) {
      this.output.write(`${line(progress)}\n`);
      return;
    }
    this.output.write(`${CLEAR_LINE}${bar(progress, this.output.columns ?? 80)}`);
    this.drawn = true;
  }

  /** Removes the bar before the result. */
  end(): void {
    if (this.drawn) this.output.write(CLEAR_LINE);
    this.drawn = false;
  }
}
