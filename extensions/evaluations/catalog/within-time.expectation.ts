import { strictObject } from '@bellwether/kernel';
import { type Expectation, passedIf } from '../contract';

interface Config {
  readonly seconds: number;
}

const PROPOSED_FACTOR = 2;

/** The answer is complete in time. */
export const WITHIN_TIME: Expectation<Config> = {
  definition: {
    name: 'within_time',
    checked_by: 'exact',
    texts: {
      en: { name: 'In time', about: 'The answer is complete after at most this many seconds.' },
      es: { name: 'A tiempo', about: 'La respuesta está completa en este número de segundos, como máximo.' },
      ca: { name: 'A temps', about: 'La resposta és completa en aquest nombre de segons, com a màxim.' },
      eu: { name: 'Garaiz', about: 'Erantzuna gehienez segundo kopuru horretan osatzen da.' },
    },
    config_schema: strictObject({
      seconds: {
        type: 'number',
        exclusiveMinimum: 0,
        maximum: 3_600,
        title: 'Seconds',
        'x-texts': { es: { title: 'Segundos' }, ca: { title: 'Segons' }, eu: { title: 'Segundoak' } },
      },
    }),
  },
  check: ({ seconds }, { durationMs }) =>
    passedIf(durationMs <= 1_000 * seconds, `${(durationMs / 1_000).toFixed(1)} s`),
  propose: ({ durationMs }) => [{ seconds: Math.max(5, Math.ceil((PROPOSED_FACTOR * durationMs) / 1_000)) }],
};
