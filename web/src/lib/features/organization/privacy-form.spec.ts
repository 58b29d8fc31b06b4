import { expect, it } from 'vitest';
import { privacyFormOf, privacyPatch } from './privacy-form';

const privacy = {
  vendor_user_ids: 'as_sent',
  usage_people: 'named',
  retention: {
    conversations_days: null,
    runs_days: null,
    run_contents_days: 30,
    uploads_days: null,
    audit_days: null,
  },
} as const;

it('sends only what was changed, and null for a field that was emptied', () => {
  const form = privacyFormOf(privacy);
  expect(privacyPatch(privacy, form)).toBeNull();
  form.vendor_user_ids = 'none';
  form.retention.run_contents_days = undefined;
  form.retention.audit_days = 365;
  expect(privacyPatch(privacy, form)).toEqual({
    privacy: { vendor_user_ids: 'none', retention: { run_contents_days: null, audit_days: 365 } },
  });
});
