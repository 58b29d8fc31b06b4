import { Injectable } from '@nestjs/common';
import { type AccessLevel, AssistantsService } from '../assistants';
import { AppError, type Caller, isOrganizationAdmin, notFound, type Page, type PageRequest } from '../kernel';
import { SourceLinks } from '../knowledge-bases';
import { AuditLog } from '../platform/audit';
import { type RunFilter, type RunRecord, RunsService, type ShapedReport } from '../runs';
import { answerForOthers, unfinishedForOthers } from './run-foreign-frames';
import { reportForAdministrator, reportForAsker } from './run-report-view';

/** A run and whether the caller may see what its tools fetched and what the model was sent. */
export interface VisibleRun {
  readonly record: RunRecord;
  readonly withContents: boolean;
  /** Runs on behalf of this one; only for those who may see its contents. */
  readonly nested: readonly RunRecord[];
  /** What the model has said so far in a background run; else null. */
  readonly answer: string | null;
}

export type ReachedRun = Pick<VisibleRun, 'record' | 'withContents'>;

interface VisibleRecord extends ReachedRun {
  /** To its assistant; null when that is gone, or no longer the caller's to use. */
  readonly access: AccessLevel | null;
}

/** Reasons of a cancellation as its event tells them. */
const BY_ASKER = 'cancelled by who asked for it';
const BY_OTHER = 'cancelled by somebody who looks after the assistant';

/**
 * Who may read and end which run: everybody their own, without tool contents unless the
 * assistant is theirs to edit; its owner and editors all of it, the organization's admins with previews of what tools put
 * into the prompt.
 */
@Injectable()
export class RunAccess {
  constructor(
    private readonly runs: RunsService,
    private readonly assistants: AssistantsService,
    private readonly links: SourceLinks,
    private readonly audit: AuditLog,
  ) {}

  /** @throws `not_found` for a run that is missing, foreign or somebody else's: they look alike. */
  async find(caller: Caller, id: string): Promise<VisibleRun> {
    const { record, withContents, access } = await this.visible(
      caller,
      await this.runs.find(caller.organizationId, id),
    );
    const nested = withContents ? await this.runs.nested(record) : [];
    const answer = record.background ? await this.runs.answer(record) : null;
    return {
      record: this.withLinksFor(caller, record, access),
      withContents,
      nested,
      answer: answer === null ? null : this.answerFor(caller, record, { answer, access }),
    };
  }

  /**
   * For routes that keys for chatting may call, too: with nothing but `chat` one reaches what one has asked oneself.
   * @throws `not_found` as `find`
   */
  async reach(caller: Caller, id: string): Promise<ReachedRun> {
    const { record, withContents } = await this.visible(caller, await this.runs.glance(caller.organizationId, id));
    if (!caller.scopes.includes('read') && record.userId !== caller.userId) throw notFound('Run');
    return { record, withContents };
  }

  /** Whoever may see a run may end it. The second time changes nothing. @throws `not_found`, `run_ended` */
  async cancel(caller: Caller, id: string): Promise<RunRecord> {
    const { organizationId, userId } = (await this.reach(caller, id)).record;
    const isAsker = userId === caller.userId;
    const record = await this.runs.cancel(organizationId, id, isAsker ? BY_ASKER : BY_OTHER);
    if (!isAsker)
      await this.audit.record({ caller, organizationId, action: 'run.cancel', target: { type: 'run', id } });
    return record;
  }

  /**
   * The whole of it for those who edit the assistant; tool contents as previews for administrators; what ran and how it
   * ended for who has asked. @throws `not_found`
   */
  async report(caller: Caller, id: string): Promise<ShapedReport> {
    const { record, withContents } = await this.find(caller, id);
    if (record.report === null) throw notFound('Report');
    if (!withContents) return reportForAsker(record.report, record.sources);
    const scopes = caller.scopes.filter((scope) => scope !== 'admin');
    const byOwnRight = await this.accessTo({ ...caller, scopes }, record.assistantId);
    return isEditor(byOwnRight) ? record.report : reportForAdministrator(record.report);
  }

  async list(
    caller: Caller,
    filter: Pick<RunFilter, 'assistantId' | 'status'>,
    page: PageRequest,
  ): Promise<Page<RunRecord>> {
    const onlyAssistants = caller.assistantIds;
    const visibleTo = await this.visibleTo(caller);
    return this.runs.list(
      caller.organizationId,
      { ...filter, onlyAssistants, ...(visibleTo === null ? {} : { visibleTo }) },
      page,
    );
  }

  private async visible(caller: Caller, record: RunRecord | null): Promise<VisibleRecord> {
    if (record === null || !credentialReaches(caller, record.assistantId)) throw notFound('Run');
    const access = await this.accessTo(caller, record.assistantId);
    const withContents = isOrganizationAdmin(caller) || isEditor(access);
    // Whoever asked sees of an assistant that another one asked its answer only, unless they may use it themselves.
    const asked = record.userId === caller.userId && (record.parentRunId === null || access !== null);
    if (!withContents && !asked) throw notFound('Run');
    return { record, withContents, access };
  }

  /**
   * A record outlives the links in it: whoever may read it now gets links of their own. It also outlives the right to use
   * the assistant, without which nobody reads on the rights of its owner.
   */
  private withLinksFor(caller: Caller, record: RunRecord, access: AccessLevel | null): RunRecord {
    const { sources, report, events } = record;
    if (sources.length === 0 && events.length === 0) return record;
    const told = JSON.stringify({ sources, report, events });
    const renewed = this.links.renew(told, caller, { ownRightsOnly: access === null });
    return { ...record, ...(JSON.parse(renewed) as Pick<RunRecord, 'sources' | 'report' | 'events'>) };
  }

  /** A model that cites writes links, too, which are those of who asked. */
  private answerFor(
    caller: Caller,
    { userId, finishedAt }: RunRecord,
    { answer, access }: { answer: string; access: AccessLevel | null },
  ): string {
    if (userId === caller.userId) return this.links.renew(answer, caller, { ownRightsOnly: access === null });
    return finishedAt === null ? unfinishedForOthers(answer, this.links) : answerForOthers(answer, this.links);
  }

  private async visibleTo(caller: Caller): Promise<RunFilter['visibleTo'] | null> {
    if (isOrganizationAdmin(caller)) return null;
    const assistants = await this.assistants.listRunnable(caller);
    const editable = assistants.filter(({ access }) => access !== 'use').map(({ id }) => id);
    return { userId: caller.userId, assistantIds: editable };
  }

  /** Null when the assistant is gone or no longer the caller's to use. */
  private async accessTo(caller: Caller, assistantId: number): Promise<AccessLevel | null> {
    try {
      return (await this.assistants.runnable(caller, assistantId)).access;
    } catch (error) {
      if (error instanceof AppError && error.code === 'not_found') return null;
      throw error;
    }
  }
}

const isEditor = (access: AccessLevel | null): boolean => access === 'owner' || access === 'edit';

const credentialReaches = ({ assistantIds }: Caller, assistantId: number): boolean =>
  assistantIds === null || assistantIds.includes(assistantId);
