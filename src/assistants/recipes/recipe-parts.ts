import type { Localised, RecipeMaterial } from './recipe.types';

/** The same text in English, Spanish, Catalan and Basque. */
export const text = (en: string, es: string, ca: string, eu: string): Localised => ({ en, es, ca, eu });

export const lines = (...parts: readonly string[]): string => parts.join('\n\n');

/** A tool of the pipeline; its material is chosen later. */
export const tool = (plugin: string, placeholder: string, config: object = {}): object => ({
  plugin,
  placeholder,
  enabled: true,
  config,
});

/** Search by meaning and words together, with numbered sources. */
export const search = (placeholder: string, config: object = {}): object =>
  tool('simple_rag', placeholder, { collections: [], top_k: 5, sources_in_prompt: 'numbered', ...config });

type Fills = RecipeMaterial['fills'];

export const fillsTool = (index: number, setting: string, many = false): Fills[number] => ({
  list: 'tools',
  index,
  setting,
  many,
});

/** The course's knowledge base, searched by the tool at `index`. */
export const courseMaterial = (fills: Fills = [fillsTool(0, 'collections', true)]): RecipeMaterial => ({
  key: 'course',
  kind: 'knowledge_base',
  name: text('Course material', 'Material del curso', 'Material del curs', 'Ikastaroko materiala'),
  hint: text(
    'Slides, notes, readings: everything that answers may come from.',
    'Diapositivas, apuntes, lecturas: todo aquello de donde pueden salir las respuestas.',
    'Diapositives, apunts, lectures: tot allò d’on poden sortir les respostes.',
    'Diapositibak, apunteak, irakurgaiak: erantzunen iturri izan daitekeen guztia.',
  ),
  fills,
});

/** A rubric of the teacher's, or the sample that every organization can copy. */
export const rubricMaterial = (fills: Fills): RecipeMaterial => ({
  key: 'rubric',
  kind: 'rubric',
  name: text('Rubric', 'Rúbrica', 'Rúbrica', 'Errubrika'),
  hint: text(
    'The criteria that the feedback follows. You can start with the sample and change it later.',
    'Los criterios que sigue la valoración. Puede empezar con el ejemplo y cambiarlo después.',
    'Els criteris que segueix la valoració. Podeu començar amb l’exemple i canviar-lo després.',
    'Atzeraelikadurak jarraitzen dituen irizpideak. Adibidearekin has zaitezke eta gero aldatu.',
  ),
  fills,
});
