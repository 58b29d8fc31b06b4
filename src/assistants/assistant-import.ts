import type { Problem } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import {
  type ImportRow,
  type ImportScope,
  type ImportTarget,
  TableImport,
  type Transaction,
  batches,
} from '../infrastructure/database';
import { SaveValidator } from './checks/save-validator';
import {
  type Definition,
  type Diagnostic,
  type DiagnosticCode,
  assistantType,
  definitionOf,
  metadataProblems,
  parseMetadata,
} from './definition';
import { CollectionBindings } from './editing/assistant-records';
import { AssistantCompiler } from './running/assistant-compiler';
import { AssistantAliasRepository } from './storage/assistant-alias.repository';
import { AssistantVersionEntity } from './storage/assistant-version.entity';
import { AssistantEntity } from './storage/assistant.entity';
import { AssistantRepository } from './storage/assistant.repository';

/** Warnings about an assistant that can do less here than at the source. */
const LOSSES: ReadonlySet<DiagnosticCode> = new Set([
  'connector.unknown',
  'connector.not_configured',
  'tool.config_incomplete',
  'collection.unlisted',
  'setting.unsupported',
]);

/** Checks imported assistants as a save would, with the rights of their owners. */
@Injectable()
export class ImportedAssistantChecks {
  constructor(
    private readonly assistants: AssistantRepository,
    private readonly validator: SaveValidator,
  ) {}

  /** The owner's id; null for an assistant that does not exist any more. */
  async ownerOf(organizationId: string, id: number): Promise<string | null> {
    return (await this.assistants.within(organizationId).find(id))?.ownerId ?? null;
  }

  /** Errors and losses; none for an assistant that does not exist any more. */
  async findings(organizationId: string, id: number): Promise<readonly Diagnostic[]> {
    const row = await this.assistants.within(organizationId).find(id);
    if (row === null) return [];
    const { diagnostics } = await this.validator.check(row, { organizationId, userId: row.ownerId }, id);
    return diagnostics.filter(({ severity, code }) => severity === 'error' || LOSSES.has(code));
  }
}

/** The shares of one assistant, by user id. */
export interface ImportedShares {
  readonly assistantId: number;
  readonly shares: readonly { readonly userId: string; readonly access: 'edit' | 'use' }[];
}

/** Imports the shares of assistants, one list for each assistant. */
@Injectable()
export class ShareImport implements ImportTarget<ImportedShares> {
  constructor(private readonly assistants: AssistantRepository) {}

  /** An emptied list counts as one change. */
  readonly weight = ({ shares }: ImportedShares): number => Math.max(1, shares.length);

  keyOf({ assistantId }: ImportedShares): string {
    return String(assistantId);
  }

  async keys({ organizationId, tx }: ImportScope): Promise<ReadonlyMap<string, string>> {
    const rows: { id: number }[] = await tx.query(
      'SELECT DISTINCT assistant_id AS id FROM assistant_shares WHERE organization_id = $1',
      [organizationId],
    );
    return new Map(rows.map(({ id }) => [String(id), String(id)]));
  }

  async find(
    { organizationId, tx }: ImportScope,
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, ImportedShares>> {
    const lists = new Map(ids.map((id) => [id, [] as { userId: string; access: 'edit' | 'use' }[]]));
    const rows = await this.assistants.within(organizationId, tx).shares.people(ids.map(Number));
    for (const { assistantId, userId, access } of rows) lists.get(String(assistantId))?.push({ userId, access });
    return new Map(
      [...lists].map(([id, shares]) => {
        const sorted = shares.sort((a, b) => (a.userId < b.userId ? -1 : 1));
        return [id, { assistantId: Number(id), shares: sorted }];
      }),
    );
  }

  async insert(scope: ImportScope, rows: readonly ImportRow<ImportedShares>[]): Promise<void> {
    for (const row of rows) await this.update(scope, row);
  }

  async update({ organizationId, tx }: ImportScope, { value }: ImportRow<ImportedShares>): Promise<boolean> {
    await this.assistants.within(organizationId, tx).shares.replacePeople(value.assistantId, value.shares);
    return true;
  }
}

/** An assistant of another installation with its original texts. */
export type ImportedAssistant = Omit<Definition, 'type' | 'collectionIds'> & {
  readonly ownerId: string;
  readonly published: boolean;
};

const BATCH = 100;
/** Higher numbers get another id: the sequence is advanced number by number, which needs no right to set it. */
const MAX_KEPT_ID = 1_000_000;
/** Ids left free above the source's, for assistants that are made there until the last import. */
const RESERVE = 1_000;

function rowOf<T extends Pick<ImportedAssistant, 'metadata'>>(value: T) {
  const parsed = parseMetadata(value.metadata);
  return { ...value, type: parsed.ok ? assistantType(parsed.metadata) : ('classic' as const) };
}

/**
 * Imports assistants. Definitions are not checked: a definition that ran at the source is kept unchanged, except for
 * the automatic template where it has none.
 */
@Injectable()
export class AssistantImport extends TableImport<AssistantEntity, ImportedAssistant> {
  constructor(
    private readonly bindings: CollectionBindings,
    private readonly aliases: AssistantAliasRepository,
    private readonly compiler: AssistantCompiler,
  ) {
    super({
      entity: AssistantEntity,
      idColumn: 'id',
      keyColumns: ['ownerId', 'name'],
      isSoftDeleted: true,
      toRow: rowOf,
      toValue: (row) => {
        const { type: _type, collectionIds: _ids, ...texts } = definitionOf(row);
        return { ...texts, ownerId: row.ownerId, published: row.published };
      },
    });
  }

  /** Reasons why a metadata text cannot be stored; text that is not JSON can. */
  problems(metadata: string): readonly Problem[] {
    return this.isReadable(metadata) ? metadataProblems(metadata) : [];
  }

  /** The template that is stored: the automatic one for a multi-tool assistant without. */
  templateOf(texts: Omit<ImportedAssistant, 'ownerId' | 'published'>): string {
    return this.compiler.withTemplate(rowOf(texts)).promptTemplate;
  }

  /** Unreadable metadata counts as empty. */
  isReadable(metadata: string): boolean {
    return parseMetadata(metadata).ok;
  }

  /** Ids for new assistants, so that they can name each other before they are written. */
  async reserveIds(count: number, tx: Transaction): Promise<number[]> {
    const rows: { id: string }[] = await tx.query(
      `SELECT nextval(pg_get_serial_sequence('assistants', 'id')) AS id FROM generate_series(1, $1)`,
      [count],
    );
    return rows.map(({ id }) => Number(id));
  }

  /** The ids among `wanted` that no assistant of any organization has or had. */
  async freeIds(wanted: readonly number[], tx: Transaction): Promise<ReadonlySet<number>> {
    const low = wanted.filter((id) => id <= MAX_KEPT_ID);
    const rows: { id: number }[] = await tx.query(
      `SELECT id FROM unnest($1::integer[]) AS wanted (id)
        WHERE NOT EXISTS (SELECT FROM assistants WHERE assistants.id = wanted.id)`,
      [low],
    );
    return new Set(rows.map(({ id }) => id));
  }

  /** Keeps new assistants off the ids of the source, with some in reserve. A rollback does not undo it. */
  async advanceIds(sourceIds: readonly number[], tx: Transaction): Promise<void> {
    const highest = Math.max(0, ...sourceIds.filter((id) => id <= MAX_KEPT_ID));
    if (highest === 0) return;
    await tx.query(
      `SELECT count(nextval(ids.sequence)) FROM (
         SELECT pg_get_serial_sequence('assistants', 'id')::regclass AS sequence
       ) AS ids, generate_series(coalesce(pg_sequence_last_value(ids.sequence), 0) + 1, $1::bigint)`,
      [highest + RESERVE],
    );
  }

  /** `ids`: the number at the source and the id here. */
  async keepAliases(
    { organizationId, tx }: ImportScope,
    source: string,
    ids: readonly (readonly [number: number, assistantId: number])[],
  ): Promise<void> {
    await this.aliases.save(organizationId, source, ids, tx);
  }

  override async insert(scope: ImportScope, rows: readonly ImportRow<ImportedAssistant>[]): Promise<void> {
    const { organizationId, tx } = scope;
    const now = new Date();
    for (const batch of batches(rows, BATCH)) {
      const assistants = [];
      for (const { id, value, createdAt = null, updatedAt = null } of batch) {
        assistants.push({
          ...(await this.bindings.bind(organizationId, rowOf(value), null, [], tx)),
          id: Number(id),
          ownerId: value.ownerId,
          published: value.published,
          liveVersion: value.published ? 1 : null,
          organizationId,
          version: 1,
          createdAt: createdAt ?? updatedAt ?? now,
          updatedAt: updatedAt ?? createdAt ?? now,
        });
      }
      await this.insertRows(scope, assistants);
      await keepVersions(scope, assistants);
    }
  }

  /** Writes the next version. */
  override async update(scope: ImportScope, { id, value }: ImportRow<ImportedAssistant>): Promise<boolean> {
    const { organizationId, tx } = scope;
    const stored = await this.lock(scope, id);
    if (stored === null) return false;
    const bound = await this.bindings.bind(organizationId, definitionOf(rowOf(value)), definitionOf(stored), [], tx);
    const { ownerId, published } = value;
    const version = stored.version + 1;
    const changes = { ...bound, ownerId, published, version, liveVersion: published ? version : null };
    const withdrawn = published ? {} : { publishedToAll: false };
    await tx.getRepository(AssistantEntity).update({ organizationId, id: stored.id }, { ...changes, ...withdrawn });
    await keepVersions(scope, [{ ...changes, id: stored.id }]);
    return true;
  }
}

async function keepVersions(
  { organizationId, tx }: ImportScope,
  rows: readonly (Definition & { readonly id: number; readonly version: number })[],
): Promise<void> {
  const versions = rows.map((row) => {
    const { collectionIds = null, ...definition } = definitionOf(row);
    const { id: assistantId, version } = row;
    return {
      ...definition,
      collectionIds,
      assistantId,
      version,
      organizationId,
      authorId: null,
      reason: 'import' as const,
    };
  });
  await tx.getRepository(AssistantVersionEntity).insert(versions);
}
