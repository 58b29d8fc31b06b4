import type { Batch } from './requests';

/** Whether the server works on it or is about to. */
export const isBusy = ({ task, state }: Pick<Batch, 'task' | 'state'>): boolean => task !== null || state === 'queued';

/** A batch that stopped before its end goes on when the same migration is started again. */
export const canResume = ({ state, task }: Pick<Batch, 'task' | 'state'>): boolean =>
  state === 'interrupted' && task === null;

/** Something was written and nobody is at work: it can be compared and taken back. */
export const canTakeBack = (batch: Pick<Batch, 'task' | 'state' | 'migrated' | 'rolled_back'>): boolean =>
  !isBusy(batch) && batch.migrated > batch.rolled_back;

const FIRST_MS = 500;
const LAST_MS = 5_000;

/** How long to wait before asking a `turn`-th time how far it is: often at first, every five seconds in the end. */
export const pauseBefore = (turn: number): number => Math.min(LAST_MS, FIRST_MS * 1.5 ** turn);

export interface DiffLine {
  readonly kind: 'same' | 'added' | 'removed' | 'file';
  readonly text: string;
}

/** A line of a unified diff by its first characters. */
export function diffLine(line: string): DiffLine {
  if (line.startsWith('--- ')) return { kind: 'file', text: line.slice(4) };
  if (line.startsWith('+++ ')) return { kind: 'file', text: '' };
  const kind = line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : 'same';
  return { kind, text: line.slice(1) };
}

/** The lines to show: of the two lines that name a part, one is enough. */
export const diffLines = (lines: readonly string[]): readonly DiffLine[] =>
  lines.map(diffLine).filter(({ kind, text }) => kind !== 'file' || text !== '');
