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

  it.each<[string, [string, string, string, string]]>([
    ['context', ['Course material', 'Material del curso', 'Material del curs', 'Ikastaroko materiala']],
    ['rubric', ['Rubric', 'Rúbrica', 'Rúbrica', 'Errubrika']],
    ['12_file', ['Document', 'Documento', 'Document', 'Dokumentua']],
    ['1_moodle_user', ['Student', 'Estudiante', 'Estudiant', 'Ikaslea']],
    [
      '3_tool_result',
      [
        'Answer of another assistant',
        'Respuesta de otro asistente',
        'Resposta d’un altre assistent',
        'Beste laguntzaile baten erantzuna',
      ],
    ],
    ['1_synthesis', ['Summary', 'Síntesis', 'Síntesi', 'Sintesia']],
    ['1_validation', ['Check', 'Comprobación', 'Comprovació', 'Egiaztapena']],
    ['1_topic_7_list', ['Topic 7 list', 'Topic 7 list', 'Topic 7 list', 'Topic 7 list']],
  ])('calls the slot %s in the language of the author', (name, labels) => {
    const questions = ['Question', 'Pregunta', 'Pregunta', 'Galdera'];
    for (const [at, language] of TEMPLATE_LANGUAGES.entries())
      expect(automaticTemplate([{ name }], language)).toBe(
        `${labels[at]}:\n\n{${name}}\n\n${questions[at]}:\n\n{user_input}`,
      );
  });

  it('writes the author’s own label as one line, the first one where a slot comes twice', () => {
    const slots = [
      { name: 'context', label: ' My \n\t notes{} ' },
      { name: 'context', label: 'Later' },
    ];
    expect(automaticTemplate(slots, 'en')).toBe('My notes:\n\n{context}\n\nQuestion:\n\n{user_input}');
    expect(automaticTemplate([{ name: 'context', label: '{}' }], 'en')).toMatch(/^Course material:/);
  });
});
