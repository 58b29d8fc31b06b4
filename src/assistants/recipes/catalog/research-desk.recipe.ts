import { courseMaterial, fillsTool, lines, search, text } from '../recipe-parts';
import type { Recipe } from '../recipe.types';

export const RESEARCH_DESK: Recipe = {
  id: 'research-desk',
  icon: 'telescope',
  name: text('Research desk', 'Mesa de investigación', 'Taula de recerca', 'Ikerketa-mahaia'),
  about: text(
    'Plans for each question which of your sources to read: course material, papers, or both.',
    'Planifica para cada pregunta qué fuentes leer: el material del curso, los artículos o ambos.',
    'Planifica per a cada pregunta quines fonts cal llegir: el material del curs, els articles o tots dos.',
    'Galdera bakoitzerako zein iturri irakurri planifikatzen du: ikastaroko materiala, artikuluak edo biak.',
  ),
  needs: ['multi_tool', 'planned'],
  materials: [
    courseMaterial(),
    {
      key: 'papers',
      kind: 'knowledge_base',
      name: text('Papers', 'Artículos', 'Articles', 'Artikuluak'),
      hint: text(
        'Articles and reports beyond the course.',
        'Artículos e informes que van más allá del curso.',
        'Articles i informes que van més enllà del curs.',
        'Ikastarotik haragoko artikuluak eta txostenak.',
      ),
      fills: [fillsTool(1, 'collections', true)],
    },
  ],
  description: text(
    'Looks a question up in the course material and in papers, and compares them.',
    'Busca una pregunta en el material del curso y en artículos, y los compara.',
    'Cerca una pregunta al material del curs i en articles, i els compara.',
    'Galdera bat ikastaroko materialean eta artikuluetan bilatzen du, eta alderatzen ditu.',
  ),
  systemPrompt: text(
    'You help with research for a course. Say what each source states, where sources disagree, and what is still open. Cite every statement as [n]. State nothing that no source holds.',
    'Ayudas a investigar para un curso. Di qué afirma cada fuente, en qué discrepan y qué queda abierto. Cita cada afirmación como [n]. No afirmes nada que no esté en ninguna fuente.',
    'Ajudes a fer recerca per a un curs. Digues què afirma cada font, en què discrepen i què queda obert. Cita cada afirmació com a [n]. No afirmis res que no sigui a cap font.',
    'Ikastaro baterako ikerketan laguntzen duzu. Esan zer dioen iturri bakoitzak, zertan ez datozen bat eta zer dagoen irekita. Aipatu baieztapen bakoitza [n] gisa. Ez baieztatu iturrietan ez dagoen ezer.',
  ),
  promptTemplate: text(
    lines('Course material:', '{1_context}', 'Papers:', '{2_context}', 'Question:', '{user_input}'),
    lines('Material del curso:', '{1_context}', 'Artículos:', '{2_context}', 'Pregunta:', '{user_input}'),
    lines('Material del curs:', '{1_context}', 'Articles:', '{2_context}', 'Pregunta:', '{user_input}'),
    lines('Ikastaroko materiala:', '{1_context}', 'Artikuluak:', '{2_context}', 'Galdera:', '{user_input}'),
  ),
  questions: [
    text(
      'What do the papers add to the course?',
      '¿Qué añaden los artículos al curso?',
      'Què afegeixen els articles al curs?',
      'Zer gehitzen diote artikuluek ikastaroari?',
    ),
  ],
  topic: {
    material: 'course',
    questions: [
      text(
        'What do the course and the papers say about “{topic}”?',
        '¿Qué dicen el curso y los artículos sobre «{topic}»?',
        'Què diuen el curs i els articles sobre «{topic}»?',
        'Zer diote ikastaroak eta artikuluek honi buruz: «{topic}»?',
      ),
    ],
  },
  metadata: { orchestrator: 'planned', tools: [search('1_context'), search('2_context')], functions: [] },
};
