import { i18n, t } from '$lib/kit/i18n/i18n.svelte';
import { toasts } from '$lib/kit/ui/toasts.svelte';
import type { Grade } from './course.types';

export const pointsOf = ({ score, maximum }: Pick<Grade, 'score' | 'maximum'>): string =>
  t('courses.grades.points', { score: i18n.number(score), maximum: i18n.number(maximum) });

/** Says how the platform answered. */
export function toldOf({ state }: Grade): void {
  if (state === 'sent') toasts.success(t('courses.grades.sent'));
  else toasts.error(t('courses.grades.refused'));
}
