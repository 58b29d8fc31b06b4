import type { ActivitySettings } from '../courses/activity.types';
import type { ActivityPersonEntity, Agreement } from './activity-person.entity';

/** What a student has to agree to before the first question; null for nothing. */
export const neededAgreement = ({ teachersRead, anonymous }: ActivitySettings): Agreement | null =>
  teachersRead ? (anonymous ? 'pseudonymous' : 'named') : null;

/** Who agreed by name agreed to a pseudonym too. */
export function isCovered(
  settings: ActivitySettings,
  { agreedAt, agreedTo }: Pick<ActivityPersonEntity, 'agreedAt' | 'agreedTo'>,
): boolean {
  const needed = neededAgreement(settings);
  return needed === null || (agreedAt !== null && (agreedTo === 'named' || agreedTo === needed));
}
