import type { Caller } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { AssistantsService } from '../../src/assistants';
import { wordsOf } from '../../src/knowledge-bases';
import { PriceLists } from '../../src/metering';
import { OrganizationsService } from '../../src/organizations';
import type { AskedQuestion, Finding } from './asked-questions.repository';
import type { NamedKnowledgeBases } from './assistant-material.repository';
import { type DistinctQuestion, type MaskedQuestion, distinctQuestions } from './distinct-questions';
import type { InsightsDto, InsightsQueryDto, QuestionGrouping } from './insights.dto';
import { LEAST_PEOPLE, type PeopleMask, QuestionCount, areEnough, countOf, toldParts } from './mask-people';
import { QuestionGroups } from './question-groups.service';
import { type AskedPeriod, type LocalTime, ReportPeriods } from './report-periods.service';
import type { TellableGroups } from './similar-questions';
import { TimeSlices } from './time-slices';
import { UnusedMaterialService } from './unused-material.service';

const HOURS = Array.from({ length: 24 }, (_, hour) => hour);

/** Questions of each day, null where too few people asked. */
function daysOf(questions: readonly AskedQuestion[], dates: readonly string[], local: LocalTime) {
  const counts = new Map(dates.map((date) => [date, new QuestionCount()]));
  for (const { userId, time } of questions) counts.get(local.at(time).day)?.add(userId);
  const told = toldParts([...counts.values()]);
  return dates.map((date, at) => ({ date, questions: told[at] ?? null }));
}

/** Questions of each hour of the day. */
function hoursOf(questions: readonly AskedQuestion[], local: LocalTime) {
  const counts = HOURS.map(() => new QuestionCount());
  for (const { userId, time } of questions) counts[local.at(time).hour]?.add(userId);
  const told = toldParts(counts);
  return HOURS.map((hour) => ({ hour, questions: told[hour] ?? null }));
}

/** Times of complete answers; null when too few people have one. */
function speedOf(questions: readonly AskedQuestion[]) {
  const answered = questions.filter(({ answerMs }) => answerMs !== null);
  if (!areEnough(peopleOf(answered))) return null;
  const begun = answered.filter(({ firstTokenMs }) => firstTokenMs !== null);
  const times = answered.flatMap(({ answerMs }) => answerMs ?? []);
  return {
    first_token_p50_ms: areEnough(peopleOf(begun))
      ? percentile(
          begun.flatMap(({ firstTokenMs }) => firstTokenMs ?? []),
          0.5,
        )
      : null,
    answer_p50_ms: percentile(times, 0.5),
    answer_p95_ms: percentile(times, 0.95),
  };
}

/** Null without prices, and when too few people have an answer with a cost. */
function costOf(questions: readonly AskedQuestion[], currency: string | null) {
  const priced = questions.filter(({ costMicros }) => costMicros !== null);
  if (currency === null || !areEnough(peopleOf(priced))) return null;
  const micros = sum(priced.map(({ costMicros }) => costMicros ?? 0));
  return { currency, micros, per_question_micros: Math.round(micros / priced.length) };
}

/** Null when too few people have an answer whose tokens are known. */
function tokensOf(questions: readonly AskedQuestion[]) {
  const counted = questions.filter(({ tokens }) => tokens !== null);
  if (!areEnough(peopleOf(counted))) return null;
  return {
    prompt: sum(counted.map(({ tokens }) => tokens?.prompt ?? 0)),
    completion: sum(counted.map(({ tokens }) => tokens?.completion ?? 0)),
    total: sum(counted.map(({ tokens }) => tokens?.total ?? 0)),
  };
}

/** Numbers of questions by what their searches found. Questions without a search are the fourth part of the sum. */
function materialOf(questions: readonly AskedQuestion[]) {
  const of = (finding: Finding | null): QuestionCount =>
    countOf(questions.filter((each) => each.finding === finding).map(({ userId }) => userId));
  const [nothing = null, weak = null, good = null, unsearched = null] = toldParts([
    of('nothing'),
    of('weak'),
    of('good'),
    of(null),
  ]);
  const searched = countOf(questions.filter(({ finding }) => finding !== null).map(({ userId }) => userId));
  return { searched: unsearched === null ? null : searched.told, nothing, weak, good };
}

const peopleOf = (questions: readonly AskedQuestion[]): ReadonlySet<string> =>
  new Set(questions.map(({ userId }) => userId));

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** The nearest rank. Whole milliseconds. */
function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return Math.round(sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0);
}

const MOST_MISSED = 50;
const MOST_REASONS = 50;

/**
 * Questions that found nothing or little, given with the most frequent first. A question whose newest search found
 * something good is left out: its material was added.
 */
export function missedOf(questions: readonly DistinctQuestion[]) {
  const missed = questions.flatMap(({ found, ...question }) =>
    found === 'nothing' || found === 'weak' ? [{ ...question, found }] : [],
  );
  if (!areEnough(new Set(missed.flatMap((each) => [...each.missed.people])))) return [];
  return missed
    .map(({ text, missed: { questions: times }, found }) => ({ question: text, times, found }))
    .sort((one, other) => other.times - one.times)
    .slice(0, MOST_MISSED);
}

/** Null when too few people rated. The reasons have people in them: `mask` removes these. */
function ratingsOf(questions: readonly AskedQuestion[], mask: (text: string, userId: string) => string) {
  const rated = questions.filter(({ rating }) => rating !== null);
  if (!areEnough(peopleOf(rated))) return null;
  const askers = (value: 'up' | 'down') =>
    rated.filter(({ rating }) => rating?.value === value).map(({ userId }) => userId);
  const reasoned = rated.filter(({ rating }) => (rating?.reason ?? '').trim() !== '');
  const shown = areEnough(peopleOf(reasoned)) ? reasoned.slice(0, MOST_REASONS) : [];
  return {
    up: countOf(askers('up')).told,
    down: countOf(askers('down')).told,
    reasons: shown.flatMap(({ userId, rating }) =>
      rating === null ? [] : [{ value: rating.value, reason: mask(rating.reason ?? '', userId) }],
    ),
  };
}

type ClassInsights = Omit<InsightsDto, 'groupings'>;

interface Asked {
  readonly caller: Caller;
  readonly material: NamedKnowledgeBases;
  readonly groupBy: QuestionGrouping;
}

/** Tells the editors of an assistant what their class asks, and nothing about fewer than five people. */
@Injectable()
export class InsightsService {
  constructor(
    private readonly assistants: AssistantsService,
    private readonly periods: ReportPeriods,
    private readonly groups: QuestionGroups,
    private readonly unused: UnusedMaterialService,
    private readonly organizations: OrganizationsService,
    private readonly prices: PriceLists,
  ) {}

  /** @throws {AppError} `not_found`, `forbidden`; `conflict` for groups by meaning without an embedding model */
  async of(caller: Caller, assistantId: number, query: InsightsQueryDto): Promise<InsightsDto> {
    await this.assistants.assertConfigurable(caller, assistantId);
    const { organizationId } = caller;
    const material = await this.unused.material(caller, assistantId);
    if (query.group_by === 'meaning') await this.groups.modelOf(organizationId, material.embedding);
    const groupings = [...(await this.groups.possible(organizationId, material.embedding))];
    const { days, time_zone: timeZone, group_by: groupBy } = query;
    const period = await this.periods.last(organizationId, { assistantId, days, timeZone });
    const isTold = areEnough(peopleOf(period.questions));
    const told = isTold ? await this.told(period, { caller, material, groupBy }) : untold(period, groupBy);
    return { ...told, groupings };
  }

  private async told(period: AskedPeriod, { caller, material, groupBy }: Asked): Promise<ClassInsights> {
    const { dates, local, questions, capped } = period;
    const { organizationId } = caller;
    const people = peopleOf(questions);
    const mask = await this.periods.maskOf(organizationId, people);
    const distinct = distinctQuestions(await masked(questions, mask));
    const payer = await this.organizations.runtime(organizationId);
    const [{ currency }, grouped, knowledgeBases] = await Promise.all([
      this.prices.of(payer),
      this.grouped(organizationId, distinct, { material, groupBy }),
      this.unused.readable(caller, material.knowledgeBaseIds),
    ]);
    const runIds = questions.map(({ runId }) => runId);
    const unused = await this.unused.of(caller, knowledgeBases, runIds);
    return {
      ...spanOf(dates),
      questions: questions.length,
      people: people.size,
      enough: true,
      least_people: LEAST_PEOPLE,
      capped,
      deleted_questions: countOf(questions.filter(({ text }) => text === null).map(({ userId }) => userId)).told,
      days: daysOf(questions, dates, local),
      hours: hoursOf(questions, local),
      speed: speedOf(questions),
      cost: costOf(questions, currency),
      tokens: tokensOf(questions),
      material: materialOf(questions),
      missed: missedOf(distinct),
      groups: grouped.groups,
      grouped_by: groupBy,
      hidden: grouped.hidden,
      unused,
      ratings: ratingsOf(questions, (text, userId) => mask.mask(text, userId)),
      fixes: { knowledge_bases: [...knowledgeBases] },
    };
  }

  private grouped(
    organizationId: string,
    questions: readonly DistinctQuestion[],
    { material, groupBy }: Omit<Asked, 'caller'>,
  ): Promise<TellableGroups> {
    if (groupBy === 'words') return this.groups.byWords(questions);
    return this.groups.byMeaning(organizationId, questions, material.embedding);
  }
}

/** Questions whose words are kept, without people in them. */
async function masked(questions: readonly AskedQuestion[], mask: PeopleMask): Promise<MaskedQuestion[]> {
  const slices = new TimeSlices();
  const kept: MaskedQuestion[] = [];
  for (const asked of questions) {
    if (asked.text === null) continue;
    await slices.ifDue();
    const text = mask.mask(asked.text, asked.userId);
    kept.push({ asked, text, words: wordsOf(text) });
  }
  return kept;
}

const spanOf = (dates: readonly string[]): Pick<InsightsDto, 'from' | 'to'> => ({
  from: dates[0] ?? '',
  to: dates.at(-1) ?? '',
});

/** The answer about a class of too few people, the same for four people and for nobody. */
const untold = ({ dates }: AskedPeriod, grouped_by: QuestionGrouping): ClassInsights => ({
  ...spanOf(dates),
  questions: null,
  people: null,
  enough: false,
  least_people: LEAST_PEOPLE,
  capped: false,
  deleted_questions: null,
  days: [],
  hours: [],
  speed: null,
  cost: null,
  tokens: null,
  material: { searched: null, nothing: null, weak: null, good: null },
  missed: [],
  groups: [],
  grouped_by,
  hidden: { groups: null, questions: null },
  unused: [],
  ratings: null,
  fixes: { knowledge_bases: [] },
});
