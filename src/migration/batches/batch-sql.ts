/** All times are the database's, because the clocks of two machines may differ. */
const LIVE = `lease_until IS NOT NULL AND lease_until > clock_timestamp()`;

const COLUMNS = `
  id, organization_id AS "organizationId", target_version AS "to", state, task, background, forced,
  batch_size AS "batchSize", actor, lease_holder AS "leaseHolder", lease_until AS "leaseUntil", ${LIVE} AS live,
  total, examined, migrated, skipped, failed, rolled_back AS "rolledBack", apply_cursor AS "applyCursor",
  rollback_cursor AS "rollbackCursor", result, created_at AS "createdAt", finished_at AS "finishedAt"`;

/** Serializes the start, continuation and queueing of tasks ('mgrt' as int4). */
export const LOCK_STARTS = `SELECT pg_advisory_xact_lock(${0x6d677274})`;

export const FIND = `SELECT ${COLUMNS} FROM migration_batches WHERE id = $1`;

/** Other leased batches whose scope overlaps with organization `$2` (null: all). */
export const LEASED = `
  SELECT ${COLUMNS} FROM migration_batches
  WHERE id IS DISTINCT FROM $1 AND ${LIVE} AND task IN ('apply', 'rollback')
    AND ($2::uuid IS NULL OR organization_id IS NULL OR organization_id = $2)`;

/** The newest batch of the same scope that was not applied to its end. */
export const UNFINISHED = `
  SELECT ${COLUMNS} FROM migration_batches
  WHERE organization_id IS NOT DISTINCT FROM $1 AND target_version = $2 AND state IN ('queued', 'running', 'interrupted')
  ORDER BY id DESC LIMIT 1`;

export const INSERT_BATCH = `
  INSERT INTO migration_batches
    (id, organization_id, target_version, state, task, background, batch_size, actor, total)
  VALUES ($1, $2, $3, 'queued', 'apply', $4, $5, $6,
    (SELECT count(*)::int FROM assistants WHERE deleted_at IS NULL AND ($2::uuid IS NULL OR organization_id = $2)))`;

/** Queues a task for a job: nobody holds the lease; `task` waits. */
export const ENQUEUE = `
  UPDATE migration_batches
  SET task = $2, state = $3, forced = $4, actor = $5, background = true, result = NULL,
      lease_token = NULL, lease_holder = NULL, lease_until = NULL
  WHERE id = $1`;

export const CLAIM = `
  UPDATE migration_batches
  SET task = $2, state = $3, forced = $4, background = $5, lease_token = $6, lease_holder = $7,
      result = CASE WHEN result -> 'failure' IS NULL THEN result END,
      lease_until = clock_timestamp() + make_interval(secs => $8)
  WHERE id = $1`;

export const RESIZE = `UPDATE migration_batches SET batch_size = $2 WHERE id = $1`;

/** First statement of every chunk: locks the batch until the chunk is committed. */
export const RENEW = `
  UPDATE migration_batches SET lease_until = clock_timestamp() + make_interval(secs => $3)
  WHERE id = $1 AND lease_token = $2 RETURNING id`;

export const COUNT_APPLIED = `
  UPDATE migration_batches
  SET apply_cursor = $2, examined = examined + $3, migrated = migrated + $4, skipped = skipped + $5, failed = failed + $6
  WHERE id = $1`;

export const COUNT_ROLLED_BACK = `
  UPDATE migration_batches SET rollback_cursor = greatest(rollback_cursor, $2), rolled_back = rolled_back + $3
  WHERE id = $1`;

/** Ends the task and releases the lease; has no effect when another process has taken over. */
export const RELEASE = `
  UPDATE migration_batches
  SET state = $3, task = $4, result = coalesce($5::json, result), lease_token = NULL, lease_holder = NULL,
      lease_until = NULL, rollback_cursor = CASE WHEN $6 THEN 0 ELSE rollback_cursor END,
      finished_at = CASE WHEN $7 THEN clock_timestamp() ELSE finished_at END
  WHERE id = $1 AND lease_token = $2`;

export const PAGE = `
  SELECT ${COLUMNS} FROM migration_batches
  WHERE ($1::uuid IS NULL OR organization_id = $1) AND ($2::uuid IS NULL OR id < $2)
  ORDER BY id DESC LIMIT $3`;

export const COUNT = `
  SELECT count(*)::int AS total FROM migration_batches WHERE ($1::uuid IS NULL OR organization_id = $1)`;

export const IN_BACKGROUND = `
  SELECT ${COLUMNS} FROM migration_batches WHERE task IS NOT NULL AND background ORDER BY id`;
