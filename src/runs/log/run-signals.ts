/** Signal topics. The payload is a list of run ids, joined by commas. */
export const RUN_EVENTS = 'run.events';
export const RUN_CANCEL = 'run.cancel';

/** Ids that fit into one signal. */
const IDS = 150;

export function idSignals(ids: readonly string[]): string[] {
  const signals: string[] = [];
  for (let first = 0; first < ids.length; first += IDS) signals.push(ids.slice(first, first + IDS).join(','));
  return signals;
}
