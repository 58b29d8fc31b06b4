import { automaticStyle, automaticTemplate, TEMPLATE_LANGUAGES } from './automatic';

const SLOTS = [
  { name: '1_context' },
  { name: '2_glossary_term' },
  { name: '3_rubric', label: ' The\n{user_input} book ' },
];

describe('the automatic template', () => {
  it('puts each slot under its label, then the question', () => {
    expect(automaticTemplate(SLOTS, 'en')).toBe(
      'Course material:\n\n{1_context}\n\nGlossary term:\n\n{2_glossary_term}\n\nThe user_input book:\n\n{3_rubric}\n\nQuestion:\n\n{user_input}',
    );
    expect(automaticTemplate([{ name: '1_context' }], 'eu')).toBe(
      'Ikastaroko materiala:\n\n{1_context}\n\nGaldera:\n\n{user_input}',
    );
  });

  it('is the question alone without slots, and has each name once', () => {
    expect(automaticTemplate([], 'es')).toBe('{user_input}');
    expect(automaticTemplate([{ name: 'context' }, { name: 'context' }], 'bare')).toBe('{context}\n\n{user_input}');
  });

  it('is known again in every style, the preferred one first', () => {
    for (const style of [...TEMPLATE_LANGUAGES, 'bare'] as const)
      expect(automaticStyle(automaticTemplate(SLOTS, style), SLOTS, 'en')).toBe(style);
    expect(automaticStyle('{user_input}', [], 'ca')).toBe('ca');
    expect(automaticStyle('{1_context} {user_input}', SLOTS, 'en')).toBeNull();
  });
});
