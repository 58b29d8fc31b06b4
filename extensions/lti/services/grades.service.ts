import { AppError, type Caller, isJsonObject, isUuid, notFound, uuidv7 } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { AuditLog } from '../../../src/infrastructure/audit';
import { Transactions } from '../../../src/infrastructure/database';
import type { ActivityEntity } from '../courses/activity.entity';
import { ActivityRepository } from '../courses/activity.repository';
import type { PlatformEntity } from '../platforms/platform.entity';
import { PlatformRepository } from '../platforms/platform.repository';
import type { GradeDto, GradeListDto, NewGradeDto } from './course-services.dto';
import type { GradeEntity } from './grade.entity';
import { GradeRepository } from './grade.repository';
import { PlatformServices, badAnswer, jsonIn, parsed } from './platform-services';
import { assertChanges } from './taught-person';
import { TaughtRepository } from './taught.repository';

const SCORE_SCOPE = 'https://purl.imsglobal.org/spec/lti-ags/scope/score';

/** Whether the platform takes grades for an activity: it names a column or the columns, and grants the scope. */
export const isGradable = ({
  lineItemUrl,
  lineItemsUrl,
  scoreScopes,
}: Pick<ActivityEntity, 'lineItemUrl' | 'lineItemsUrl' | 'scoreScopes'>): boolean =>
  (lineItemUrl !== null || lineItemsUrl !== null) && scoreScopes.includes(SCORE_SCOPE);

const AGS = 'https://purl.imsglobal.org/spec/lti-ags/scope';
const LINE_ITEM = `${AGS}/lineitem`;
const MEDIA = {
  score: 'application/vnd.ims.lis.v1.score+json',
  lineItem: 'application/vnd.ims.lis.v2.lineitem+json',
  lineItems: 'application/vnd.ims.lis.v2.lineitemcontainer+json',
} as const;
const MOST_WORDS = 500;

interface Graded {
  readonly activity: ActivityEntity;
  readonly platform: PlatformEntity;
}

/** Hands grades to the platform of an activity (Assignment and Grade Services 2.0). */
@Injectable()
export class Grades {
  constructor(
    private readonly taught: TaughtRepository,
    private readonly platforms: PlatformRepository,
    private readonly activities: ActivityRepository,
    private readonly grades: GradeRepository,
    private readonly services: PlatformServices,
    private readonly transactions: Transactions,
    private readonly audit: AuditLog,
  ) {}

  /** @throws {AppError} `not_found` for people who do not teach the course, `forbidden` for a restricted key */
  async list(caller: Caller, activityId: string): Promise<GradeListDto> {
    const { activity } = await this.graded(caller, activityId);
    const items = await this.grades.within(caller.organizationId).ofActivity(activity.id);
    return { items: items.map(viewOf) };
  }

  /**
   * Keeps the grade, then sends it. A refusal of the platform is part of the answer.
   * @throws {AppError} `not_found`, `forbidden`, `conflict`
   */
  async give(caller: Caller, activityId: string, input: NewGradeDto): Promise<GradeDto> {
    const graded = await this.graded(caller, activityId);
    assertChanges(caller);
    const { organizationId } = caller;
    assertGradable(graded.activity);
    const userId = await this.taught.userOf(caller, graded.platform.id, input.person);
    const grade = await this.transactions.run(async (tx) => {
      const row = await this.grades.within(organizationId, tx).insert({
        id: uuidv7(),
        activityId,
        subject: input.person,
        userId,
        score: input.score,
        maximum: input.maximum,
        comment: input.comment ?? '',
        state: 'waiting',
        gradedBy: caller.userId,
      });
      const target = { type: 'lti_grade', id: row.id };
      const after = { activity: activityId, user_id: userId, score: input.score, maximum: input.maximum };
      await this.audit.record({ caller, action: 'lti_grade.give', target, after }, tx);
      return row;
    });
    return this.deliver(caller, graded, grade);
  }

  /** Sends a kept grade again. @throws {AppError} `not_found`, `forbidden`, `conflict` where the platform has it already */
  async send(caller: Caller, activityId: string, id: string): Promise<GradeDto> {
    const graded = await this.graded(caller, activityId);
    assertChanges(caller);
    const found = isUuid(id) ? await this.grades.within(caller.organizationId).ofActivityById(activityId, id) : null;
    if (found === null) throw notFound('Grade');
    if (found.state === 'sent')
      throw new AppError('conflict', 'The learning platform has this grade already', { reason: 'grade.sent' });
    await this.transactions.run((tx) =>
      this.audit.record({ caller, action: 'lti_grade.send', target: { type: 'lti_grade', id } }, tx),
    );
    return this.deliver(caller, graded, found);
  }

  private async deliver(caller: Caller, graded: Graded, grade: GradeEntity): Promise<GradeDto> {
    const outcome = await this.post(graded, grade).then(
      () => ({ state: 'sent' as const, refusal: null, sentAt: new Date() }),
      (error: unknown) => {
        if (!(error instanceof AppError)) throw error;
        return { state: 'refused' as const, refusal: error.message.slice(0, MOST_WORDS), sentAt: null };
      },
    );
    await this.grades.within(caller.organizationId).update(grade.id, outcome);
    return viewOf({ ...grade, ...outcome });
  }

  private async post({ activity, platform }: Graded, { subject, score, maximum, comment }: GradeEntity): Promise<void> {
    const address = new URL(await this.lineItemOf({ activity, platform }, maximum));
    // AGS 2.0 §3.4: before the query.
    address.pathname = `${address.pathname.replace(/\/$/, '')}/scores`;
    const body = {
      userId: subject,
      scoreGiven: score,
      scoreMaximum: maximum,
      ...(comment !== '' && { comment }),
      timestamp: new Date().toISOString(),
      activityProgress: 'Completed',
      gradingProgress: 'FullyGraded',
    };
    await this.services.call(platform, [SCORE_SCOPE], {
      url: address.href,
      method: 'POST',
      headers: { 'content-type': MEDIA.score },
      body: JSON.stringify(body),
    });
  }

  /** The line item of the launch, else the one of the activity, else a new one. */
  private async lineItemOf({ activity, platform }: Graded, maximum: number): Promise<string> {
    const { id, organizationId, lineItemsUrl, lineItemUrl, title, resourceLinkId } = activity;
    if (lineItemUrl !== null) return lineItemUrl;
    if (lineItemsUrl === null)
      throw new AppError('conflict', 'The learning platform offers no grades here', { reason: 'grade.not_offered' });
    const known = new URL(lineItemsUrl);
    known.searchParams.set('resource_id', id);
    const listed = await this.services.call(platform, [LINE_ITEM], {
      url: known.href,
      headers: { accept: MEDIA.lineItems },
    });
    const items = parsed(listed.text);
    const found = Array.isArray(items)
      ? items.filter(isJsonObject).find((item) => item['resourceId'] === id)
      : undefined;
    const item =
      found ?? jsonIn(await this.createLineItem(platform, lineItemsUrl, { title, resourceLinkId, id, maximum }));
    const address = item['id'];
    if (typeof address !== 'string' || !URL.canParse(address)) throw badAnswer('did not name the new column of grades');
    // The access token goes to no other origin.
    if (new URL(address).origin !== known.origin) throw badAnswer('names a column of grades elsewhere');
    await this.activities.within(organizationId).update(id, { lineItemUrl: address });
    return address;
  }

  private createLineItem(
    platform: PlatformEntity,
    url: string,
    { title, resourceLinkId, id, maximum }: { title: string; resourceLinkId: string; id: string; maximum: number },
  ) {
    const body = { scoreMaximum: maximum, label: title || 'Bellwether', resourceId: id, resourceLinkId };
    const headers = { 'content-type': MEDIA.lineItem, accept: MEDIA.lineItem };
    return this.services.call(platform, [LINE_ITEM], { url, method: 'POST', headers, body: JSON.stringify(body) });
  }

  private async graded(caller: Caller, activityId: string): Promise<Graded> {
    const activity = isUuid(activityId) ? await this.taught.activity(caller, activityId) : null;
    const platform =
      activity === null ? null : await this.platforms.within(caller.organizationId).find(activity.platformId);
    if (activity === null || platform === null) throw notFound('Activity');
    return { activity, platform };
  }
}

function assertGradable(activity: ActivityEntity): void {
  if (!isGradable(activity))
    throw new AppError('conflict', 'The learning platform takes no grades for this activity', {
      reason: 'grade.not_offered',
    });
}

const viewOf = (row: GradeEntity): GradeDto => ({
  id: row.id,
  person: row.subject,
  user_id: row.userId,
  score: row.score,
  maximum: row.maximum,
  comment: row.comment,
  state: row.state,
  refusal: row.refusal ?? null,
  created_at: row.createdAt.toISOString(),
  sent_at: row.sentAt?.toISOString() ?? null,
});
