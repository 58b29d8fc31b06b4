import { describe, expect, it } from 'vitest';
import { settingsPatchSchema } from '../../../../../src/organizations/settings/settings.schema';
import { CALL_LIMITS, LIMIT_MAX, limitFormOf, limitPatch, otherLimits } from './limit-form';

const limits = { assistant_calls: { per_day: 500, per_assistant: 0 }, storage: { files: 20, note: 'old' } };

describe('the form of limits', () => {
  it('shows what is set and sends what changed, null for what is lifted', () => {
    const form = limitFormOf(limits);
    expect(form).toEqual({ per_day: 500, per_assistant: 0, per_organization: null });
    expect(limitPatch(limits, form)).toBeNull();
    expect(limitPatch(limits, { ...form, per_day: null, per_organization: 7 })).toEqual({
      limits: { assistant_calls: { per_day: null, per_organization: 7 } },
    });
    expect(limitFormOf({})).toEqual({ per_day: null, per_assistant: null, per_organization: null });
  });

  it('leaves limits alone that it does not know', () => {
    expect(otherLimits(limits)).toEqual([
      ['storage.files', '20'],
      ['storage.note', 'old'],
    ]);
  });

  it('has the names and the bound of the service', () => {
    const known = settingsPatchSchema.properties.limits.properties.assistant_calls.properties;
    expect(Object.keys(known)).toEqual([...CALL_LIMITS]);
    expect(known.per_day.maximum).toBe(LIMIT_MAX);
  });
});
