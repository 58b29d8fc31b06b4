import type { Caller } from '@bellwether/kernel';
import { Inject, Injectable, Logger } from '@nestjs/common';
import {
  type Definition,
  definitionOf,
  type MetadataVersion,
  type RewritePlan,
  runningVersion,
  storedDefinition,
} from '../definition';
import { AuditLog, type AuditRecord } from '../../infrastructure/audit';
import type { Transaction } from '../../infrastructure/database';
import { AssistantChanges } from '../running/public-assistants';
import type { AssistantEntity } from '../storage/assistant.entity';
import { METADATA_MIGRATOR, type MetadataMigrator } from './metadata-migrator.token';
import { RewriteRepository, type RewriteRow, type RollbackRows } from './rewrite.repository';
import {
  REWRITE_REASONS,
  type RewriteChange,
  type RewriteSubject,
  type Rewritten,
  type RollbackOutcome,
  type RollbackRequest,
  type SubjectQuery,
} from './rewriting.types';

interface Rewrite extends RewriteRow {
  readonly before: Definition;
  readonly from: MetadataVersion;
  readonly to: MetadataVersion;
  readonly batchId: string | null;
}

export const subjectOf = (row: AssistantEntity): RewriteSubject => ({
  id: row.id,
  organizationId: row.organizationId,
  ownerId: row.ownerId,
  version: row.version,
  definition: definitionOf(row),
});

/** Rewrites stored documents for the service. The version history and the audit keep the old ones. */
@Injectable()
export class AssistantRewrites {
  private readonly logger = new Logger(AssistantRewrites.name);

  constructor(
    private readonly rows: RewriteRepository,
    private readonly audit: AuditLog,
    private readonly changes: AssistantChanges,
    @Inject(METADATA_MIGRATOR) private readonly migrator: MetadataMigrator,
  ) {}

  plan(subject: RewriteSubject, to: MetadataVersion): Promise<RewritePlan> {
    return this.migrator.plan(subject, to);
  }

  /** Live assistants by id. */
  async subjects(query: SubjectQuery): Promise<readonly RewriteSubject[]> {
    return (await this.rows.live(query)).map(subjectOf);
  }

  /** Whether this very version is the result of a rollback or restore. */
  async isTakenBack({ organizationId, id, version }: RewriteSubject): Promise<boolean> {
    const reason = await this.rows.reasonOf(organizationId, id, version);
    return reason === 'rollback' || reason === 'restore';
  }

  /** Writes plans in the order of `changes`; null where the assistant was changed or deleted since. */
  apply(
    tx: Transaction,
    changes: readonly RewriteChange[],
    actor: Caller | null,
  ): Promise<readonly (Rewritten | null)[]> {
    const rewrites = changes.map(({ subject, plan, reason, batchId }): Rewrite => {
      const { id, organizationId, version, definition: before } = subject;
      return { id, organizationId, version, before, reason, batchId, ...plan, follows: true };
    });
    return this.write(tx, rewrites, actor);
  }

  /**
   * Writes metadata, template and type of the old version unchanged as the newest version. Other members stay. Outcomes
   * are in the order of `requests`, which name each assistant once.
   */
  async rollBack(
    tx: Transaction,
    requests: readonly RollbackRequest[],
    actor: Caller | null,
  ): Promise<readonly RollbackOutcome[]> {
    const rows = await this.rows.forRollback(tx, requests);
    const decisions = requests.map((request) => rollbackOf(request, rows));
    const rewrites = decisions.flatMap((decision) => ('rewrite' in decision ? [decision.rewrite] : []));
    const written = await this.write(tx, rewrites, actor);
    let next = 0;
    return decisions.map((decision): RollbackOutcome => {
      if (!('rewrite' in decision)) return decision;
      const rewritten = written[next++] ?? null;
      return rewritten === null ? { status: 'gone' } : { status: 'done', rewritten, overEdits: decision.overEdits };
    });
  }

  /** Invalidates the caches and writes one log line per assistant, after the commit. */
  committed(rewritten: readonly Rewritten[], batchId: string | null): void {
    for (const { id, organizationId, from, to, oldVersion, newVersion, auditId } of rewritten) {
      this.changes.announce(organizationId, id);
      this.logger.log({
        msg: 'metadata rewritten',
        assistant_id: id,
        from,
        to,
        old_version: oldVersion,
        new_version: newVersion,
        audit_id: auditId,
        batch_id: batchId,
      });
    }
  }

  /** Drops the cached assistant when another writer was faster. */
  forget({ organizationId, id }: Pick<RewriteSubject, 'organizationId' | 'id'>): void {
    this.changes.announce(organizationId, id);
  }

  private async write(
    tx: Transaction,
    rewrites: readonly Rewrite[],
    actor: Caller | null,
  ): Promise<readonly (Rewritten | null)[]> {
    const done = await this.rows.write(tx, rewrites, actor?.userId ?? null);
    const kept = rewrites.filter(({ id }) => done.has(id));
    const auditIds = await this.audit.recordAll(
      kept.map((rewrite) => auditOf(rewrite, actor)),
      tx,
    );
    const written = new Map(
      kept.map(({ id, organizationId, from, to, version }, index): [number, Rewritten] => [
        id,
        {
          id,
          organizationId,
          from,
          to,
          oldVersion: version,
          newVersion: version + 1,
          auditId: auditIds[index] ?? '',
        },
      ]),
    );
    return rewrites.map(({ id }) => written.get(id) ?? null);
  }
}

function auditOf(rewrite: Rewrite, caller: Caller | null): AuditRecord {
  const { id, organizationId, version, before, definition, from, to, reason, batchId } = rewrite;
  return {
    caller,
    organizationId,
    action: `assistant.${reason}`,
    target: { type: 'assistant', id },
    before: { version, format_version: from, ...documentOf(before) },
    after: { version: version + 1, format_version: to, ...documentOf(definition), batch: batchId },
  };
}

const documentOf = ({ type, metadata, promptTemplate }: RewriteRow['definition']): object => ({
  type,
  metadata,
  prompt_template: promptTemplate,
});

type RollbackDecision =
  | { readonly rewrite: Rewrite; readonly overEdits: readonly number[] }
  | Exclude<RollbackOutcome, { readonly status: 'done' }>;

const isSameDocument = (one: RewriteRow['definition'], other: RewriteRow['definition']): boolean =>
  one.type === other.type && one.promptTemplate === other.promptTemplate && one.metadata === other.metadata;

/**
 * Versions saved after the rewrite; publication and shares make no versions. A later rewrite that was rolled back does
 * not count.
 */
function editsOf(row: AssistantEntity, { made, later }: RollbackRows): number[] {
  const rewritten = made.get(row.id);
  const saved = later.get(row.id) ?? [];
  const undone = saved.every(({ reason }) => REWRITE_REASONS.some((each) => each === reason));
  return undone && rewritten !== undefined && isSameDocument(row, rewritten) ? [] : saved.map(({ version }) => version);
}

function rollbackOf(request: RollbackRequest, rows: RollbackRows): RollbackDecision {
  const { assistantId: id, organizationId, force, batchId } = request;
  const row = rows.current.get(id);
  const version = rows.old.get(id);
  if (row?.organizationId !== organizationId) return { status: 'gone' };
  if (version?.organizationId !== organizationId || request.isOld?.(definitionOf(version)) === false)
    return { status: 'history_missing' };
  const { type, promptTemplate, metadata } = version;
  if (isSameDocument(row, version)) return { status: 'already' };
  const overEdits = editsOf(row, rows);
  if (overEdits.length > 0 && !force) return { status: 'edited', edits: overEdits };
  return {
    overEdits,
    rewrite: {
      id,
      organizationId,
      version: row.version,
      before: definitionOf(row),
      definition: { type, promptTemplate, metadata },
      from: runningVersion(storedDefinition(row).metadata),
      to: runningVersion(storedDefinition(version).metadata),
      reason: 'rollback',
      batchId,
      // People keep the edits that they got until somebody publishes the older definition.
      follows: overEdits.length === 0,
    },
  };
}
