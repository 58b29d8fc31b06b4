import type { Repository } from 'typeorm';
import { definitionOf } from '../definition';
import type { AssistantVersionEntity } from './assistant-version.entity';
import type { AssistantEntity } from './assistant.entity';

/** A row with the definition that runs: the live version where the assistant is published, else the newest. */
export interface RunningRow extends AssistantEntity {
  /** The newest version, which may have unpublished changes. `version` is the one that runs. */
  readonly newestVersion: number;
}

const runsNewest = ({ liveVersion, version }: AssistantEntity): boolean =>
  liveVersion === null || liveVersion === version;

/**
 * Running rows in the order of `rows`. A row whose live version is missing is left out: running unpublished changes
 * instead would break the promise of the publication.
 */
export async function runningRows(
  rows: readonly AssistantEntity[],
  history: Repository<AssistantVersionEntity>,
): Promise<RunningRow[]> {
  const live = await versionsOf(
    rows.filter((row) => !runsNewest(row)),
    history,
  );
  return rows.flatMap((row): RunningRow[] => {
    if (runsNewest(row)) return [{ ...row, newestVersion: row.version }];
    const kept = live.get(row.id);
    if (kept === undefined) return [];
    const { version, createdAt: updatedAt } = kept;
    return [{ ...row, ...definitionOf(kept), version, updatedAt, newestVersion: row.version }];
  });
}

async function versionsOf(
  rows: readonly AssistantEntity[],
  history: Repository<AssistantVersionEntity>,
): Promise<ReadonlyMap<number, AssistantVersionEntity>> {
  if (rows.length === 0) return new Map();
  const found = await history
    .createQueryBuilder('live')
    .where(
      '(live.assistant_id, live.version) IN (SELECT * FROM unnest(CAST(:ids AS int[]), CAST(:versions AS int[])))',
      {
        ids: rows.map(({ id }) => id),
        versions: rows.map(({ liveVersion }) => liveVersion),
      },
    )
    .getMany();
  return new Map(found.map((version) => [version.assistantId, version]));
}
