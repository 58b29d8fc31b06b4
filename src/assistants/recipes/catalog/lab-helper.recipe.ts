import { courseMaterial, fillsTool, lines, rubricMaterial, search, text } from '../recipe-parts';
import type { Recipe } from '../recipe.types';

export const LAB_HELPER: Recipe = {
  id: 'lab-helper',
  icon: 'flask-conical',
  name: text('Lab helper', 'Ayudante de laboratorio', 'Ajudant de laboratori', 'Laborategiko laguntzailea'),
  about: text(
    'Helps with experiments and reports. The model looks up the manual and the rubric itself when it needs them.',
    'Ayuda con los experimentos y los informes. El modelo consulta por sí mismo el manual y la rúbrica cuando los necesita.',
    'Ajuda amb els experiments i els informes. El model consulta ell mateix el manual i la rúbrica quan els necessita.',
    'Esperimentuekin eta txostenekin laguntzen du. Ereduak berak kontsultatzen ditu eskuliburua eta errubrika behar dituenean.',
  ),
  needs: ['multi_tool', 'functions'],
  materials: [
    {
      ...courseMaterial([
        fillsTool(0, 'collections', true),
        { list: 'functions', index: 0, setting: 'kb_id', many: false },
      ]),
      name: text('Lab manual', 'Manual de laboratorio', 'Manual de laboratori', 'Laborategiko eskuliburua'),
      hint: text(
        'Instructions, safety sheets, notes on the devices.',
        'Instrucciones, fichas de seguridad, notas sobre los aparatos.',
        'Instruccions, fitxes de seguretat, notes sobre els aparells.',
        'Jarraibideak, segurtasun-fitxak, gailuei buruzko oharrak.',
      ),
    },
    rubricMaterial([{ list: 'functions', index: 1, setting: 'rubric_id', many: false }]),
  ],
  description: text(
    'Help with experiments and lab reports.',
    'Ayuda con los experimentos y los informes de laboratorio.',
    'Ajuda amb els experiments i els informes de laboratori.',
    'Laguntza esperimentuekin eta laborategiko txostenekin.',
  ),
  systemPrompt: text(
    'You help students in a laboratory. Put safety first. Answer from the lab manual and cite it as [n]. Search the manual again when the passages are not enough. Look up the rubric when a question is about the report. Never invent measured values.',
    'Ayudas a estudiantes en un laboratorio. La seguridad es lo primero. Responde con el manual de laboratorio y cítalo como [n]. Vuelve a buscar en el manual cuando los pasajes no basten. Consulta la rúbrica cuando la pregunta sea sobre el informe. No inventes nunca valores medidos.',
    'Ajudes estudiants en un laboratori. La seguretat és el primer. Respon amb el manual de laboratori i cita’l com a [n]. Torna a cercar al manual quan els passatges no siguin suficients. Consulta la rúbrica quan la pregunta sigui sobre l’informe. No t’inventis mai valors mesurats.',
    'Laborategi bateko ikasleei laguntzen diezu. Segurtasuna lehenik. Erantzun laborategiko eskuliburutik eta aipatu [n] gisa. Bilatu berriro eskuliburuan pasarteak nahikoak ez direnean. Kontsultatu errubrika galdera txostenari buruzkoa denean. Ez asmatu inoiz neurtutako baliorik.',
  ),
  promptTemplate: text(
    lines('Lab manual:', '{1_context}', 'Question:', '{user_input}'),
    lines('Manual de laboratorio:', '{1_context}', 'Pregunta:', '{user_input}'),
    lines('Manual de laboratori:', '{1_context}', 'Pregunta:', '{user_input}'),
    lines('Laborategiko eskuliburua:', '{1_context}', 'Galdera:', '{user_input}'),
  ),
  questions: [
    text(
      'What do I have to prepare before the first experiment?',
      '¿Qué tengo que preparar antes del primer experimento?',
      'Què he de preparar abans del primer experiment?',
      'Zer prestatu behar dut lehen esperimentuaren aurretik?',
    ),
  ],
  topic: {
    material: 'course',
    questions: [
      text(
        'What does the lab manual say about “{topic}”?',
        '¿Qué dice el manual de laboratorio sobre «{topic}»?',
        'Què diu el manual de laboratori sobre «{topic}»?',
        'Zer dio laborategiko eskuliburuak honi buruz: «{topic}»?',
      ),
    ],
  },
  metadata: {
    orchestrator: 'sequential',
    tools: [search('1_context', { top_k: 3 })],
    functions: [
      { type: 'knowledge_base', kb_id: null },
      { type: 'rubric', rubric_id: null },
    ],
  },
};
