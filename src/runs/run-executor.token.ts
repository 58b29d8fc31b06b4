import type { JsonObject } from '@bellwether/kernel';
import type { Run } from './run';

/** Provided by the module that answers questions. */
export const RUN_EXECUTOR = Symbol('RUN_EXECUTOR');

export interface RunExecutor {
  /** Executes a background run. A run that it does not finish fails, or ends with its abort reason. */
  execute(run: Run, request: JsonObject): Promise<void>;
}
