import type { RubricDocument } from './rubric.types';

export interface Fault {
  /** JSON path as the service names it. */
  readonly path: string;
  readonly kind: 'missing' | 'number';
}

const isNumber = (value: unknown): boolean => typeof value === 'number' && Number.isFinite(value);

/** Faults that prevent saving, in the order of the page. */
export function faultsOf({ title, maxScore, criteria }: RubricDocument): Fault[] {
  const faults: Fault[] = [];
  const need = (text: string, path: string): void => {
    if (text.trim() === '') faults.push({ path, kind: 'missing' });
  };
  const number = (fine: boolean, path: string): void => {
    if (!fine) faults.push({ path, kind: 'number' });
  };
  need(title, 'title');
  number(isNumber(maxScore) && maxScore > 0, 'maxScore');
  criteria.forEach(({ name, description, weight, levels }, row) => {
    need(name, `criteria[${row}].name`);
    need(description, `criteria[${row}].description`);
    number(isNumber(weight) && weight >= 0, `criteria[${row}].weight`);
    levels.forEach(({ score }, column) => number(isNumber(score), `criteria[${row}].levels[${column}].score`));
  });
  return faults;
}
