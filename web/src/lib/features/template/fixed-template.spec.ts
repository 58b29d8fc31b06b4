import { describe, expect, it } from 'vitest';
import { FixedTemplate } from './fixed-template.svelte';

describe('the template of a classic assistant', () => {
  it('knows the slots that its form tells, and leaves other braces alone', () => {
    const document = new FixedTemplate('{context} {1_context} {user_input} {x}', () => [
      { name: 'context', fills: false, title: 'Search' },
      { name: 'moodle_user', fills: true },
    ]);
    expect(document.slots).toEqual([
      { name: 'moodle_user', state: 'unused' },
      { name: 'user_input', state: 'used' },
      { name: 'context', state: 'undefined', title: 'Search' },
    ]);
    document.edit('{moodle_user}', 'Starter');
    expect([document.slots[0]?.state, document.undoText]).toEqual(['used', 'Starter']);
    document.undo();
    expect(document.template).toContain('{1_context}');
  });
});
