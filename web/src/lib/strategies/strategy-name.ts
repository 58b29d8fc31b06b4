import { i18n } from '$lib/i18n/i18n.svelte';
import { humanised } from '$lib/pipeline/schema-form';

/** A strategy's name in the reader's language; made of its own where the texts have none. */
export const strategyName = (strategy: string): string =>
  i18n.maybe(`strategies.${strategy}.name`) ?? humanised(strategy);
