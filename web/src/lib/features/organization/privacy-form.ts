import type { Schema } from '$lib/kit/api/client';
import type { SettingsPatch } from './organization.types';

type Privacy = Schema<'PrivacyDto'>;
export const RETENTION_KINDS = [
  'conversations_days',
  'runs_days',
  'run_contents_days',
  'uploads_days',
  'audit_days',
] as const;
/** The shortest retention that the service accepts. */
export const MIN_DAYS = {
  conversations_days: 1,
  runs_days: 1,
  run_contents_days: 1,
  uploads_days: 7,
  audit_days: 30,
} as const;
export const MAX_DAYS = 3_660;

export interface PrivacyForm {
  vendor_user_ids: Privacy['vendor_user_ids'];
  usage_people: Privacy['usage_people'];
  retention: Record<(typeof RETENTION_KINDS)[number], number | null | undefined>;
}

export const privacyFormOf = ({ vendor_user_ids, usage_people, retention }: Privacy): PrivacyForm => ({
  vendor_user_ids,
  usage_people,
  retention: { ...retention },
});

/** The changed members; null without a change. */
export function privacyPatch(privacy: Privacy, form: PrivacyForm): SettingsPatch | null {
  const retention = Object.fromEntries(
    RETENTION_KINDS.map((kind) => [kind, form.retention[kind] ?? null] as const).filter(
      ([kind, days]) => days !== privacy.retention[kind],
    ),
  );
  const changes = {
    ...(form.vendor_user_ids === privacy.vendor_user_ids ? {} : { vendor_user_ids: form.vendor_user_ids }),
    ...(form.usage_people === privacy.usage_people ? {} : { usage_people: form.usage_people }),
    ...(Object.keys(retention).length === 0 ? {} : { retention }),
  };
  return Object.keys(changes).length === 0 ? null : { privacy: changes };
}
