import type { Source } from '@bellwether/kernel';
import {
  type CheckContext,
  type Expectation,
  normalized,
  type Outcome,
  passedIf,
  type TestedAnswer,
} from '../contract';

interface Config {
  /** File name or title. */
  readonly document: string;
  readonly page?: number;
  readonly document_id?: string;
  readonly knowledge_base_id?: string;
}

const PROPOSED = 3;

/** Numbers in square brackets: `[2]`, `[1, 3]`. */
const MARK = /\[(\d{1,3}(?:\s*[,;]\s*\d{1,3})*)\]/gu;

/** Sources that an answer cites by number; every source where it cites none. */
export function citedSources({ answer, sources }: Pick<TestedAnswer, 'answer' | 'sources'>): readonly Source[] {
  const numbers = new Set([...answer.matchAll(MARK)].flatMap(([, list = '']) => list.split(/[,;]/u).map(Number)));
  const cited = sources.filter(({ n }) => n !== undefined && numbers.has(n));
  return cited.length === 0 ? sources : cited;
}

const namesOf = (source: Source): readonly string[] => {
  if (source.type === 'file') return [source.path, source.path.split('/').at(-1) ?? ''];
  return source.type === 'rubric' ? [source.title] : [source.title, source.document ?? ''];
};

function matches(source: Source, { document, page, document_id: id }: Config): boolean {
  const isSame = source.type === 'knowledge_base' && id !== undefined && source.document_id === id;
  if (!isSame && !namesOf(source).some((name) => normalized(name) === normalized(document))) return false;
  if (page === undefined) return true;
  if (source.type !== 'knowledge_base' || source.page === undefined) return false;
  return page >= source.page && page <= (source.page_end ?? source.page);
}

const shown = (source: Source): string => {
  const [title = ''] = namesOf(source);
  return source.type === 'knowledge_base' && source.page !== undefined ? `${title} (${source.page})` : title;
};

async function isGone({ document_id: id, knowledge_base_id: base }: Config, context: CheckContext): Promise<boolean> {
  return id !== undefined && base !== undefined && !(await context.documentExists(base, id));
}

/** A document is among the sources of the answer. */
export const CITES_DOCUMENT: Expectation<Config> = {
  definition: {
    name: 'cites_document',
    checked_by: 'exact',
    texts: {
      en: { name: 'Cites a document', about: 'The document, and the page if you name one, is cited as a source.' },
      es: { name: 'Cita un documento', about: 'El documento, y la página si la indica, aparece citado como fuente.' },
      ca: { name: 'Cita un document', about: 'El document, i la pàgina si la indiqueu, apareix citat com a font.' },
      eu: {
        name: 'Dokumentu bat aipatzen du',
        about: 'Dokumentua, eta orria adieraziz gero hura ere, iturri gisa aipatzen da.',
      },
    },
    config_schema: {
      type: 'object',
      properties: {
        document: {
          type: 'string',
          minLength: 1,
          maxLength: 500,
          pattern: '\\S',
          title: 'Document',
          'x-texts': { es: { title: 'Documento' }, ca: { title: 'Document' }, eu: { title: 'Dokumentua' } },
        },
        page: {
          type: 'integer',
          minimum: 1,
          maximum: 100_000,
          title: 'Page',
          'x-texts': { es: { title: 'Página' }, ca: { title: 'Pàgina' }, eu: { title: 'Orria' } },
        },
        document_id: { type: 'string', maxLength: 64, 'x-advanced': true },
        knowledge_base_id: { type: 'string', maxLength: 256, 'x-advanced': true },
      },
      required: ['document'],
      additionalProperties: false,
    },
  },
  async check(config, answer, context): Promise<Outcome> {
    const cited = citedSources(answer);
    const found = [...new Set(cited.map(shown))].join('; ');
    if (cited.some((source) => matches(source, config))) return passedIf(true, found);
    return (await isGone(config, context)) ? { status: 'gone', found: config.document } : passedIf(false, found);
  },
  propose(answer) {
    const proposed = new Map<string, Config>();
    for (const source of citedSources(answer)) {
      const [title = ''] = namesOf(source);
      if (title === '' || proposed.has(title)) continue;
      proposed.set(title, { document: title, ...(source.type === 'knowledge_base' ? placeOf(source) : {}) });
    }
    return [...proposed.values()].slice(0, PROPOSED);
  },
};

const placeOf = ({
  page,
  document_id: id,
  knowledge_base: base,
}: Extract<Source, { type: 'knowledge_base' }>): Partial<Config> => ({
  ...(page === undefined ? {} : { page }),
  ...(id === undefined || base === undefined ? {} : { document_id: id, knowledge_base_id: base.id }),
});
