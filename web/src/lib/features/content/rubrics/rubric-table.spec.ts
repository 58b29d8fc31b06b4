import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rubricProblems } from '../../../../../../src/rubrics/rubric-validation';
import { faultsOf } from './rubric-check';
import {
  addedColumn,
  addedCriterion,
  changedColumn,
  changedCriterion,
  changedLevel,
  closed,
  fresh,
  isUniform,
  madeUniform,
  movedColumn,
  movedCriterion,
  opened,
  removedColumn,
  removedCriterion,
  shareOf,
} from './rubric-table';
import type { Rubric, RubricDocument } from './rubric.types';

const AT = '2026-01-01T00:00:00.000Z';
const start = (): RubricDocument => {
  const begun = fresh(['Good', 'Fair', 'Poor'], AT);
  return changedCriterion({ ...begun, title: 'Essay' }, 0, { name: 'Argument', description: 'How it argues' });
};
const labels = (document: RubricDocument): string[][] =>
  document.criteria.map(({ levels }) => levels.map(({ label }) => label));

type Step = (document: RubricDocument) => RubricDocument;
const index = fc.nat(5);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.constant(addedCriterion),
  fc.constant(addedColumn),
  index.map(
    (row): Step =>
      (each) =>
        each.criteria.length > 1 ? removedCriterion(each, row) : each,
  ),
  index.map(
    (column): Step =>
      (each) =>
        removedColumn(each, column),
  ),
  fc.tuple(index, index).map(
    ([from, to]): Step =>
      (each) =>
        Math.max(from, to) < each.criteria.length ? movedCriterion(each, from, to) : each,
  ),
  fc.tuple(index, index).map(
    ([from, to]): Step =>
      (each) =>
        movedColumn(each, from, to),
  ),
);

describe('the table of a rubric', () => {
  it('gives a new row the levels of the last one, and a new column to every row', () => {
    const document = addedColumn(addedCriterion(start()));
    expect(labels(document)).toEqual([
      ['Good', 'Fair', 'Poor', ''],
      ['Good', 'Fair', 'Poor', ''],
    ]);
    expect(document.criteria[0]?.levels.map(({ score }) => score)).toEqual([3, 2, 1, 0]);
  });

  it('moves a column in every row, descriptions with it, and back again', () => {
    const document = changedLevel(addedCriterion(start()), 1, 0, { description: 'clear' });
    const there = movedColumn(document, 0, 2);
    expect(labels(there)[1]).toEqual(['Fair', 'Poor', 'Good']);
    expect(there.criteria[1]?.levels[2]?.description).toBe('clear');
    expect(movedColumn(there, 2, 0)).toEqual(document);
  });

  it('stays a rubric that the service takes, whatever is done with it', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
        const shaped = steps.reduce((document, change) => change(document), start());
        const named = shaped.criteria.reduce(
          (document, _, row) => changedCriterion(document, row, { name: 'n', description: 'd' }),
          shaped,
        );
        expect(faultsOf(named)).toEqual([]);
        expect(rubricProblems(closed(named, AT))).toEqual([]);
        expect(isUniform(named)).toBe(true);
      }),
    );
  });

  it('writes the order it shows, so that it opens as it was closed', () => {
    const document = movedCriterion(addedCriterion(start()), 1, 0);
    const saved = { ...closed(document, AT), id: 'x', owner: 'y', visibility: 'private', access: 'owner' } as Rubric;
    const shuffled = { ...saved, criteria: [...saved.criteria].reverse() };
    expect(opened(shuffled).criteria.map(({ id }) => id)).toEqual(document.criteria.map(({ id }) => id));
    expect(Object.keys(opened(saved))).not.toContain('owner');
  });

  it('keeps members that it does not know', () => {
    const foreign = { ...closed(start(), AT), extra: { kept: true } } as unknown as Rubric;
    expect(closed(opened(foreign), AT)).toMatchObject({ extra: { kept: true } });
  });

  it('makes rows alike by the first one', () => {
    const document = changedLevel(addedCriterion(start()), 1, 0, { label: 'Other', description: 'kept' });
    expect(isUniform(document)).toBe(false);
    const alike = madeUniform(document);
    expect(labels(alike)[1]).toEqual(['Good', 'Fair', 'Poor']);
    expect(alike.criteria[1]?.levels[0]?.description).toBe('kept');
    expect(labels(changedColumn(alike, 1, { label: 'So' }))).toEqual([
      ['Good', 'So', 'Poor'],
      ['Good', 'So', 'Poor'],
    ]);
  });

  it('counts weights relative to their sum; all zero counts as equal', () => {
    const two = addedCriterion(start());
    expect(shareOf(changedCriterion(two, 0, { weight: 300 }), 0)).toBe(0.75);
    const none = changedCriterion(changedCriterion(two, 0, { weight: 0 }), 1, { weight: 0 });
    expect(shareOf(none, 1)).toBe(0.5);
  });

  it('says what is missing, by the paths of the service', () => {
    const faults = faultsOf({ ...addedCriterion(start()), title: ' ', maxScore: Number.NaN });
    expect(faults.map(({ path }) => path)).toEqual([
      'title',
      'maxScore',
      'criteria[1].name',
      'criteria[1].description',
    ]);
  });
});
