import { USER_INPUT } from './placeholder';

export const TEMPLATE_LANGUAGES = ['en', 'es', 'ca', 'eu'] as const;
export type TemplateLanguage = (typeof TEMPLATE_LANGUAGES)[number];

/** `bare`: slots without labels, as the web form wrote them in earlier versions. */
export type TemplateStyle = TemplateLanguage | 'bare';

/** A slot of an enabled tool; `label` is the name that the author gave the tool. */
export interface LabelledSlot {
  readonly name: string;
  readonly label?: string | undefined;
}

type Labels = Readonly<Record<TemplateLanguage, string>>;

const QUESTION: Labels = { en: 'Question', es: 'Pregunta', ca: 'Pregunta', eu: 'Galdera' };

/** Labels by placeholder type; a type of another plugin stands for itself. */
const LABELS: ReadonlyMap<string, Labels> = new Map([
  ['context', { en: 'Course material', es: 'Material del curso', ca: 'Material del curs', eu: 'Ikastaroko materiala' }],
  ['rubric', { en: 'Rubric', es: 'Rúbrica', ca: 'Rúbrica', eu: 'Errubrika' }],
  ['file', { en: 'Document', es: 'Documento', ca: 'Document', eu: 'Dokumentua' }],
  ['moodle_user', { en: 'Student', es: 'Estudiante', ca: 'Estudiant', eu: 'Ikaslea' }],
  [
    'tool_result',
    {
      en: 'Answer of another assistant',
      es: 'Respuesta de otro asistente',
      ca: 'Resposta d’un altre assistent',
      eu: 'Beste laguntzaile baten erantzuna',
    },
  ],
  ['synthesis', { en: 'Summary', es: 'Síntesis', ca: 'Síntesi', eu: 'Sintesia' }],
  ['validation', { en: 'Check', es: 'Comprobación', ca: 'Comprovació', eu: 'Egiaztapena' }],
]);

/**
 * The template of a multi-tool assistant that has none: each slot under its label, in the given order, then the
 * question. Equal slots count once. Without slots it is the question alone.
 */
export function automaticTemplate(slots: readonly LabelledSlot[], style: TemplateStyle): string {
  const labels = new Map<string, string>();
  for (const slot of slots) if (!labels.has(slot.name)) labels.set(slot.name, labelOf(slot, style));
  const isBare = style === 'bare' || labels.size === 0;
  const named = [...labels].map(([name, label]) => (isBare ? `{${name}}` : `${label}:\n\n{${name}}`));
  const question = `{${USER_INPUT}}`;
  return [...named, isBare ? question : `${QUESTION[style]}:\n\n${question}`].join('\n\n');
}

/** The style in which `template` is the automatic one of `slots`, `preferred` before the others; null when it is not. */
export const automaticStyle = (
  template: string,
  slots: readonly LabelledSlot[],
  preferred: TemplateLanguage,
): TemplateStyle | null =>
  ([preferred, ...TEMPLATE_LANGUAGES, 'bare'] as const).find((style) => automaticTemplate(slots, style) === template) ??
  null;

function labelOf({ name, label = '' }: LabelledSlot, style: TemplateStyle): string {
  // Braces in an author's label would be a slot.
  const own = label.replaceAll(/[{}]/g, '').replaceAll(/\s+/g, ' ').trim();
  if (own !== '') return own;
  const type = name.replace(/^\d+_/, '');
  const known = LABELS.get(type)?.[style === 'bare' ? 'en' : style];
  const spoken = type.replaceAll('_', ' ');
  return known ?? spoken.charAt(0).toUpperCase() + spoken.slice(1);
}
