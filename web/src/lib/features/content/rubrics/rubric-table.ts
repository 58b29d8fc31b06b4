import type { Criterion, Level, Rubric, RubricDocument } from './rubric.types';

/**
 * Members that an answer adds to the document. Sent back they are refused, but for `version`: a document may have one
 * of its own, which the service's count hides here and which stays where none is sent.
 */
const BESIDE = [
  'id',
  'owner',
  'visibility',
  'access',
  'origin_id',
  'version',
  'created_at',
  'updated_at',
  'organization',
];

export const LIMITS = { criteria: 100, levels: 50 };

/** An id that no other part of a rubric has. */
export const partId = (): string =>
  [...crypto.getRandomValues(new Uint8Array(8))].map((byte) => byte.toString(16).padStart(2, '0')).join('');

/** ISO 8601, UTC. */
export const now = (): string => new Date().toISOString();

const inOrder = <Part extends { readonly order?: number }>(parts: readonly Part[]): Part[] =>
  parts
    .map((part, index) => ({ part, key: part.order ?? index }))
    .sort((a, b) => a.key - b.key)
    .map(({ part }) => part);

const moved = <Part>(parts: readonly Part[], from: number, to: number): Part[] => {
  const rest = parts.filter((_, index) => index !== from);
  return [...rest.slice(0, to), ...parts.slice(from, from + 1), ...rest.slice(to)];
};

/** The document of a rubric as the table shows it: rows and columns in reading order. */
export function opened(rubric: Rubric): RubricDocument {
  const document = Object.fromEntries(
    Object.entries(rubric).filter(([name]) => !BESIDE.includes(name)),
  ) as unknown as RubricDocument;
  return {
    ...document,
    criteria: inOrder(document.criteria).map((criterion) => ({ ...criterion, levels: inOrder(criterion.levels) })),
  };
}

/** The document to be saved: `order` says what the table shows. */
export function closed(document: RubricDocument, at: string): RubricDocument {
  return {
    ...document,
    title: document.title.trim(),
    metadata: { ...document.metadata, modifiedAt: at },
    criteria: document.criteria.map((criterion, order) => ({
      ...criterion,
      order,
      levels: criterion.levels.map((level, place) => ({ ...level, order: place })),
    })),
  };
}

const emptyLevel = (like?: Level): Level => ({
  id: partId(),
  score: like === undefined ? 0 : Math.max(0, like.score - 1),
  label: '',
  description: '',
});

/** A row like the last one: the same levels, empty. */
function emptyCriterion(like: Criterion | undefined): Criterion {
  const levels = like?.levels ?? [];
  return {
    id: partId(),
    name: '',
    description: '',
    weight: like?.weight ?? 100,
    levels: levels.map(({ score, label }) => ({ id: partId(), score, label, description: '' })),
  };
}

/** A rubric to begin with; the best level comes first. */
export function fresh(labels: readonly string[], at: string): RubricDocument {
  const levels = labels.map((label, index) => ({ id: partId(), score: labels.length - index, label, description: '' }));
  return {
    rubricId: `rubric-${partId()}`,
    title: '',
    description: '',
    metadata: { createdAt: at, modifiedAt: at },
    criteria: [{ id: partId(), name: '', description: '', weight: 100, levels }],
    scoringType: 'points',
    maxScore: 10,
  };
}

const withCriteria = (document: RubricDocument, criteria: Criterion[]): RubricDocument => ({ ...document, criteria });

export const addedCriterion = (document: RubricDocument): RubricDocument =>
  withCriteria(document, [...document.criteria, emptyCriterion(document.criteria.at(-1))]);

export const removedCriterion = (document: RubricDocument, row: number): RubricDocument =>
  withCriteria(
    document,
    document.criteria.filter((_, index) => index !== row),
  );

export const movedCriterion = (document: RubricDocument, from: number, to: number): RubricDocument =>
  withCriteria(document, moved(document.criteria, from, to));

export const changedCriterion = (document: RubricDocument, row: number, changes: Partial<Criterion>): RubricDocument =>
  withCriteria(
    document,
    document.criteria.map((criterion, index) => (index === row ? { ...criterion, ...changes } : criterion)),
  );

const eachRow = (document: RubricDocument, change: (levels: Level[]) => Level[]): RubricDocument =>
  withCriteria(
    document,
    document.criteria.map((criterion) => ({ ...criterion, levels: change(criterion.levels) })),
  );

/** A column more, at the end of every row. */
export const addedColumn = (document: RubricDocument): RubricDocument =>
  eachRow(document, (levels) => [...levels, emptyLevel(levels.at(-1))]);

/** Rows keep at least two levels. */
export const removedColumn = (document: RubricDocument, column: number): RubricDocument =>
  eachRow(document, (levels) => (levels.length > 2 ? levels.filter((_, index) => index !== column) : levels));

export const movedColumn = (document: RubricDocument, from: number, to: number): RubricDocument =>
  eachRow(document, (levels) => (Math.max(from, to) < levels.length ? moved(levels, from, to) : levels));

/** Label and score of one column in every row. */
export const changedColumn = (
  document: RubricDocument,
  column: number,
  changes: Partial<Pick<Level, 'label' | 'score'>>,
): RubricDocument =>
  eachRow(document, (levels) => levels.map((level, index) => (index === column ? { ...level, ...changes } : level)));

export const changedLevel = (
  document: RubricDocument,
  row: number,
  column: number,
  changes: Partial<Level>,
): RubricDocument =>
  withCriteria(
    document,
    document.criteria.map((criterion, index) =>
      index === row
        ? {
            ...criterion,
            levels: criterion.levels.map((level, place) => (place === column ? { ...level, ...changes } : level)),
          }
        : criterion,
    ),
  );

/** The first row has the most columns' say: its labels and scores hold for every row where they do so already. */
export function isUniform({ criteria }: RubricDocument): boolean {
  const head = criteria[0]?.levels ?? [];
  return criteria.every(
    ({ levels }) =>
      levels.length === head.length &&
      levels.every(({ label, score }, index) => label === head[index]?.label && score === head[index]?.score),
  );
}

/** Every row gets the levels of the first: labels, scores and how many; descriptions stay in their columns. */
export function madeUniform(document: RubricDocument): RubricDocument {
  const head = document.criteria[0]?.levels ?? [];
  return eachRow(document, (levels) =>
    head.map(({ label, score }, index) => ({ ...(levels[index] ?? emptyLevel()), label, score })),
  );
}

export const columnsOf = ({ criteria }: RubricDocument): number =>
  Math.max(0, ...criteria.map(({ levels }) => levels.length));

export const weightsOf = ({ criteria }: RubricDocument): number =>
  criteria.reduce((sum, { weight }) => sum + (Number.isFinite(weight) ? weight : 0), 0);

/** Part of the final score that a row decides, 0..1; all weights 0 count as equal. */
export function shareOf(document: RubricDocument, row: number): number {
  const sum = weightsOf(document);
  return sum > 0 ? (document.criteria[row]?.weight ?? 0) / sum : 1 / Math.max(1, document.criteria.length);
}
