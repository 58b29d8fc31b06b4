import { type Asked, json, jsonOf, type Reply } from './http';
import { MEDIA } from './names';

export interface LmsLineItem {
  readonly id: string;
  readonly scoreMaximum: number;
  readonly label: string;
  readonly resourceId?: string;
  readonly resourceLinkId?: string;
  readonly tag?: string;
}

/** Loose on purpose: the tool wrote it. */
export type LmsScore = Record<string, any>;

const PROGRESS = ['Initialized', 'Started', 'InProgress', 'Submitted', 'Completed'];
const GRADING = ['FullyGraded', 'Pending', 'PendingManual', 'Failed', 'NotReady'];
const refused = (status: number, message: string): Reply => json(status, { errors: [{ message }] });

/** AGS 2.0 §3.4.1: fields that a score needs. */
function problemsOf(score: LmsScore | null): string[] {
  const given: unknown = score?.['scoreGiven'];
  const checks: [string, boolean][] = [
    ['userId', typeof score?.['userId'] === 'string'],
    ['timestamp', Number.isFinite(Date.parse(score?.['timestamp'] ?? ''))],
    ['activityProgress', PROGRESS.includes(score?.['activityProgress'])],
    ['gradingProgress', GRADING.includes(score?.['gradingProgress'])],
    ['scoreMaximum', given === undefined || (Number(given) >= 0 && score?.['scoreMaximum'] > 0)],
  ];
  return checks.filter(([, good]) => !good).map(([name]) => name);
}

/** Assignment and Grade Services 2.0 of one course. */
export class Gradebook {
  readonly lineItems = new Map<string, LmsLineItem>();
  /** Accepted scores by address of the line item, oldest first. */
  readonly scores = new Map<string, LmsScore[]>();
  /** Users that may be graded; everybody where null. */
  gradable: ReadonlySet<string> | null = null;
  private serial = 0;

  constructor(private readonly url: () => string) {}

  add(course: string, item: Omit<LmsLineItem, 'id'>): LmsLineItem {
    const id = `${this.url()}/courses/${course}/lineitems/${++this.serial}`;
    const made = { ...item, id };
    this.lineItems.set(id, made);
    return made;
  }

  /** Scores of one person, of all line items. */
  of(userId: string): LmsScore[] {
    return [...this.scores.values()].flat().filter((score) => score['userId'] === userId);
  }

  answer(asked: Asked): Reply {
    const [, , course = '', , item, part] = asked.path.split('/');
    if (item === undefined) return asked.method === 'POST' ? this.create(course, asked) : this.list(asked);
    const id = `${this.url()}/courses/${course}/lineitems/${item}`;
    const kept = this.lineItems.get(id);
    if (kept === undefined) return refused(404, 'The line item was deleted');
    if (part === 'scores') return this.score(kept, asked);
    if (part === 'results') return json(200, this.results(id), MEDIA.results);
    if (asked.method === 'PUT') return this.replace(id, asked);
    if (asked.method === 'DELETE') {
      this.lineItems.delete(id);
      return { status: 204 };
    }
    return json(200, kept, MEDIA.lineItem);
  }

  private list({ query }: Asked): Reply {
    const filters = [
      ['resource_link_id', 'resourceLinkId'],
      ['resource_id', 'resourceId'],
      ['tag', 'tag'],
    ] as const;
    const listed = [...this.lineItems.values()].filter((item) =>
      filters.every(([name, field]) => !query.has(name) || item[field] === query.get(name)),
    );
    return json(200, listed, MEDIA.lineItems);
  }

  private create(course: string, asked: Asked): Reply {
    const item = jsonOf(asked);
    if (asked.headers['content-type'] !== MEDIA.lineItem) return refused(415, 'The media type is not of a line item');
    if (!(item?.scoreMaximum > 0) || typeof item.label !== 'string' || item.label === '') {
      return refused(400, 'scoreMaximum and label are needed');
    }
    return json(201, this.add(course, item), MEDIA.lineItem);
  }

  private replace(id: string, asked: Asked): Reply {
    const item = { ...jsonOf(asked), id };
    this.lineItems.set(id, item);
    return json(200, item, MEDIA.lineItem);
  }

  /** AGS 2.0 §3.4: a score that is not newer than the last one is a conflict. */
  private score(item: LmsLineItem, asked: Asked): Reply {
    const score = jsonOf(asked);
    if (asked.headers['content-type'] !== MEDIA.score) return refused(415, 'The media type is not of a score');
    const problems = problemsOf(score);
    if (problems.length > 0) return refused(400, `Wrong in the score: ${problems.join(', ')}`);
    if (this.gradable !== null && !this.gradable.has(score.userId)) return refused(404, 'Not a student of this course');
    const before = this.scores.get(item.id) ?? [];
    const last = before.findLast(({ userId }) => userId === score.userId);
    if (last !== undefined && Date.parse(last['timestamp']) >= Date.parse(score.timestamp)) {
      return refused(409, 'A newer score exists');
    }
    this.scores.set(item.id, [...before, score]);
    return { status: 204 };
  }

  private results(id: string): unknown[] {
    const newest = new Map((this.scores.get(id) ?? []).map((score) => [score['userId'] as string, score]));
    return [...newest.values()].map(({ userId, scoreGiven, scoreMaximum, comment }) => ({
      id: `${id}/results/${userId}`,
      scoreOf: id,
      userId,
      resultScore: scoreGiven,
      resultMaximum: scoreMaximum,
      comment,
    }));
  }
}
