import { text } from './recipe-parts';
import type { Localised, RecipeLanguage } from './recipe.types';

interface SampleCriterion {
  readonly id: string;
  readonly weight: number;
  readonly name: Localised;
  readonly description: Localised;
  /** From the highest score down. */
  readonly levels: readonly Localised[];
}

const LABELS: readonly Localised[] = [
  text('Excellent', 'Excelente', 'Excel·lent', 'Bikaina'),
  text('Good', 'Bien', 'Bé', 'Ona'),
  text('Not yet', 'Aún no', 'Encara no', 'Oraindik ez'),
];

const CRITERIA: readonly SampleCriterion[] = [
  {
    id: 'question',
    weight: 30,
    name: text('Question and thesis', 'Pregunta y tesis', 'Pregunta i tesi', 'Galdera eta tesia'),
    description: text(
      'What the text wants to show',
      'Qué quiere mostrar el texto',
      'Què vol mostrar el text',
      'Testuak zer erakutsi nahi duen',
    ),
    levels: [
      text(
        'A clear thesis answers the question of the assignment',
        'Una tesis clara responde a la pregunta del enunciado',
        'Una tesi clara respon a la pregunta de l’enunciat',
        'Tesi argi batek enuntziatuaren galderari erantzuten dio',
      ),
      text('The thesis can be guessed', 'La tesis se puede intuir', 'La tesi es pot intuir', 'Tesia igar daiteke'),
      text(
        'It stays open what the text wants to show',
        'No queda claro qué quiere mostrar el texto',
        'No queda clar què vol mostrar el text',
        'Ez da argi geratzen testuak zer erakutsi nahi duen',
      ),
    ],
  },
  {
    id: 'evidence',
    weight: 40,
    name: text('Arguments and evidence', 'Argumentos y pruebas', 'Arguments i proves', 'Argudioak eta frogak'),
    description: text(
      'How statements are supported',
      'Cómo se apoyan las afirmaciones',
      'Com es recolzen les afirmacions',
      'Baieztapenak nola oinarritzen diren',
    ),
    levels: [
      text(
        'Every statement is supported by a source or an example',
        'Cada afirmación se apoya en una fuente o un ejemplo',
        'Cada afirmació es recolza en una font o un exemple',
        'Baieztapen bakoitzak iturri edo adibide bat du oinarri',
      ),
      text(
        'Most statements are supported',
        'La mayoría de las afirmaciones se apoya en algo',
        'La majoria de les afirmacions es recolza en alguna cosa',
        'Baieztapen gehienek oinarria dute',
      ),
      text(
        'Statements stand alone',
        'Las afirmaciones no se apoyan en nada',
        'Les afirmacions no es recolzen en res',
        'Baieztapenek ez dute oinarririk',
      ),
    ],
  },
  {
    id: 'structure',
    weight: 30,
    name: text('Structure and language', 'Estructura y lengua', 'Estructura i llengua', 'Egitura eta hizkuntza'),
    description: text(
      'How well the text can be followed',
      'Con qué facilidad se sigue el texto',
      'Amb quina facilitat se segueix el text',
      'Testua zein erraz jarraitzen den',
    ),
    levels: [
      text(
        'Each paragraph has one idea; the language is correct',
        'Cada párrafo tiene una idea; la lengua es correcta',
        'Cada paràgraf té una idea; la llengua és correcta',
        'Paragrafo bakoitzak ideia bat du; hizkuntza zuzena da',
      ),
      text(
        'The order is clear; some mistakes disturb',
        'El orden es claro; algunos errores molestan',
        'L’ordre és clar; alguns errors molesten',
        'Ordena argia da; akats batzuek traba egiten dute',
      ),
      text(
        'The text is hard to follow',
        'Cuesta seguir el texto',
        'Costa seguir el text',
        'Testua jarraitzea zaila da',
      ),
    ],
  },
];

const MADE = '2026-11-01T00:00:00Z';

/** Body of `POST /api/v1/rubrics`: a general rubric for written work. */
export const sampleRubric = (language: RecipeLanguage): object => ({
  rubricId: `written-work-${language}`,
  metadata: { createdAt: MADE, modifiedAt: MADE },
  scoringType: 'points',
  maxScore: 10,
  title: text(
    'Written work (sample)',
    'Trabajo escrito (ejemplo)',
    'Treball escrit (exemple)',
    'Idatzizko lana (adibidea)',
  )[language],
  description: text(
    'A general rubric to start with. Change it to fit your course.',
    'Una rúbrica general para empezar. Adáptela a su curso.',
    'Una rúbrica general per començar. Adapteu-la al vostre curs.',
    'Hasteko errubrika orokor bat. Egokitu zure ikastarora.',
  )[language],
  criteria: CRITERIA.map(({ id, weight, name, description, levels }, order) => ({
    id,
    name: name[language],
    description: description[language],
    weight,
    order,
    levels: levels.map((level, index) => ({
      id: `${id}-${levels.length - index}`,
      score: levels.length - index,
      label: LABELS[index]?.[language] ?? '',
      description: level[language],
    })),
  })),
});
