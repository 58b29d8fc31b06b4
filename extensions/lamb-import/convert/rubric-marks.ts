import type { JsonObject } from '../../../src/kernel';
import { valueAt } from '../source/json-path';

const numberIn = (value: unknown, key: string): number => {
  const found = valueAt(value, key);
  return typeof found === 'number' ? found : 0;
};

const listIn = (value: unknown, key: string): readonly unknown[] => {
  const found = valueAt(value, key);
  return Array.isArray(found) ? found : [];
};

/**
 * Why a valid rubric gives other marks here than in LAMB, or null. LAMB scales all criteria by the best score of the first
 * one and reads weights as percentages. Here each criterion has its own best score, and weights are relative to their sum.
 */
export function markDifference(document: JsonObject): string | null {
  const criteria = listIn(document, 'criteria');
  const best = criteria.map((criterion) =>
    Math.max(...listIn(criterion, 'levels').map((level) => numberIn(level, 'score'))),
  );
  const sum = criteria.reduce<number>((total, criterion) => total + numberIn(criterion, 'weight'), 0);
  const reasons = [
    ...(best.some((score) => score !== best[0]) ? ['its criteria have different best scores'] : []),
    ...(Math.abs(sum - 100) > 0.01 ? [`its weights sum to ${Math.round(sum * 100) / 100}, not to 100`] : []),
  ];
  return reasons.length === 0 ? null : reasons.join(' and ');
}
