import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { type ActivityConversation, ActivityReadings, presentMessage, type ReadablePerson } from '../../../src/chat';
import { AppError, type Caller, notFound, type PageRequest } from '../../../src/kernel';
import { PeopleNames } from '../../../src/organizations';
import { AuditLog } from '../../../src/infrastructure/audit';
import { ActivityPeopleRepository } from '../activities/activity-people.repository';
import type { ActivityPersonEntity } from '../activities/activity-person.entity';
import { isCovered } from '../activities/agreements';
import { settingsOf } from '../activities/activity-times';
import type { ActivityEntity } from '../courses/activity.entity';
import { isGradable } from '../services/gradable';
import { rubricScoreIn } from '../services/rubric-score';
import { TaughtRepository } from '../services/taught.repository';
import type {
  ProposedGradeDto,
  ReadableConversationDto,
  ReadableConversationPageDto,
  ReadablePersonDto,
  ReadWholeConversationDto,
} from './readable-conversations.dto';
import { TaughtCourses } from './taught-courses.service';

/** A page that is read again in this time is the same reading. */
const SAME_READING_MS = 10 * 60_000;
const MOST_READINGS = 10_000;
/** As long as the comment of a grade may be. */
const MOST_COMMENT = 4_000;

interface Readable {
  readonly activity: ActivityEntity;
  readonly anonymous: boolean;
  readonly people: readonly (ActivityPersonEntity & { readonly agreedAt: Date })[];
}

/** Conversations of an activity for its teachers: of students who agreed, from the agreement on. */
@Injectable()
export class ReadableConversations {
  private readonly recent = new LRUCache<string, true>({ max: MOST_READINGS, ttl: SAME_READING_MS });

  constructor(
    private readonly courses: TaughtCourses,
    private readonly people: ActivityPeopleRepository,
    private readonly readings: ActivityReadings,
    private readonly names: PeopleNames,
    private readonly taught: TaughtRepository,
    private readonly audit: AuditLog,
  ) {}

  /** @throws {AppError} `not_found`, `forbidden` where teachers do not read */
  async list(caller: Caller, activityId: string, page: PageRequest): Promise<ReadableConversationPageDto> {
    const readable = await this.readable(caller, activityId);
    const found = await this.readings.page(caller, activityId, sinceOf(readable), page);
    await this.record(caller, { type: 'lti_activity', id: activityId });
    const shown = await this.shown(caller, readable, found.items);
    return { items: shown, next_cursor: found.next_cursor, total: found.total };
  }

  /** @throws {AppError} as `list` */
  async read(caller: Caller, activityId: string, id: string): Promise<ReadWholeConversationDto> {
    const readable = await this.readable(caller, activityId);
    const found = await this.readings.read(caller, activityId, sinceOf(readable), id);
    const [shown] = found === null ? [] : await this.shown(caller, readable, [found.conversation]);
    if (found === null || shown === undefined) throw notFound('Conversation');
    await this.record(caller, { type: 'conversation', id });
    const mayGrade = !readable.anonymous && isGradable(readable.activity);
    return {
      ...shown,
      messages: found.messages.map((message) => presentMessage(message, found.messages)),
      proposed_grade: mayGrade ? proposedIn(found.messages) : null,
    };
  }

  private async readable(caller: Caller, activityId: string): Promise<Readable> {
    const activity = await this.courses.activity(caller, activityId);
    const settings = settingsOf(activity.settings);
    if (!settings.teachersRead)
      throw new AppError('forbidden', 'Teachers do not read conversations of this activity', {
        reason: 'activity.unread',
      });
    const everybody = await this.people.allOf(caller.organizationId, [activityId]);
    const people = everybody.flatMap((person) =>
      person.instructor || person.agreedAt === null || !isCovered(settings, person)
        ? []
        : [{ ...person, agreedAt: person.agreedAt }],
    );
    return { activity, people, anonymous: settings.anonymous };
  }

  private async shown(
    caller: Caller,
    { activity, people, anonymous }: Readable,
    conversations: readonly ActivityConversation[],
  ): Promise<ReadableConversationDto[]> {
    const asked = anonymous ? [] : [...new Set(conversations.map(({ userId }) => userId))];
    const [names, subjects] = await Promise.all([
      this.names.of(caller.organizationId, asked),
      anonymous ? new Map<string, string>() : this.taught.subjectsOf(caller, activity.platformId, asked),
    ]);
    // Beside a name a pseudonym would tell whose conversations were read by pseudonym.
    const pseudonymOf = (userId: string): string =>
      names.has(userId) ? '' : (people.find((person) => person.userId === userId)?.pseudonym ?? '');
    const personOf = (userId: string): ReadablePersonDto => ({
      name: names.get(userId)?.name ?? null,
      person: subjects.get(userId) ?? null,
      pseudonym: pseudonymOf(userId),
    });
    return conversations.map((conversation) => ({
      id: conversation.id,
      person: personOf(conversation.userId),
      assistant: { id: conversation.assistantId, name: conversation.assistantName },
      title: conversation.title,
      updated_at: conversation.updatedAt.toISOString(),
      questions: conversation.questions,
    }));
  }

  /** The person is not named, so that the audit log does not undo a pseudonym. */
  private async record(caller: Caller, target: { readonly type: string; readonly id: string }): Promise<void> {
    const key = `${caller.organizationId} ${caller.userId} ${target.id}`;
    if (this.recent.has(key)) return;
    this.recent.set(key, true);
    await this.audit.record({ caller, action: 'lti_conversations.read', target });
  }
}

function proposedIn(messages: readonly { readonly role: string; readonly text: string }[]): ProposedGradeDto | null {
  for (const { role, text } of messages.toReversed()) {
    const mark = role === 'assistant' ? rubricScoreIn(text) : null;
    if (mark !== null) return { ...mark, comment: text.slice(0, MOST_COMMENT) };
  }
  return null;
}

const sinceOf = ({ people }: Readable): ReadablePerson[] =>
  people.map(({ userId, agreedAt }) => ({ userId, since: agreedAt }));
