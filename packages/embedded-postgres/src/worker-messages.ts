import type { EngineOptions } from './engine';
import type { EngineMutexOptions } from './wire/shared-engine';

export interface WorkerSettings extends EngineOptions, EngineMutexOptions {
  readonly socketPath: string;
}

export type ToWorker = { readonly type: 'close' } | { readonly type: 'dump'; readonly file: string };

export type FromWorker =
  | { readonly type: 'ready' }
  | { readonly type: 'dumped' }
  | { readonly type: 'closed' }
  /** The engine is lost: end the thread. */
  | { readonly type: 'broken'; readonly reason: string };
