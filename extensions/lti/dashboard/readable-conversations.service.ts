import { AppError, type Caller, type PageRequest, notFound, atMost } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import {
  type ActivityConversation,
  ActivityConversations,
  type ReadablePerson,
  presentMessage,
} from '../../../src/chat';
import { AuditLog } from '../../../src/infrastructure/audit';
import { termsOf } from '../../../src/orchestrators/planning';
import { UserNames } from '../../../src/organizations';
import { isCovered, settingsOf } from '../activities/activities.service';
import { ActivityPeopleRepository } from '../activities/activity-people.repository';
import type { ActivityPersonEntity } from '../activities/activity-person.entity';
import type { ActivityEntity } from '../courses/activity.entity';
import { isGradable } from '../services/grades.service';
import { TaughtRepository } from '../services/taught.repository';
import type {
  ProposedGradeDto,
  ReadWholeConversationDto,
  ReadableConversationDto,
  ReadableConversationPageDto,
  ReadablePersonDto,
} from './course.dto';
import { TaughtCourses } from './taught-courses.service';

interface TopicQuestion {
  readonly userId: string;
  readonly text: string;
}

interface Topic {
  /** A word, or two that belong together, as most people wrote it. */
  readonly words: string;
  readonly questions: number;
  readonly people: number;
}

interface Count {
  readonly spellings: Map<string, number>;
  readonly questions: Set<number>;
  readonly people: Set<string>;
}

interface Word {
  readonly spelling: string;
  readonly stem: string;
}

/** Two words are one topic when they hold most questions of the first. */
const TOGETHER = 0.6;
const LEAST_LETTERS = 3;

/**
 * Frequent subjects of questions, the most frequent first. A subject of fewer than `least` people is left out, so that it
 * tells of no single one.
 */
export function topicsOf(
  questions: readonly TopicQuestion[],
  { least, most }: { readonly least: number; readonly most: number },
): Topic[] {
  const counts = new Map<string, Count>();
  for (const [index, { userId, text }] of questions.entries()) {
    const words = wordsIn(text);
    for (const [place, word] of words.entries()) {
      if (word === null) continue;
      count(counts, word.stem, word.spelling, index, userId);
      const next = words[place + 1] ?? null;
      if (next !== null) count(counts, `${word.stem} ${next.stem}`, `${word.spelling} ${next.spelling}`, index, userId);
    }
  }
  const known = [...counts].filter(([, { people }]) => people.size >= least);
  const pairs = known.filter(([key]) => key.includes(' '));
  return known
    .filter(([key, { questions: held }]) => !pairs.some((pair) => swallows(pair, key, held.size)))
    .filter(([key, found]) => !key.includes(' ') || key.split(' ').some((part) => isMostOf(found, counts.get(part))))
    .sort(
      ([one, a], [other, b]) =>
        b.people.size - a.people.size || b.questions.size - a.questions.size || (one < other ? -1 : 1),
    )
    .slice(0, most)
    .map(([, { spellings, questions: held, people }]) => ({
      words: mostOf(spellings),
      questions: held.size,
      people: people.size,
    }));
}

function count(counts: Map<string, Count>, key: string, spelling: string, question: number, userId: string): void {
  const found: Count = counts.get(key) ?? { spellings: new Map(), questions: new Set(), people: new Set() };
  counts.set(key, found);
  found.spellings.set(spelling, (found.spellings.get(spelling) ?? 0) + 1);
  found.questions.add(question);
  found.people.add(userId);
}

const isMostOf = ({ questions }: Count, word: Count | undefined): boolean =>
  word !== undefined && questions.size >= TOGETHER * word.questions.size;

const swallows = ([pair, { questions }]: [string, Count], key: string, held: number): boolean =>
  pair !== key && pair.split(' ').includes(key) && questions.size >= TOGETHER * held;

const mostOf = (spellings: ReadonlyMap<string, number>): string =>
  [...spellings].sort(([, one], [, other]) => other - one)[0]?.[0] ?? '';

/** The words in order; null for one that says nothing, which parts its neighbours. */
function wordsIn(text: string): (Word | null)[] {
  return (text.match(/[\p{L}\p{N}][\p{L}\p{M}\p{N}'’·-]*/gu) ?? []).map((spelling) => {
    const [term, ...others] = termsOf(spelling);
    const says = term !== undefined && others.length === 0 && term.weight === 1 && term.word.length >= LEAST_LETTERS;
    return says ? { spelling: spelling.toLowerCase(), stem: term.stem } : null;
  });
}

/** A mark that an answer gives, as rubrics ask for it: `Total: 7.5 of 10`. */
interface RubricScore {
  readonly score: number;
  readonly maximum: number;
}

/** `7.5 of 10`, `7,5 / 10`, `7.5 out of 10`, in the four languages of the service. */
const MARK = /(\d{1,6}(?:[.,]\d{1,3})?)\s*(?:\/|of|out of|de|sobre)\s*(\d{1,6}(?:[.,]\d{1,3})?)/i;
const TOTAL =
  /\b(?:total|sum|overall|final|score|grade|suma|nota|puntuación|puntuació|calificación|qualificació|guztira|batura|azken|puntuazioa|kalifikazioa)\b/i;
const MOST_POINTS = 100_000;

/** The mark of the last line that names a total; null where the answer gives none. Lines of single criteria do not count. */
export function rubricScoreIn(answer: string): RubricScore | null {
  for (const line of plain(answer).split('\n').reverse()) {
    const [, score = '', maximum = ''] = (TOTAL.test(line) && MARK.exec(line)) || [];
    const mark = { score: numberOf(score), maximum: numberOf(maximum) };
    if (maximum !== '' && mark.maximum > 0 && mark.score <= mark.maximum && mark.maximum <= MOST_POINTS) return mark;
  }
  return null;
}

/** Without the Markdown of emphasis and tables. */
const plain = (text: string): string => text.replaceAll(/[*_`|]/g, ' ').replaceAll(/[ \t]+/g, ' ');

const numberOf = (text: string): number => Number(text.replace(',', '.'));

/** A page that is read again in this time is the same reading. */
const SAME_READING_MS = 10 * 60_000;
const MOST_READINGS = 10_000;
/** Limit of the comment of a grade. */
const MOST_COMMENT = 4_000;

interface Readable {
  readonly activity: ActivityEntity;
  readonly anonymous: boolean;
  readonly people: readonly (ActivityPersonEntity & { readonly agreedAt: Date })[];
}

/** Conversations of an activity for its teachers: of students who agreed, from the agreement on. */
@Injectable()
export class ReadableConversations {
  private readonly recent = new LRUCache<string, true>({ ...atMost(MOST_READINGS), ttl: SAME_READING_MS });

  constructor(
    private readonly courses: TaughtCourses,
    private readonly people: ActivityPeopleRepository,
    private readonly conversations: ActivityConversations,
    private readonly names: UserNames,
    private readonly taught: TaughtRepository,
    private readonly audit: AuditLog,
  ) {}

  /** @throws {AppError} `not_found`, `forbidden` where teachers do not read */
  async list(caller: Caller, activityId: string, page: PageRequest): Promise<ReadableConversationPageDto> {
    const readable = await this.readable(caller, activityId);
    const found = await this.conversations.page(caller, activityId, sinceOf(readable), page);
    await this.record(caller, { type: 'lti_activity', id: activityId });
    const shown = await this.shown(caller, readable, found.items);
    return { items: shown, next_cursor: found.next_cursor, total: found.total };
  }

  /** @throws {AppError} as `list` */
  async read(caller: Caller, activityId: string, id: string): Promise<ReadWholeConversationDto> {
    const readable = await this.readable(caller, activityId);
    const found = await this.conversations.read(caller, activityId, sinceOf(readable), id);
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
