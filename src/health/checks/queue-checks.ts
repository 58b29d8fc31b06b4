import { type Finding, finding } from '../../infrastructure/findings';
import type { QueueFigures } from '../figures/figures.types';

const LATE_S = 60;
const STUCK_S = 15 * 60;

/** One finding for the slowest queue, and one for each with failed jobs. `queues` null: they could not be read. */
export function checkQueues(queues: readonly QueueFigures[] | null): readonly Finding[] {
  if (queues === null) return [finding('queue.unknown')];
  const failed = queues
    .filter((queue) => queue.failed > 0)
    .map(({ queue, failed: count }) => finding('queue.failed', { queue, count }));
  return [ageOf(queues), ...failed];
}

function ageOf(queues: readonly QueueFigures[]): Finding {
  const oldest = Math.max(0, ...queues.map(({ oldest_seconds }) => oldest_seconds));
  const queue = queues.find(({ oldest_seconds }) => oldest_seconds === oldest)?.queue ?? '';
  const minutes = Math.floor(oldest / 60);
  if (oldest > STUCK_S) return finding('queue.stuck', { queue, minutes });
  if (oldest > LATE_S) return finding('queue.late', { queue, minutes });
  return finding('queue.ok', { seconds: Math.max(1, Math.ceil(oldest)) });
}
