import type { DistinctQuestion } from '../grouping/distinct-questions';
import { areEnough, countOf } from '../privacy/least-people';
import type { AskedQuestion } from '../reading/asked-question.types';
import { peopleOf } from './class-figures';

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
export function ratingsOf(questions: readonly AskedQuestion[], mask: (text: string, userId: string) => string) {
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
