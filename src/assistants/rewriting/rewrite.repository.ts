import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Definition } from '../definition';
import type { Transaction } from '../../infrastructure/database';
import { AssistantEntity } from '../storage/assistant.entity';
import { AssistantVersionEntity, type VersionReason } from '../storage/assistant-version.entity';
import type { RewriteReason, RollbackRequest, SubjectQuery } from './rewriting.types';

/** The parts of a definition that a rewrite changes. */
export interface RewriteRow {
  readonly id: number;
  readonly organizationId: string;
  /** The row must still have it. */
  readonly version: number;
  readonly definition: Pick<Definition, 'type' | 'promptTemplate' | 'metadata'>;
  readonly reason: RewriteReason;
  /** Whether the new version becomes live where the old one was: it gives the same prompts. */
  readonly follows: boolean;
}

type SavedVersion = Pick<AssistantVersionEntity, 'version' | 'reason'>;

/** The rows that decide a rollback, read under the row lock. */
export interface RollbackRows {
  readonly current: ReadonlyMap<number, AssistantEntity>;
  /** Version to restore, by assistant. */
  readonly old: ReadonlyMap<number, AssistantVersionEntity>;
  /** Version that the rewrite made, by assistant saved since. */
  readonly made: ReadonlyMap<number, AssistantVersionEntity>;
  readonly later: ReadonlyMap<number, readonly SavedVersion[]>;
}

/** Locks rows in the order of ids, so that two bulk writers cannot deadlock. */
const WRITE = `
  WITH held AS (SELECT id FROM assistants WHERE id = ANY($1::int[]) ORDER BY id FOR UPDATE)
  UPDATE assistants AS assistant
  SET type = change.type, prompt_template = change.template, metadata = change.metadata,
      version = change.version + 1, updated_at = now(),
      live_version = CASE WHEN change.follows AND assistant.live_version = change.version
                          THEN change.version + 1 ELSE assistant.live_version END
  FROM unnest($1::int[], $2::uuid[], $3::int[], $4::text[], $5::text[], $6::text[], $7::boolean[])
         AS change (id, organization_id, version, type, template, metadata, follows)
  JOIN held ON held.id = change.id
  WHERE assistant.id = change.id AND assistant.organization_id = change.organization_id
    AND assistant.version = change.version AND assistant.deleted_at IS NULL
  RETURNING assistant.id`;

const KEEP_VERSIONS = `
  INSERT INTO assistant_versions (assistant_id, version, organization_id, author_id, reason, type, name, description,
                                  system_prompt, prompt_template, metadata, rag_collections, rag_top_k,
                                  collection_ids)
  SELECT assistant.id, assistant.version, assistant.organization_id, $1::uuid, change.reason, assistant.type,
         assistant.name, assistant.description, assistant.system_prompt, assistant.prompt_template, assistant.metadata,
         assistant.rag_collections, assistant.rag_top_k, assistant.collection_ids
  FROM assistants AS assistant
  JOIN unnest($2::int[], $3::int[], $4::text[]) AS change (id, version, reason)
    ON change.id = assistant.id AND change.version + 1 = assistant.version`;

const LATER_VERSIONS = `
  SELECT saved.assistant_id AS id, saved.version, saved.reason
  FROM assistant_versions AS saved
  JOIN unnest($1::int[], $2::int[]) AS made (id, version) ON made.id = saved.assistant_id AND saved.version > made.version
  ORDER BY saved.assistant_id, saved.version`;

/** Bulk statements over assistants of any organization. */
@Injectable()
export class RewriteRepository {
  constructor(private readonly dataSource: DataSource) {}

  live({ organizationId, afterId, limit, onlyId }: SubjectQuery): Promise<AssistantEntity[]> {
    const query = this.dataSource
      .getRepository(AssistantEntity)
      .createQueryBuilder('assistant')
      .where('assistant.deleted_at IS NULL AND assistant.id > :afterId', { afterId });
    if (organizationId !== null) query.andWhere('assistant.organization_id = :organizationId', { organizationId });
    if (onlyId !== undefined) query.andWhere('assistant.id = :onlyId', { onlyId });
    return query.orderBy('assistant.id', 'ASC').take(limit).getMany();
  }

  /** null when the history lacks the version. */
  async reasonOf(organizationId: string, assistantId: number, version: number): Promise<VersionReason | null> {
    const versions = this.dataSource.getRepository(AssistantVersionEntity);
    const found = await versions.findOneBy({ organizationId, assistantId, version });
    return found?.reason ?? null;
  }

  /** Writes the next version of each unchanged row, and its history. Returns the ids of these rows. */
  async write(tx: Transaction, rows: readonly RewriteRow[], authorId: string | null): Promise<ReadonlySet<number>> {
    if (rows.length === 0) return new Set();
    const ids = rows.map(({ id }) => id);
    const versions = rows.map(({ version }) => version);
    const [written] = await tx.query<[{ id: number }[], number]>(WRITE, [
      ids,
      rows.map(({ organizationId }) => organizationId),
      versions,
      rows.map(({ definition }) => definition.type),
      rows.map(({ definition }) => definition.promptTemplate),
      rows.map(({ definition }) => definition.metadata),
      rows.map(({ follows }) => follows),
    ]);
    const done = new Set(written.map(({ id }) => id));
    const kept = rows.filter(({ id }) => done.has(id));
    await tx.query(KEEP_VERSIONS, [
      authorId,
      kept.map(({ id }) => id),
      kept.map(({ version }) => version),
      kept.map(({ reason }) => reason),
    ]);
    return done;
  }

  async forRollback(tx: Transaction, requests: readonly RollbackRequest[]): Promise<RollbackRows> {
    const ids = requests.map(({ assistantId }) => assistantId);
    const current = await tx
      .getRepository(AssistantEntity)
      .createQueryBuilder('assistant')
      .where('assistant.id = ANY(:ids) AND assistant.deleted_at IS NULL', { ids })
      .orderBy('assistant.id', 'ASC')
      .setLock('pessimistic_write')
      .getMany();
    const old = await versionsOf(
      tx,
      requests.map(({ assistantId, oldVersion }) => [assistantId, oldVersion]),
    );
    const wanted = new Map(requests.map(({ assistantId, newVersion }) => [assistantId, newVersion]));
    const saved = current.flatMap(({ id, version }): [number, number][] => {
      const made = wanted.get(id) ?? version;
      return version > made ? [[id, made]] : [];
    });
    const made = await versionsOf(tx, saved);
    return {
      current: new Map(current.map((row) => [row.id, row])),
      old: new Map(old.map((version) => [version.assistantId, version])),
      made: new Map(made.map((version) => [version.assistantId, version])),
      later: await laterThan(tx, saved),
    };
  }
}

function versionsOf(
  tx: Transaction,
  wanted: readonly (readonly [id: number, version: number])[],
): Promise<AssistantVersionEntity[]> {
  if (wanted.length === 0) return Promise.resolve([]);
  return tx
    .getRepository(AssistantVersionEntity)
    .createQueryBuilder('kept')
    .where(
      '(kept.assistant_id, kept.version) IN (SELECT * FROM unnest(CAST(:ids AS int[]), CAST(:versions AS int[])))',
      {
        ids: wanted.map(([id]) => id),
        versions: wanted.map(([, version]) => version),
      },
    )
    .orderBy('kept.assistant_id', 'ASC')
    .addOrderBy('kept.version', 'ASC')
    .getMany();
}

/** Without the documents: there may be many. */
async function laterThan(
  tx: Transaction,
  versions: readonly (readonly [id: number, version: number])[],
): Promise<Map<number, SavedVersion[]>> {
  const later = new Map<number, SavedVersion[]>();
  if (versions.length === 0) return later;
  const found = await tx.query<(SavedVersion & { id: number })[]>(LATER_VERSIONS, [
    versions.map(([id]) => id),
    versions.map(([, version]) => version),
  ]);
  for (const { id, version, reason } of found) later.set(id, [...(later.get(id) ?? []), { version, reason }]);
  return later;
}
