import { areEnough, countOf, QuestionCount, toldParts } from './mask-people';
import type { AskedQuestion, Finding } from './asked-questions.repository';
import type { LocalTime } from './report-periods.service';

const HOURS = Array.from({ length: 24 }, (_, hour) => hour);

/** Questions of each day, null where too few people asked. */
export function daysOf(questions: readonly AskedQuestion[], dates: readonly string[], local: LocalTime) {
  const counts = new Map(dates.map((date) => [date, new QuestionCount()]));
  for (const { userId, time } of questions) counts.get(local.at(time).day)?.add(userId);
  const told = toldParts([...counts.values()]);
  return dates.map((date, at) => ({ date, questions: told[at] ?? null }));
}

/** Questions of each hour of the day. */
export function hoursOf(questions: readonly AskedQuestion[], local: LocalTime) {
  const counts = HOURS.map(() => new QuestionCount());
  for (const { userId, time } of questions) counts[local.at(time).hour]?.add(userId);
  const told = toldParts(counts);
  return HOURS.map((hour) => ({ hour, questions: told[hour] ?? null }));
}

/** Times of complete answers; null when too few people have one. */
export function speedOf(questions: readonly AskedQuestion[]) {
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
export function costOf(questions: readonly AskedQuestion[], currency: string | null) {
  const priced = questions.filter(({ costMicros }) => costMicros !== null);
  if (currency === null || !areEnough(peopleOf(priced))) return null;
  const micros = sum(priced.map(({ costMicros }) => costMicros ?? 0));
  return { currency, micros, per_question_micros: Math.round(micros / priced.length) };
}

/** Null when too few people have an answer whose tokens are known. */
export function tokensOf(questions: readonly AskedQuestion[]) {
  const counted = questions.filter(({ tokens }) => tokens !== null);
  if (!areEnough(peopleOf(counted))) return null;
  return {
    prompt: sum(counted.map(({ tokens }) => tokens?.prompt ?? 0)),
    completion: sum(counted.map(({ tokens }) => tokens?.completion ?? 0)),
    total: sum(counted.map(({ tokens }) => tokens?.total ?? 0)),
  };
}

/** Numbers of questions by what their searches found. Questions without a search are the fourth part of the sum. */
export function materialOf(questions: readonly AskedQuestion[]) {
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

export const peopleOf = (questions: readonly AskedQuestion[]): ReadonlySet<string> =>
  new Set(questions.map(({ userId }) => userId));

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** The nearest rank. Whole milliseconds. */
function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return Math.round(sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0);
}
