import { Injectable } from '@nestjs/common';
import type { Caller } from '../../kernel';
import type { Transaction } from '../../platform/database';
import type {
  MetadataMigrator,
  RewriteChange,
  RewriteSubject,
  Rewritten,
  RollbackOutcome,
  RollbackRequest,
  SubjectQuery,
} from './rewriting.types';

/** Stored documents rewritten by the service: the version history and the audit keep what was. */
@Injectable()
export class AssistantRewrites {
  /** Handed in by the room that can render prompts, when it starts. */
  use(_migrator: MetadataMigrator): void {
    throw new Error('not yet');
  }

  /** Live assistants by id. */
  subjects(_query: SubjectQuery): Promise<readonly RewriteSubject[]> {
    throw new Error('not yet');
  }

  /** Writes plans, in the order of `changes`; null where the assistant was changed or deleted since the plan was made. */
  apply(
    _tx: Transaction,
    _changes: readonly RewriteChange[],
    _actor: Caller | null,
  ): Promise<readonly (Rewritten | null)[]> {
    throw new Error('not yet');
  }

  /** Metadata, template and type of the old version become the newest version, to the letter; the rest stays. Outcomes in the order of `requests`. */
  rollBack(
    _tx: Transaction,
    _requests: readonly RollbackRequest[],
    _actor: Caller | null,
  ): Promise<readonly RollbackOutcome[]> {
    throw new Error('not yet');
  }

  /** To be called after the commit: this process forgets what it had in memory, and each assistant gets its line in the log. */
  committed(_rewritten: readonly Rewritten[], _batchId: string | null): void {
    throw new Error('not yet');
  }
}
