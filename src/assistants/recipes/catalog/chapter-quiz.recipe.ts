import { fillsTool, lines, text, tool } from '../recipe-parts';
import type { Recipe } from '../recipe.types';

export const CHAPTER_QUIZ: Recipe = {
  id: 'chapter-quiz',
  icon: 'circle-help',
  name: text(
    'Quiz on a chapter',
    'Cuestionario de un capítulo',
    'Qüestionari d’un capítol',
    'Kapitulu bateko galdetegia',
  ),
  about: text(
    'Asks questions about one chapter, checks the answers and explains them.',
    'Hace preguntas sobre un capítulo, corrige las respuestas y las explica.',
    'Fa preguntes sobre un capítol, corregeix les respostes i les explica.',
    'Kapitulu bati buruzko galderak egiten ditu, erantzunak zuzendu eta azaltzen ditu.',
  ),
  needs: ['multi_tool'],
  materials: [
    {
      key: 'chapter',
      kind: 'file',
      name: text('Chapter', 'Capítulo', 'Capítol', 'Kapitulua'),
      hint: text(
        'One document: PDF, Word, PowerPoint, HTML or text. Only what is written in it is asked.',
        'Un documento: PDF, Word, PowerPoint, HTML o texto. Solo se pregunta lo que contiene.',
        'Un document: PDF, Word, PowerPoint, HTML o text. Només es pregunta el que conté.',
        'Dokumentu bat: PDF, Word, PowerPoint, HTML edo testua. Bertan idatzitakoa soilik galdetzen da.',
      ),
      fills: [fillsTool(0, 'file_path')],
    },
  ],
  description: text(
    'Questions about one chapter, one at a time, with explanations.',
    'Preguntas sobre un capítulo, una a una y con explicaciones.',
    'Preguntes sobre un capítol, d’una en una i amb explicacions.',
    'Kapitulu bati buruzko galderak, banan-banan eta azalpenekin.',
  ),
  systemPrompt: text(
    'You quiz a student on one chapter. Ask one question at a time and wait for the answer. Then say whether it is right, quote the sentence of the chapter that shows it, and ask the next one. Ask nothing that the chapter does not hold.',
    'Preguntas a un estudiante sobre un capítulo. Haz una sola pregunta cada vez y espera la respuesta. Después di si es correcta, cita la frase del capítulo que lo demuestra y haz la siguiente. No preguntes nada que el capítulo no contenga.',
    'Preguntes a un estudiant sobre un capítol. Fes una sola pregunta cada vegada i espera la resposta. Després digues si és correcta, cita la frase del capítol que ho demostra i fes la següent. No preguntis res que el capítol no contingui.',
    'Ikasle bati kapitulu bati buruz galdetzen diozu. Egin galdera bat aldiko eta itxaron erantzuna. Gero esan zuzena den, aipatu hori erakusten duen kapituluko esaldia eta egin hurrengoa. Ez galdetu kapituluan ez dagoen ezer.',
  ),
  promptTemplate: text(
    lines('Chapter:', '{1_file}', 'What the student says:', '{user_input}'),
    lines('Capítulo:', '{1_file}', 'Lo que dice el estudiante:', '{user_input}'),
    lines('Capítol:', '{1_file}', 'El que diu l’estudiant:', '{user_input}'),
    lines('Kapitulua:', '{1_file}', 'Ikasleak dioena:', '{user_input}'),
  ),
  questions: [
    text(
      'Ask me five questions about this chapter.',
      'Hazme cinco preguntas sobre este capítulo.',
      'Fes-me cinc preguntes sobre aquest capítol.',
      'Egidazu bost galdera kapitulu honi buruz.',
    ),
  ],
  metadata: {
    orchestrator: 'sequential',
    tools: [tool('single_file_rag', '1_file', { file_path: null })],
    functions: [],
  },
};
