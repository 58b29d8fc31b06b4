import {
  assertActsForPerson,
  type Caller,
  isOrganizationAdmin,
  isTeacher,
  lastQuestion,
  NO_ASSISTANT,
  notFound,
  type PageRequest,
  type Principal,
  reachOf,
  type Source,
  type SourcePassage,
  orNull,
} from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import {
  type AccessLevel,
  AssistantsService,
  type Disclosure,
  disclosureTo,
  type RunnableAssistant,
} from '../assistants';
import { KnowledgeBasesService, SourceLinks } from '../knowledge-bases';
import { OrganizationsService } from '../organizations';
import { AuditLog } from '../infrastructure/audit';
import {
  type RunFilter,
  type RunPage,
  type RunRating,
  type RunRecord,
  RunsService,
  type ShapedReport,
  shapeReport,
} from '../runs';
import { answerForOthers, unfinishedForOthers } from './foreign-events';
import { QuestionAccessAudit } from './question-access-audit.service';
import { knowledgeBasesIn, reportForAdministrator, reportForAsker, sourcesForAskers } from '../answering';

/** A run as the caller may see it. `withContents`: also the results of tools and the messages to the model. */
export interface VisibleRun {
  readonly record: RunRecord;
  readonly withContents: boolean;
  /** Runs that this one started; empty without the contents. */
  readonly nested: readonly RunRecord[];
  /** The model's text so far in a background run; else null. */
  readonly answer: string | null;
}

/** A text that a tool found, with its source. */
export interface ReadablePassage extends SourcePassage {
  readonly source: Source;
}

export type ReachedRun = Pick<VisibleRun, 'record' | 'withContents'>;

export interface VisibleRecord {
  readonly record: RunRecord;
  readonly disclosure: Disclosure;
  /** Access to the assistant; null when it is deleted or the caller may not use it. */
  readonly access: AccessLevel | null;
}

/** Bounds a list that a credential for published assistants reads runs by. */
const MOST_PUBLISHED = 5_000;
const NO_BASES: ReadonlySet<string> = new Set();

/** Reasons in the event `run.cancelled`. */
const BY_ASKER = 'cancelled by the person who asked';
const BY_OTHER = 'cancelled by a person who looks after the assistant';

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
    private readonly knowledgeBases: KnowledgeBasesService,
    private readonly accesses: QuestionAccessAudit,
  ) {}

  /** @throws `not_found`, the same for missing, foreign and inaccessible runs */
  async find(caller: Caller, id: string): Promise<VisibleRun> {
    const { record, disclosure, access } = await this.visible(caller, await this.runs.find(caller.organizationId, id));
    const withContents = disclosure !== 'none';
    const nested = withContents ? await this.runs.nested(record) : [];
    const answer = record.background ? await this.runs.answer(record) : null;
    await this.accesses.ofOne(caller, record);
    const linked = withoutForeignCost(caller, this.withLinksFor(caller, record, access));
    return {
      record: withContents ? linked : { ...linked, sources: await this.sourcesForAsker(caller, linked.sources) },
      withContents,
      nested,
      answer: answer === null ? null : this.answerFor(caller, record, { answer, access }),
    };
  }

  /**
   * A run for the archive of its asker, who reads it as somebody who edits nothing, in whatever organization: the whole
   * question and answer, the sources without links, and figures. An administrator's copy has the beginning of the question
   * only. Null for words that are not the asker's: runs of called assistants, and repetitions.
   */
  async archived(
    { organizationId, userId, confidential }: Principal & { readonly confidential: boolean },
    id: string,
  ): Promise<VisibleRun | null> {
    const record = await this.runs.find(organizationId, id);
    if (record?.userId !== userId || record.parentRunId !== null || record.replay !== null) return null;
    const shown = { ...record, sources: sourcesForAskers(record.sources, NO_BASES), costMicros: null };
    if (!confidential) return { record: shown, withContents: false, nested: [], answer: null };
    const recording = await this.runs.recording(record);
    const isKept = typeof recording !== 'string';
    const answer = isKept ? recording.answer : await this.runs.answer(record);
    return {
      record: { ...shown, question: isKept ? lastQuestion(recording.request.messages) : record.question },
      withContents: false,
      nested: [],
      answer: answer === null ? null : this.links.withoutTokens(answer),
    };
  }

  /**
   * Finds a run for routes that need only the scope `chat`. Without the scope `read`, callers reach their own runs
   * only.
   * @throws `not_found` as `find`
   */
  async reach(caller: Caller, id: string): Promise<ReachedRun> {
    const { record, disclosure } = await this.visible(caller, await this.runs.glance(caller.organizationId, id));
    if (!caller.scopes.includes('read') && record.userId !== caller.userId) throw notFound('Run');
    return { record, withContents: disclosure !== 'none' };
  }

  /** A run with the reader's rights; reading a foreign one is audited. @throws `not_found` as `find` */
  async seen(caller: Caller, id: string): Promise<VisibleRecord> {
    const found = await this.visible(caller, await this.runs.glance(caller.organizationId, id));
    if (!caller.scopes.includes('read') && found.record.userId !== caller.userId) throw notFound('Run');
    await this.recordForeignReading(caller, found);
    return found;
  }

  /** Everybody who may see a run may cancel it. Repeating changes nothing. @throws `not_found`, `run_ended` */
  async cancel(caller: Caller, id: string): Promise<RunRecord> {
    const { organizationId, userId } = (await this.reach(caller, id)).record;
    const isAsker = userId === caller.userId;
    const record = await this.runs.cancel(organizationId, id, isAsker ? BY_ASKER : BY_OTHER);
    if (!isAsker)
      await this.audit.record({ caller, organizationId, action: 'run.cancel', target: { type: 'run', id } });
    return record;
  }

  /**
   * Rates the answer, or takes the rating back with null. For its asker only.
   * @throws `not_found` for everybody else, `forbidden` for restricted keys, `conflict` before the run has ended
   */
  async rate(caller: Caller, id: string, rating: RunRating | null): Promise<void> {
    assertActsForPerson(caller);
    const { record } = await this.reach(caller, id);
    if (record.userId !== caller.userId || record.parentRunId !== null) throw notFound('Run');
    await this.runs.rate(record, rating);
  }

  /**
   * Depending on `disclosureTo`: the whole report, one with previews of tool contents, or one with outcomes only.
   * @throws `not_found`
   */
  async report(caller: Caller, id: string): Promise<ShapedReport> {
    const found = await this.visible(caller, await this.runs.find(caller.organizationId, id));
    const { report, sources } = this.withLinksFor(caller, found.record, found.access);
    if (report === null) throw notFound('Report');
    await this.recordForeignReading(caller, found);
    // The whole report has the question.
    if (found.disclosure === 'whole') await this.accesses.ofOne(caller, found.record);
    if (found.disclosure === 'none') return reportForAsker(report, sources);
    return found.disclosure === 'whole' ? report : reportForAdministrator(shapeReport(report, []));
  }

  /**
   * The texts that the tools found, each with its source. Passages of knowledge bases whose owners hide them are left out.
   * @throws `not_found`
   */
  async passages(caller: Caller, id: string): Promise<readonly ReadablePassage[]> {
    const found = await this.visible(caller, await this.runs.find(caller.organizationId, id));
    const record = this.withLinksFor(caller, found.record, found.access);
    await this.recordForeignReading(caller, found);
    const shown = await this.withShownPassages(caller, record.sources);
    const told = found.disclosure === 'none' ? sourcesForAskers(record.sources, shown) : record.sources;
    const sources = new Map(told.map((source) => [source.n, source]));
    return record.passages.flatMap(({ n, ...passage }) => {
      const source = n === null ? undefined : sources.get(n);
      const isHidden = source === undefined || knowledgeBasesIn([source]).some((base) => !shown.has(base));
      return isHidden ? [] : [{ n, ...passage, source }];
    });
  }

  /** The knowledge bases of the sources whose passages the caller may read. */
  withShownPassages(caller: Caller, sources: readonly Source[]): Promise<ReadonlySet<string>> {
    return this.knowledgeBases.withReadablePassages(caller, knowledgeBasesIn(sources));
  }

  private async sourcesForAsker(caller: Caller, sources: readonly Source[]): Promise<readonly Source[]> {
    return sourcesForAskers(sources, await this.withShownPassages(caller, sources));
  }

  /** Audits readers who neither started the run nor edit the assistant. */
  private async recordForeignReading(caller: Caller, { record, disclosure }: VisibleRecord): Promise<void> {
    if (record.userId === caller.userId || disclosure === 'whole') return;
    const target = { type: 'run', id: record.id };
    const after = { assistant_id: record.assistantId, user_id: record.userId };
    await this.audit.record({ caller, action: 'run.report_read', target, after });
  }

  async list(
    caller: Caller,
    filter: Omit<RunFilter, 'asker' | 'visibleTo' | 'onlyAssistants' | 'withoutDrafts'>,
    page: PageRequest,
  ): Promise<RunPage> {
    const reach = await this.reachIn(caller);
    const visibleTo = await this.visibleTo(caller);
    const { features } = await this.organizations.runtime(caller.organizationId);
    const found = await this.runs.list(
      caller.organizationId,
      {
        ...filter,
        ...reach,
        ...(features.assistants_import ? { asker: caller.userId } : {}),
        ...(visibleTo === null ? {} : { visibleTo }),
      },
      page,
    );
    await this.accesses.ofPage(caller, filter, found.items);
    return { ...found, items: found.items.map((record) => withoutForeignCost(caller, record)) };
  }

  private async visible(caller: Caller, record: RunRecord | null): Promise<VisibleRecord> {
    if (record === null || reachOf(caller).assistantIds?.includes(record.assistantId) === false) throw notFound('Run');
    const isOwn = record.organizationId === caller.organizationId;
    const { access, disclosure } = await this.rightsOn(caller, record, isOwn);
    if (reachOf(caller).publishedOnly && !isOfPublished(record, access)) throw notFound('Run');
    // Administrators and editors of another organization's assistant are in that organization.
    const looksAfter = isOwn && (isOrganizationAdmin(caller) || isEditor(access));
    // A nested run is visible to its asker only with access to the called assistant.
    const asked = record.userId === caller.userId && (record.parentRunId === null || access !== null);
    if (!looksAfter && !asked) throw notFound('Run');
    return { record, disclosure, access };
  }

  /** Administrators still see the runs of a deleted assistant. */
  private async rightsOn(
    caller: Caller,
    { assistantId, userId }: RunRecord,
    isOwn: boolean,
  ): Promise<Pick<VisibleRecord, 'access' | 'disclosure'>> {
    // A draft that is not stored belongs to its author.
    if (assistantId === NO_ASSISTANT && userId === caller.userId)
      return { access: 'owner', disclosure: disclosureTo(caller, 'owner') };
    const runnable = await this.runnable(caller, assistantId);
    return runnable ?? { access: null, disclosure: isOwn ? disclosureTo(caller, null) : 'none' };
  }

  /**
   * Renews the signed links in the record for this reader. Without access to the assistant the links carry the reader's
   * own rights instead of its owner's.
   */
  private withLinksFor(caller: Caller, record: RunRecord, access: AccessLevel | null): RunRecord {
    const { sources, report, events } = record;
    if (sources.length === 0 && events.length === 0) return record;
    const told = JSON.stringify({ sources, report, events });
    const renewed = this.links.renew(told, caller, { ownRightsOnly: access === null });
    return { ...record, ...(JSON.parse(renewed) as Pick<RunRecord, 'sources' | 'report' | 'events'>) };
  }

  /** Renews the links that the model wrote. For other readers it removes the asker's tokens. */
  private answerFor(
    caller: Caller,
    { userId, finishedAt }: RunRecord,
    { answer, access }: { answer: string; access: AccessLevel | null },
  ): string {
    if (userId === caller.userId) return this.links.renew(answer, caller, { ownRightsOnly: access === null });
    return finishedAt === null ? unfinishedForOthers(answer, this.links) : answerForOthers(answer, this.links);
  }

  /** The reach of the credential as a condition on runs. */
  private async reachIn(caller: Caller): Promise<Pick<RunFilter, 'onlyAssistants' | 'withoutDrafts'>> {
    const { assistantIds, publishedOnly } = reachOf(caller);
    if (!publishedOnly) return { onlyAssistants: assistantIds };
    const all = { after: 0, count: MOST_PUBLISHED };
    const usable = await this.assistants.someRunnable(caller, (found) => Promise.resolve(found), all);
    return { onlyAssistants: usable.map(({ id }) => id), withoutDrafts: true };
  }

  private async visibleTo(caller: Caller): Promise<RunFilter['visibleTo'] | null> {
    if (isOrganizationAdmin(caller)) return null;
    const editable = await this.assistants.editableIds(caller);
    return { userId: caller.userId, assistantIds: editable };
  }

  /** Null when the assistant is deleted or the caller may not use it. */
  private runnable(caller: Caller, assistantId: number): Promise<RunnableAssistant | null> {
    return orNull('not_found', () => this.assistants.runnable(caller, assistantId));
  }
}

/** `access` of a credential for published assistants is null for any other. */
const isOfPublished = ({ draft }: RunRecord, access: AccessLevel | null): boolean => !draft && access !== null;

const isEditor = (access: AccessLevel | null): boolean => access === 'owner' || access === 'edit';

/** Prices are the business of the organization that pays, and of those who make assistants there. */
const withoutForeignCost = (caller: Caller, record: RunRecord): RunRecord =>
  record.organizationId === caller.organizationId && isTeacher(caller) ? record : { ...record, costMicros: null };
