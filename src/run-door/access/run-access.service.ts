import { Injectable } from '@nestjs/common';
import {
  type AccessLevel,
  AssistantsService,
  type Disclosure,
  disclosureTo,
  type RunnableAssistant,
} from '../../assistants';
import { AppError, type Caller, isOrganizationAdmin, notFound, type Page, type PageRequest } from '../../kernel';
import { SourceLinks } from '../../knowledge-bases';
import { OrganizationsService } from '../../organizations';
import { AuditLog } from '../../platform/audit';
import { type RunFilter, type RunRecord, RunsService, type ShapedReport } from '../../runs';
import { answerForOthers, unfinishedForOthers } from './foreign-events';
import { reportForAdministrator, reportForAsker } from '../../answering';

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

interface VisibleRecord {
  readonly record: RunRecord;
  readonly disclosure: Disclosure;
  /** To its assistant; null when that is gone, or no longer the caller's to use. */
  readonly access: AccessLevel | null;
}

/** Reasons of a cancellation as its event tells them. */
const BY_ASKER = 'cancelled by who asked for it';
const BY_OTHER = 'cancelled by somebody who looks after the assistant';

/**
 * Decides who may read and cancel a run: its asker, the assistant's editors, and administrators of its organization.
 * `disclosureTo` decides how much of prompts and tool contents they see.
 */
@Injectable()
export class RunAccess {
  constructor(
    private readonly runs: RunsService,
    private readonly assistants: AssistantsService,
    private readonly links: SourceLinks,
    private readonly audit: AuditLog,
    private readonly organizations: OrganizationsService,
  ) {}

  /** @throws `not_found` for a run that is missing, foreign or somebody else's: they look alike. */
  async find(caller: Caller, id: string): Promise<VisibleRun> {
    const { record, disclosure, access } = await this.visible(caller, await this.runs.find(caller.organizationId, id));
    const withContents = disclosure !== 'none';
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
    const { record, disclosure } = await this.visible(caller, await this.runs.glance(caller.organizationId, id));
    if (!caller.scopes.includes('read') && record.userId !== caller.userId) throw notFound('Run');
    return { record, withContents: disclosure !== 'none' };
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
   * The whole report, one with previews of tool contents, or only what ran and how it ended: `disclosureTo` decides.
   * @throws `not_found`
   */
  async report(caller: Caller, id: string): Promise<ShapedReport> {
    const found = await this.visible(caller, await this.runs.find(caller.organizationId, id));
    const { report, sources } = this.withLinksFor(caller, found.record, found.access);
    if (report === null) throw notFound('Report');
    await this.recordForeignReading(caller, found);
    if (found.disclosure === 'none') return reportForAsker(report, sources);
    return found.disclosure === 'whole' ? report : reportForAdministrator(report);
  }

  /** The audit log tells when somebody reads a report that is neither of their own run nor of an assistant they edit. */
  private async recordForeignReading(caller: Caller, { record, disclosure }: VisibleRecord): Promise<void> {
    if (record.userId === caller.userId || disclosure === 'whole') return;
    const target = { type: 'run', id: record.id };
    const after = { assistant_id: record.assistantId, user_id: record.userId };
    await this.audit.record({ caller, action: 'run.report_read', target, after });
  }

  async list(
    caller: Caller,
    filter: Pick<RunFilter, 'assistantId' | 'status'>,
    page: PageRequest,
  ): Promise<Page<RunRecord>> {
    const onlyAssistants = caller.assistantIds;
    const visibleTo = await this.visibleTo(caller);
    const { features } = await this.organizations.runtime(caller.organizationId);
    return this.runs.list(
      caller.organizationId,
      {
        ...filter,
        onlyAssistants,
        ...(features.assistants_import ? { asker: caller.userId } : {}),
        ...(visibleTo === null ? {} : { visibleTo }),
      },
      page,
    );
  }

  private async visible(caller: Caller, record: RunRecord | null): Promise<VisibleRecord> {
    if (record === null || !credentialReaches(caller, record.assistantId)) throw notFound('Run');
    const isOwn = record.organizationId === caller.organizationId;
    const { access, disclosure } = await this.rightsOn(caller, record.assistantId, isOwn);
    // An assistant of another organization is looked after there.
    const looksAfter = isOwn && (isOrganizationAdmin(caller) || isEditor(access));
    // Whoever asked sees of an assistant that another one asked its answer only, unless they may use it themselves.
    const asked = record.userId === caller.userId && (record.parentRunId === null || access !== null);
    if (!looksAfter && !asked) throw notFound('Run');
    return { record, disclosure, access };
  }

  /** Runs of a deleted assistant stay visible to administrators as before. */
  private async rightsOn(
    caller: Caller,
    assistantId: number,
    isOwn: boolean,
  ): Promise<Pick<VisibleRecord, 'access' | 'disclosure'>> {
    const runnable = await this.runnable(caller, assistantId);
    return runnable ?? { access: null, disclosure: isOwn ? disclosureTo(caller, null) : 'none' };
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
    const editable = await this.assistants.editableIds(caller);
    const { userId, assistantIds } = caller;
    return {
      userId,
      assistantIds: assistantIds === null ? editable : editable.filter((id) => assistantIds.includes(id)),
    };
  }

  /** Null when the assistant is gone or no longer the caller's to use. */
  private async runnable(caller: Caller, assistantId: number): Promise<RunnableAssistant | null> {
    try {
      return await this.assistants.runnable(caller, assistantId);
    } catch (error) {
      if (error instanceof AppError && error.code === 'not_found') return null;
      throw error;
    }
  }
}

const isEditor = (access: AccessLevel | null): boolean => access === 'owner' || access === 'edit';

const credentialReaches = ({ assistantIds }: Caller, assistantId: number): boolean =>
  assistantIds === null || assistantIds.includes(assistantId);
