import { fillsTool, lines, rubricMaterial, text, tool } from '../recipe-parts';
import type { Recipe } from '../recipe.types';

export const ESSAY_FEEDBACK: Recipe = {
  id: 'essay-feedback',
  icon: 'list-checks',
  name: text('Essay feedback', 'Comentarios a un ensayo', 'Comentaris a un assaig', 'Saiakeren atzeraelikadura'),
  about: text(
    'Comments on a draft by the criteria of your rubric and the assignment.',
    'Comenta un borrador según los criterios de su rúbrica y el enunciado.',
    'Comenta un esborrany segons els criteris de la vostra rúbrica i l’enunciat.',
    'Zirriborro bat iruzkintzen du, zure errubrikaren irizpideen eta enuntziatuaren arabera.',
  ),
  needs: ['multi_tool'],
  materials: [
    rubricMaterial([fillsTool(0, 'rubric_id')]),
    {
      key: 'assignment',
      kind: 'file',
      name: text('Assignment', 'Enunciado', 'Enunciat', 'Enuntziatua'),
      hint: text(
        'The sheet that students got: PDF, Word, PowerPoint or text.',
        'La hoja que recibió el alumnado: PDF, Word, PowerPoint o texto.',
        'El full que va rebre l’alumnat: PDF, Word, PowerPoint o text.',
        'Ikasleek jasotako orria: PDF, Word, PowerPoint edo testua.',
      ),
      fills: [fillsTool(1, 'file_path')],
    },
  ],
  description: text(
    'Feedback on your draft, criterion by criterion. It does not write the essay.',
    'Comentarios a su borrador, criterio a criterio. No escribe el ensayo.',
    'Comentaris al vostre esborrany, criteri a criteri. No escriu l’assaig.',
    'Zure zirriborroari buruzko iruzkinak, irizpidez irizpide. Ez du saiakera idazten.',
  ),
  systemPrompt: text(
    'You are a kind and precise teaching assistant. Comment on drafts by the rubric. Name the criterion that each comment belongs to. Never write or rewrite the essay.',
    'Eres un ayudante docente amable y preciso. Comenta los borradores según la rúbrica. Indica a qué criterio corresponde cada comentario. No escribas ni reescribas nunca el ensayo.',
    'Ets un ajudant docent amable i precís. Comenta els esborranys segons la rúbrica. Indica a quin criteri correspon cada comentari. No escriguis ni reescriguis mai l’assaig.',
    'Irakasle laguntzaile atsegina eta zehatza zara. Iruzkindu zirriborroak errubrikaren arabera. Adierazi iruzkin bakoitza zein irizpideri dagokion. Ez idatzi eta ez berridatzi inoiz saiakera.',
  ),
  promptTemplate: text(
    lines(
      'Rubric:',
      '{1_rubric}',
      'Assignment:',
      '{2_file}',
      'What the student wrote or asks:',
      '{user_input}',
      'Name one strength and the two changes that would help most.',
    ),
    lines(
      'Rúbrica:',
      '{1_rubric}',
      'Enunciado:',
      '{2_file}',
      'Lo que escribió o pregunta el estudiante:',
      '{user_input}',
      'Indica un punto fuerte y los dos cambios que más ayudarían.',
    ),
    lines(
      'Rúbrica:',
      '{1_rubric}',
      'Enunciat:',
      '{2_file}',
      'El que ha escrit o pregunta l’estudiant:',
      '{user_input}',
      'Indica un punt fort i els dos canvis que més ajudarien.',
    ),
    lines(
      'Errubrika:',
      '{1_rubric}',
      'Enuntziatua:',
      '{2_file}',
      'Ikasleak idatzi edo galdetu duena:',
      '{user_input}',
      'Adierazi indargune bat eta gehien lagunduko luketen bi aldaketak.',
    ),
  ),
  questions: [
    text(
      'What does the assignment ask for, and how is it graded?',
      '¿Qué pide el enunciado y cómo se evalúa?',
      'Què demana l’enunciat i com s’avalua?',
      'Zer eskatzen du enuntziatuak eta nola ebaluatzen da?',
    ),
  ],
  metadata: {
    orchestrator: 'parallel',
    tools: [
      tool('rubric_rag', '1_rubric', { rubric_id: null, format: 'markdown' }),
      tool('single_file_rag', '2_file', { file_path: null }),
    ],
    functions: [],
  },
};
