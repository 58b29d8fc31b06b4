import type { RunReplay } from '../../runs';
import type { ReplayChanges } from './replay-definition';

export interface ReplayWish {
  readonly mode: RunReplay['mode'];
  readonly changes: ReplayChanges;
  /** For a fresh run: leaves out the tools whose content no longer exists. */
  readonly leaveOutMissing: boolean;
}
