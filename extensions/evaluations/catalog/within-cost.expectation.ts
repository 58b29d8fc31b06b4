import { strictObject } from '@bellwether/kernel';
import { type Expectation, passedIf } from '../contract';

interface Config {
  /** Amount in the organization's currency. */
  readonly amount: number;
}

const MICROS = 1_000_000;

/** The answer costs no more than an amount. */
export const WITHIN_COST: Expectation<Config> = {
  definition: {
    name: 'within_cost',
    checked_by: 'exact',
    texts: {
      en: { name: 'Costs at most', about: 'The answer costs at most this amount. The model needs a price.' },
      es: {
        name: 'Cuesta como máximo',
        about: 'La respuesta cuesta como máximo este importe. El modelo debe tener precio.',
      },
      ca: {
        name: 'Costa com a màxim',
        about: 'La resposta costa com a màxim aquest import. El model ha de tenir preu.',
      },
      eu: { name: 'Gehieneko kostua', about: 'Erantzunak gehienez zenbateko hau balio du. Ereduak prezioa behar du.' },
    },
    config_schema: strictObject({
      amount: {
        type: 'number',
        minimum: 0,
        maximum: 1_000,
        title: 'Amount',
        'x-texts': { es: { title: 'Importe' }, ca: { title: 'Import' }, eu: { title: 'Zenbatekoa' } },
      },
    }),
  },
  check: ({ amount }, { costMicros }) =>
    costMicros === null
      ? { status: 'not_judged', found: '' }
      : passedIf(costMicros <= amount * MICROS, String(costMicros / MICROS)),
};
