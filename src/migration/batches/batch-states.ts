/** Metadata versions that documents can be migrated to. */
export const TARGET_VERSIONS = [2, 3] as const;
export type TargetVersion = (typeof TARGET_VERSIONS)[number];
export const NEWEST_VERSION: TargetVersion = 3;

/** `running` and `rolling_back` without a live lease: the process was killed. */
export const BATCH_STATES = ['queued', 'running', 'interrupted', 'done', 'rolling_back', 'rolled_back'] as const;
export type BatchState = (typeof BATCH_STATES)[number];

export const BATCH_TASKS = ['apply', 'rollback', 'verify'] as const;
export type BatchTask = (typeof BATCH_TASKS)[number];

export const ITEM_STATUSES = ['migrated', 'skipped', 'failed', 'rolled_back'] as const;
export type ItemStatus = (typeof ITEM_STATUSES)[number];
