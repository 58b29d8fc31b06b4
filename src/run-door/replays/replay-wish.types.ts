import type { RunReplay } from '../../runs';
import type { ReplayChanges } from './replay-definition';

export interface ReplayWish {
  readonly mode: RunReplay['mode'];
  readonly changes: ReplayChanges;
  /** Runs afresh without the tools whose content no longer exists. */
  readonly leaveOutMissing: boolean;
}
