import { courseMaterial, lines, search, text } from '../recipe-parts';
import type { Recipe } from '../recipe.types';

export const COURSE_QUESTIONS: Recipe = {
  id: 'course-questions',
  icon: 'book-open',
  name: text(
    'Course questions and answers',
    'Preguntas sobre el curso',
    'Preguntes sobre el curs',
    'Ikastaroko galdera-erantzunak',
  ),
  about: text(
    'Answers questions from your course material and shows the passages.',
    'Responde preguntas con el material del curso y muestra los fragmentos.',
    'Respon preguntes amb el material del curs i en mostra els fragments.',
    'Ikastaroko materialetik erantzuten du eta pasarteak erakusten ditu.',
  ),
  needs: ['multi_tool'],
  materials: [courseMaterial()],
  description: text(
    'Answers questions about the course from its material.',
    'Responde preguntas sobre el curso con su material.',
    'Respon preguntes sobre el curs amb el seu material.',
    'Ikastaroari buruzko galderei erantzuten die, bere materialetik.',
  ),
  systemPrompt: text(
    'You answer questions about a university course. Use only the course material. Cite passages as [n]. If the material does not hold the answer, say so and name what to read or whom to ask.',
    'Respondes preguntas sobre un curso universitario. Usa solo el material del curso. Cita los pasajes como [n]. Si el material no contiene la respuesta, dilo e indica qué leer o a quién preguntar.',
    'Respons preguntes sobre un curs universitari. Fes servir només el material del curs. Cita els passatges com a [n]. Si el material no conté la resposta, digues-ho i indica què cal llegir o a qui cal preguntar.',
    'Unibertsitateko ikastaro bati buruzko galderei erantzuten diezu. Erabili ikastaroko materiala soilik. Aipatu pasarteak [n] gisa. Materialak erantzunik ez badu, esan eta adierazi zer irakurri edo nori galdetu.',
  ),
  promptTemplate: text(
    lines('Course material:', '{1_context}', 'Question:', '{user_input}', 'Answer in short paragraphs.'),
    lines('Material del curso:', '{1_context}', 'Pregunta:', '{user_input}', 'Responde en párrafos cortos.'),
    lines('Material del curs:', '{1_context}', 'Pregunta:', '{user_input}', 'Respon en paràgrafs curts.'),
    lines('Ikastaroko materiala:', '{1_context}', 'Galdera:', '{user_input}', 'Erantzun paragrafo laburretan.'),
  ),
  questions: [
    text(
      'What are the main ideas of this course?',
      '¿Cuáles son las ideas principales de este curso?',
      'Quines són les idees principals d’aquest curs?',
      'Zein dira ikastaro honen ideia nagusiak?',
    ),
    text(
      'Which terms do I have to know?',
      '¿Qué términos tengo que conocer?',
      'Quins termes he de conèixer?',
      'Zein termino ezagutu behar ditut?',
    ),
  ],
  topic: {
    material: 'course',
    questions: [
      text(
        'What does the course material say about “{topic}”?',
        '¿Qué dice el material del curso sobre «{topic}»?',
        'Què diu el material del curs sobre «{topic}»?',
        'Zer dio ikastaroko materialak honi buruz: «{topic}»?',
      ),
      text(
        'What do I have to know about “{topic}”?',
        '¿Qué tengo que saber sobre «{topic}»?',
        'Què he de saber sobre «{topic}»?',
        'Zer jakin behar dut honi buruz: «{topic}»?',
      ),
    ],
  },
  metadata: { orchestrator: 'sequential', tools: [search('1_context')], functions: [] },
};
