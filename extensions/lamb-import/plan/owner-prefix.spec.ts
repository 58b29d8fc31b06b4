import { withoutPrefixes } from './import-planner';
import type { PlannedAssistant } from './plan.types';

const strip = (...names: string[]): (string | null)[] =>
  withoutPrefixes(
    names.map((name) => ({ name, value: { name } }) as PlannedAssistant),
    [{ id: 4 }, { id: 12 }],
  ).map(({ name }) => name);

describe("names without LAMB's number of the owner", () => {
  it.each([
    [
      ['4_simple_rag', '12_essay'],
      ['simple_rag', 'essay'],
    ],
    [
      ['4_tutor', '12_tutor'],
      ['4_tutor', '12_tutor'],
    ],
    [
      ['4_tutor', 'tutor'],
      ['4_tutor', 'tutor'],
    ],
    [
      ['4_', '4_ ', '7_of_nobody', '2026_course'],
      ['4_', '4_ ', '7_of_nobody', '2026_course'],
    ],
  ])('of %j are %j', (names, expected) => expect(strip(...names)).toEqual(expected));
});
