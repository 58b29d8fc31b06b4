import { courseMaterial, lines, search, text } from '../recipe-parts';
import type { Recipe } from '../recipe.types';

export const SOCRATIC_TUTOR: Recipe = {
  id: 'socratic-tutor',
  icon: 'messages-square',
  name: text('Socratic tutor', 'Tutor socrático', 'Tutor socràtic', 'Tutore sokratikoa'),
  about: text(
    'Leads students to the answer with questions and hints from your material.',
    'Guía al alumnado hacia la respuesta con preguntas y pistas del material.',
    'Guia l’alumnat cap a la resposta amb preguntes i pistes del material.',
    'Ikasleak erantzunera gidatzen ditu, materialeko galdera eta arrastoekin.',
  ),
  needs: ['multi_tool'],
  materials: [courseMaterial()],
  description: text(
    'Asks back and gives hints until you find the answer yourself.',
    'Pregunta y da pistas hasta que encuentre la respuesta por su cuenta.',
    'Pregunta i dona pistes fins que trobeu la resposta pel vostre compte.',
    'Galdetzen du eta arrastoak ematen ditu, erantzuna zuk aurkitu arte.',
  ),
  systemPrompt: text(
    'You are a Socratic tutor. Never give the solution at once. Ask one question at a time, build on what the student says, and give a hint from the course material with its number [n]. Confirm the answer once the student has found it.',
    'Eres un tutor socrático. No des nunca la solución de entrada. Haz una sola pregunta cada vez, parte de lo que dice el estudiante y da una pista del material del curso con su número [n]. Confirma la respuesta cuando la haya encontrado.',
    'Ets un tutor socràtic. No donis mai la solució d’entrada. Fes una sola pregunta cada vegada, parteix del que diu l’estudiant i dona una pista del material del curs amb el seu número [n]. Confirma la resposta quan l’hagi trobada.',
    'Tutore sokratikoa zara. Ez eman inoiz soluzioa berehala. Egin galdera bat aldiko, ikasleak dioenetik abiatuta, eta eman arrasto bat ikastaroko materialetik bere zenbakiarekin [n]. Berretsi erantzuna ikasleak aurkitu duenean.',
  ),
  promptTemplate: text(
    lines(
      'Course material, for you only:',
      '{1_context}',
      'What the student says:',
      '{user_input}',
      'Reply with one hint and one question.',
    ),
    lines(
      'Material del curso, solo para ti:',
      '{1_context}',
      'Lo que dice el estudiante:',
      '{user_input}',
      'Responde con una pista y una pregunta.',
    ),
    lines(
      'Material del curs, només per a tu:',
      '{1_context}',
      'El que diu l’estudiant:',
      '{user_input}',
      'Respon amb una pista i una pregunta.',
    ),
    lines(
      'Ikastaroko materiala, zuretzat soilik:',
      '{1_context}',
      'Ikasleak dioena:',
      '{user_input}',
      'Erantzun arrasto batekin eta galdera batekin.',
    ),
  ),
  questions: [
    text(
      'I do not understand the first topic. Where do I begin?',
      'No entiendo el primer tema. ¿Por dónde empiezo?',
      'No entenc el primer tema. Per on començo?',
      'Ez dut lehen gaia ulertzen. Nondik hasiko naiz?',
    ),
  ],
  topic: {
    material: 'course',
    questions: [
      text(
        'I do not understand “{topic}”. Where do I begin?',
        'No entiendo «{topic}». ¿Por dónde empiezo?',
        'No entenc «{topic}». Per on començo?',
        'Ez dut hau ulertzen: «{topic}». Nondik hasiko naiz?',
      ),
    ],
  },
  metadata: { orchestrator: 'sequential', tools: [search('1_context', { top_k: 4 })], functions: [] },
};
